import { expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { runs } from '../support/counts.ts'
import { whenAcknowledged } from '../support/kills.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { startReceiver, status } from '../support/receiver.ts'
import { declare } from '../support/records.ts'
import { hmac } from '../support/sources.ts'
import { subscribe, until } from '../support/webhooks.ts'

const KILLS = runs(3, 200)
const SENDERS = 4
const SECRET = 'a secret'

/** A provider that sends an event again, now and then also one that was taken, until it is taken. */
class Sender {
  readonly acknowledged = new Set<string>()
  #waiting: string | undefined
  #count = 0

  constructor(
    readonly name: string,
    private readonly path: string,
  ) {}

  async sendUntilGone(server: ServerProcess): Promise<void> {
    for (;;) {
      this.#count += 1
      const isRepeated = this.#count % 7 === 0 && this.acknowledged.size > 0
      const id = isRepeated ? [...this.acknowledged].at(-1) : (this.#waiting ?? `${this.name} ${this.#count}`)
      if (!isRepeated) this.#waiting = id
      const body = JSON.stringify({ mark: id })
      const response = await fetch(server.url + this.path, {
        method: 'POST',
        body,
        headers: {
          'x-hub-signature-256': `sha256=${hmac(SECRET, body)}`,
          'x-github-delivery': String(id),
          'x-github-event': 'push',
        },
      }).catch(() => undefined)
      const answer = (await response?.json().catch(() => undefined)) as { status: string } | undefined
      if (!response || !answer) return
      expect([response.status, ['written', 'duplicate'].includes(answer.status)]).toEqual([200, true])
      this.acknowledged.add(String(id))
      if (!isRepeated) this.#waiting = undefined
    }
  }
}

test(
  'a kill at any moment loses and doubles no event that was acknowledged, nor its row, nor its delivery',
  async () => {
    const folder = newFolder()
    const db = folder.file('daybook.db')
    const receiver = await startReceiver({ answer: status(200) })
    const options = { args: ['--log-level', 'warn', '--webhook-allow', '127.0.0.1'] }
    let server = await startProcess(db, options)
    const { key } = server
    await declare(server, 'Marks', [{ key: 'mark', type: 'text', unique: true }])
    const webhook = await subscribe(server, 'Marks', `http://127.0.0.1:${receiver.port}/marks`)
    const { body: made } = await server.post('/v1/sources', {
      name: 'Marks',
      structure: 'Marks',
      provider: 'github',
      secret: SECRET,
      map: { mark: '/mark' },
    })
    const { pathname } = new URL(made.source.url)
    const senders = Array.from({ length: SENDERS }, (_, at) => new Sender(`sender ${at}`, pathname))
    for (let kill = 0; kill < KILLS; kill++) {
      const sending = senders.map((sender) => sender.sendUntilGone(server))
      await whenAcknowledged(senders, 12 + ((kill * 53) % 90))
      expect(await server.end('SIGKILL')).toBe(null)
      await Promise.all(sending)
      expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
      server = await startProcess(db, { ...options, key })
    }
    const rows = new Map<string, number>()
    const events = new Map<string, number>()
    const add = (counts: Map<string, number>, mark: string) => counts.set(mark, (counts.get(mark) ?? 0) + 1)
    for (let offset = 0, more = true; more; offset += 500) {
      const { body } = await server.get(`/v1/records?structure=Marks&limit=500&offset=${offset}`)
      for (const { data } of body.records) add(rows, data.mark)
      more = body.has_more
    }
    for (let after = 'start', more = true; more; ) {
      const { body } = await server.get(`/v1/sources/${made.source.id}/events?after=${after}&limit=200`)
      for (const { external_id, status: state } of body.events) {
        expect(state).toBe('written')
        add(events, external_id)
      }
      after = body.events.at(-1)?.id ?? after
      more = body.has_more
    }
    expect([...rows.values()].every((count) => count === 1)).toBe(true)
    expect([...events.keys()].sort()).toEqual([...rows.keys()].sort())
    expect([...events.values()].every((count) => count === 1)).toBe(true)
    for (const { acknowledged } of senders)
      expect([...acknowledged].filter((mark) => !rows.has(mark))).toEqual([])
    await until(
      async () =>
        (await server.get(`/v1/webhooks/${webhook.id}/deliveries?status=pending`)).body.deliveries.length ===
        0,
    )
    const delivered = new Set(receiver.received.map(({ body }) => JSON.parse(body).record.data.mark))
    expect([...rows.keys()].filter((mark) => !delivered.has(mark))).toEqual([])
    const { counts } = (await server.get(`/v1/sources/${made.source.id}`)).body.source
    expect(counts.written).toBe(rows.size)
    expect(await server.end()).toBe(0)
    await receiver.close()
    folder.remove()
  },
  60_000 + KILLS * 4_000,
)
