import { createSender, type Send } from '../../src/events/delivery/client/sender.ts'
import { Dispatcher } from '../../src/events/delivery/dispatch/dispatcher.ts'
import type { RawCondition } from '../../src/filter/record/parse.ts'
import { jobs as allJobs } from '../../src/jobs.ts'
import { JobRunner } from '../../src/kernel/job-runner.ts'
import { parseAllowlist } from '../../src/lib/addresses.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { type Client, startService, type TestService, type TestServiceOptions } from './service.ts'

export interface WebhookOptions {
  headers?: Record<string, string>
  events?: string[]
  filter?: RawCondition[]
  fields?: string[] | null
  ignore_own_key?: boolean
  ignore_key_id?: string | null
  description?: string | null
  enabled?: boolean
  due?: object
  ordered?: boolean
  format?: string
  delivery?: 'pull'
}

export interface TestWebhook {
  id: string
  secret: string
}

/** Creates a webhook; returns its id and secret. */
export async function subscribe(
  client: Client,
  structure: string,
  url: string,
  more: WebhookOptions = {},
): Promise<TestWebhook> {
  const { status, body } = await client.post('/v1/webhooks', { structure, url, ...more })
  if (status !== 201) throw new Error(body.error)
  return { id: body.webhook.id, secret: body.secret }
}

/** Returns the deliveries of a webhook as the API lists them, oldest first. */
export async function deliveriesOf(client: Client, webhook: string) {
  const { status, body } = await client.get(`/v1/webhooks/${webhook}/deliveries?limit=200`)
  if (status !== 200) throw new Error(body.error)
  return body.deliveries.reverse()
}

interface ListedDelivery {
  id: string
  record_id: string | null
}

/** Returns all deliveries of a webhook, newest first, page by page. */
export async function allDeliveriesOf(client: Client, webhook: string): Promise<ListedDelivery[]> {
  const found: ListedDelivery[] = []
  for (let before = '', isLast = false; !isLast; before = `&before=${found.at(-1)?.id}`) {
    const { status, body } = await client.get(`/v1/webhooks/${webhook}/deliveries?limit=200${before}`)
    if (status !== 200) throw new Error(body.error)
    found.push(...body.deliveries)
    isLast = body.deliveries.length < 200
  }
  return found
}

/** Returns the events of a webhook as they are sent, oldest first. */
export async function payloadsOf(client: Client, webhook: string) {
  const deliveries = (await allDeliveriesOf(client, webhook)).reverse()
  const read = deliveries.map(({ id }) => client.get(`/v1/webhooks/${webhook}/deliveries/${id}`))
  return (await Promise.all(read)).map(({ body }) => JSON.parse(body.body))
}

export const webhookOf = async (client: Client, id: string) =>
  (await client.get(`/v1/webhooks/${id}`)).body.webhook

const PATIENCE_MS = 60_000

/** Polls until the condition holds, for effects of sockets, commits and other processes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`this never came true: ${condition}`)
    await Bun.sleep(1)
  }
}

const LOOPBACK = { webhookAllowlist: parseAllowlist(['127.0.0.1']) }

/**
 * A whole service with a receiver on the loopback interface, and a dispatcher that delivers to it over real sockets.
 */
export interface Hooked extends TestService {
  readonly receiver: Receiver
  readonly url: string
  /** Received bodies, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: a payload is judged by what the test expects of it
  arrived(): any[]
  /** Restarts the dispatcher and the jobs after `stop`. */
  start(send?: Send): void
  stop(): Promise<void>
  end(): Promise<void>
}

export async function startHooked(options: TestServiceOptions & { start?: boolean } = {}): Promise<Hooked> {
  const service = await startService({ ...options, config: { ...LOOPBACK, ...options.config } })
  const receiver = await startReceiver()
  const { webhookAllowlist: allowlist } = service.ctx.config
  const sender = createSender({ allowlist, clock: service.clock })
  service.ctx.db.onExternalWrite(() => service.ctx.bus.notify())
  let deliveries: Dispatcher | undefined
  let jobs: JobRunner | undefined
  const stop = async () => {
    await Promise.all([deliveries?.stop(), jobs?.stop()])
  }
  const hooked: Hooked = {
    ...service,
    receiver,
    url: `http://127.0.0.1:${receiver.port}/hook`,
    arrived: () => receiver.received.map(({ body }) => JSON.parse(body)),
    start: (send = sender.send) => {
      deliveries = new Dispatcher({ ...service.ctx, send })
      jobs = new JobRunner(service.ctx, allJobs)
    },
    stop,
    end: async () => {
      sender.close()
      await stop()
      service.close()
      await receiver.close()
    },
  }
  if (options.start !== false) hooked.start()
  return hooked
}
