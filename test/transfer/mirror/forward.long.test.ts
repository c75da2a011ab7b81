import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { newSecret } from '../../../src/log/message.ts'
import { alter, sizesOf } from '../../support/database.ts'
import { type MirrorProcess, startMirror } from '../../support/mirror-process.ts'
import { newFolder, type ServerProcess, startProcess } from '../../support/process.ts'
import { type Receiver, startReceiver, status } from '../../support/receiver.ts'
import { startService } from '../../support/service.ts'
import { until } from '../../support/webhooks.ts'

/*
 * A subscription of the remote and a forwarding mirror. Both receivers get the same events, verified with third-party
 * libraries, including events created while no mirror ran.
 */

let folder: ReturnType<typeof newFolder>
const secret = newSecret()
let remote: ServerProcess
let mirror: MirrorProcess
let subscriber: Receiver
let forwarded: Receiver
let structure: string

const stripe = new Stripe('sk_test_0')

function start(previous?: MirrorProcess, args: readonly string[] = []): Promise<MirrorProcess> {
  return startMirror({
    file: folder.file('mirror.db'),
    remote: remote.url,
    key: remote.key ?? '',
    ...(previous && { ownKey: previous.key ?? '' }),
    args: ['--forward', `http://127.0.0.1:${forwarded.port}/hook`, ...args],
    env: { DAYBOOK_SECRET: secret },
  })
}

beforeEach(async () => {
  folder = newFolder()
  ;[subscriber, forwarded] = [await startReceiver(), await startReceiver()]
  remote = await startProcess(folder.file('remote.db'), {
    args: ['--webhook-allow', `127.0.0.1:${subscriber.port}`, '--log-level', 'warn'],
  })
  const made = await remote.post('/v1/records/structures', {
    name: 'Orders',
    fields: [
      { key: 'name', type: 'text' },
      { key: 'amount', type: 'number' },
    ],
  })
  structure = made.body.structure.id
  await remote.post('/v1/webhooks', { structure, url: `http://127.0.0.1:${subscriber.port}/hook` })
  mirror = await start()
}, 60_000)

afterEach(async () => {
  await mirror.end()
  await remote.end()
  await subscriber.close()
  await forwarded.close()
  folder.remove()
})

/** Creates, updates and deletes rows, some of them so fast that a reader sees only the last state. */
async function write(): Promise<number> {
  const { body } = await remote.post('/v1/records', {
    structure,
    rows: [1, 2, 3].map((amount) => ({ data: { name: `o${amount}`, amount } })),
  })
  const [first, second] = (body.records as { id: string }[]).map(({ id }) => id)
  await remote.patch(`/v1/records/${first}`, { data: { amount: 10 } })
  await remote.patch(`/v1/records/${first}`, { data: { amount: 20, name: null } })
  await remote.patch(`/v1/records/${second}`, { data: { name: 'gone soon' } })
  await remote.delete(`/v1/records/${second}`)
  await remote.post(`/v1/records/${second}/restore`)
  await remote.delete(`/v1/records/${second}`)
  return 9
}

/** Events without attributes specific to one receiver. An event posted again after a kill counts once. */
function eventsOf({ received }: Receiver): string[] {
  const events = new Map<string, string>()
  for (const { body } of received) {
    const { id, source: _, ...event } = JSON.parse(body)
    events.set(id, JSON.stringify(event))
  }
  return [...events.values()].toSorted()
}

async function untilEvents(receiver: Receiver, count: number): Promise<void> {
  while (eventsOf(receiver).length < count) await receiver.until(receiver.received.length + 1)
}

test('a forwarding mirror posts what a subscription is sent, over restarts, with valid signatures', async () => {
  let count = await write()
  await Promise.all([subscriber.until(count), forwarded.until(count)])
  await mirror.end('SIGKILL')
  count += await write()
  mirror = await start(mirror)
  count += await write()
  await untilEvents(subscriber, count)
  await untilEvents(forwarded, count)
  expect(eventsOf(forwarded)).toEqual(eventsOf(subscriber))
  for (const { body, headers } of forwarded.received) {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(
      await stripe.webhooks.constructEventAsync(body, headers['x-service-signature'] ?? '', secret),
    ).toEqual(JSON.parse(body))
    expect(headers['x-service-event']).toBe(JSON.parse(body).type)
    expect(JSON.parse(body).source).toEqual({ surface: 'api', key_id: null })
  }
}, 60_000)

test('posts records created while the feed had expired, too', async () => {
  const amount = async (value: number) =>
    (await remote.post('/v1/records', { structure, data: { amount: value } })).body.records[0].id
  const first = await amount(1)
  await forwarded.until(1)
  await mirror.end()
  const second = await amount(2)
  await remote.patch(`/v1/records/${first}`, { data: { amount: 10 } })
  const other = await startService()
  const { cursor } = (await other.get('/v1/changes?after=now')).body
  other.close()
  await alter(folder.file('mirror.db'), 'UPDATE mirrors SET cursor = ?', cursor)
  mirror = await start(mirror)
  await untilEvents(forwarded, 3)
  const posted = eventsOf(forwarded).map((event) => JSON.parse(event))
  expect(posted.map(({ type, record }) => [type, record.id, record.data.amount]).toSorted()).toEqual([
    ['record.created', first, 1],
    ['record.created', second, 2],
    ['record.updated', first, 10],
  ])
}, 60_000)

test('an event without a receiver is stored, and posted in order once there is one', async () => {
  forwarded.answer = (_, socket) => socket.destroy()
  const count = await write()
  await subscriber.until(count)
  await mirror.end('SIGKILL')
  forwarded.answer = status(200)
  const before = forwarded.received.length
  mirror = await start(mirror)
  await forwarded.until(before + count)
  const posted = forwarded.received.slice(before).map(({ body }) => JSON.parse(body).occurred_at)
  expect(posted).toEqual(posted.toSorted())
  expect(eventsOf(forwarded)).toEqual(eventsOf(subscriber))
}, 60_000)

test('discards pending events when the selection of the copy changes, and reports it', async () => {
  forwarded.answer = (_, socket) => socket.destroy()
  const count = await write()
  await subscriber.until(count)
  const waiting = () => sizesOf(folder.file('mirror.db'), 'mirror_events')[0]
  await until(() => waiting() === count)
  await mirror.end()
  forwarded.answer = status(200)
  const before = forwarded.received.length
  mirror = await start(mirror, ['--omit-fields', 'Orders.amount'])
  expect(mirror.err()).toContain(`Pending events: ${count}. They were discarded`)
  await remote.post('/v1/records', { structure, data: { name: 'later', amount: 1 } })
  await forwarded.until(before + 1)
  expect(JSON.parse(forwarded.received[before]?.body ?? '').record.data).toEqual({ name: 'later' })
}, 60_000)
