import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import { spawn, which } from 'bun'
import { signedHeaders } from '../../src/log/message.ts'
import { declare, write } from '../support/records.ts'
import { deliveriesOf, type Hooked, startHooked, subscribe, until } from '../support/webhooks.ts'

/*
 * The receivers of scripts/deploy, run as their first lines document. They accept the service's requests, even while
 * two secrets sign, and nothing else.
 */

const FOLDER = resolve('scripts/deploy/receivers')

const RECEIVERS: [name: string, runtime: string, file: string][] = [
  ['Python', 'python3', 'receiver.py'],
  ['Express', 'node', 'receiver-express.mjs'],
]

let it: Hooked
beforeEach(async () => {
  it = await startHooked()
  await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
})
afterEach(() => it.end())

async function startReceiver(runtime: string, file: string, secret: string) {
  const child = spawn([runtime, join(FOLDER, file), '0'], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', DAYBOOK_SECRET: secret },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let printed = ''
  const reading = (async () => {
    for await (const chunk of child.stdout) printed += Buffer.from(chunk).toString()
  })()
  await until(() => /listening \d+\n/.test(printed) || child.exitCode !== null)
  const [, port] = /listening (\d+)\n/.exec(printed) ?? []
  if (port === undefined) throw new Error(`${file} did not start: ${printed}`)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    printed: () => printed,
    end: async () => {
      child.kill()
      await child.exited
      await reading
    },
  }
}

test.each(RECEIVERS)(
  '%s',
  async (_, runtime, file) => {
    if (!which(runtime)) return
    const { id, secret } = await subscribe(it, 'Tasks', 'http://127.0.0.1:9/hook', { enabled: false })
    const receiver = await startReceiver(runtime, file, secret)
    try {
      await it.patch(`/v1/webhooks/${id}`, { url: receiver.url, enabled: true })
      // The receiver still has the old secret, and uses the machine's clock.
      it.clock.set(Date.now())
      await it.post(`/v1/webhooks/${id}/rotate`, { overlap_hours: 1 })
      await write(it, 'Tasks', { n: 1 })
      await until(async () => (await deliveriesOf(it, id))[0].status === 'delivered')
      const [delivery] = await deliveriesOf(it, id)
      expect(receiver.printed()).toContain(`record.created ${delivery.event_id}\n`)

      const body = '{"id": "e", "type": "record.created"}'
      const about = { event: 'record.created', eventId: 'e', deliveryId: 'd', body }
      const sent = (changes: object = {}) =>
        signedHeaders({ ...about, secrets: [secret], atMs: Date.now(), ...changes })
      const post = async (headers: Record<string, string>, text = body) =>
        (await fetch(receiver.url, { method: 'POST', headers, body: text })).status
      const { 'X-Service-Signature': __, ...unsigned } = sent()
      expect([
        await post(sent()),
        await post(sent(), `${body} `),
        await post(sent({ secrets: ['whsec_other'] })),
        await post(sent({ atMs: Date.now() - 301_000 })),
        await post(unsigned),
        await post({ ...unsigned, 'X-Service-Signature': 't=x,v1=zz' }),
      ]).toEqual([204, 401, 401, 401, 401, 401])
    } finally {
      await receiver.end()
    }
  },
  60_000,
)
