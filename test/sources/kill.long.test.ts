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
const SENDERS = 8
const SECRET = 'a secret'
/** The moment of a row comes up to so long after its event was made, while the server runs or is down. */
const MOMENTS_WITHIN_MS = 3_000

/** A provider that sends an event again, now and then also one that was taken, until it is taken. */
class Sender {
  readonly acknowledged = new Set<string>()
  /** What the last event was, which is sent until it is taken, and again now and then. */
  #id = ''
  #body = ''
  #isTaken = true
  #count = 0

  constructor(
    readonly name: string,
    private readonly path: string,
  ) {}

  async sendUntilGone(server: ServerProcess): Promise<void> {
    for (;;) {
      this.#count += 1
      const isRepeated = this.#count % 7 === 0 && this.acknowledged.size > 0
      if (this.#isTaken && !isRepeated) {
        this.#id = `${this.name} ${this.#count}`
        const comes = Date.now() + ((this.#count * 389) % MOMENTS_WITHIN_MS)
        this.#body = JSON.stringify({ mark: this.#id, comes })
        this.#isTaken = false
      }
      const [id, body] = [this.#id, this.#body]
      const response = await fetch(server.url + this.path, {
        method: 'POST',
        body,
        headers: {
          'x-hub-signature-256': `sha256=${hmac(SECRET, body)}`,
          'x-github-delivery': id,
          'x-github-event': 'push',
        },
      }).catch(() => undefined)
      const answer = (await response?.json().catch(() => undefined)) as { status: string } | undefined
      if (!response || !answer) return
      expect([response.status, ['written', 'duplicate'].includes(answer.status)]).toEqual([200, true])
      this.acknowledged.add(id)
      this.#isTaken = true
    }
  }
}

test(
  'a kill at any moment loses and doubles no event that was acknowledged, nor its row, its moment, nor its delivery',
  async () => {
    const folder = newFolder()
    const db = folder.file('daybook.db')
    const receiver = await startReceiver({ answer: status(200) })
    const options = { args: ['--log-level', 'warn', '--webhook-allow', '127.0.0.1'] }
    let server = await startProcess(db, options)
    const { key } = server
    await declare(server, 'Marks', [
      { key: 'mark', type: 'text', unique: true },
      { key: 'comes', type: 'datetime' },
    ])
    const url = `http://127.0.0.1:${receiver.port}`
    const webhooks = [
      await subscribe(server, 'Marks', `${url}/marks`, { events: ['record.created'] }),
      await subscribe(server, 'Marks', `${url}/due`, { events: ['record.due'], due: { field: 'comes' } }),
    ]
    const { body: made } = await server.post('/v1/sources', {
      name: 'Marks',
      structure: 'Marks',
      provider: 'github',
      secret: SECRET,
      map: { mark: '/mark', comes: { path: '/comes', as: 'epoch_ms' } },
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
    const coming: string[] = []
    const events = new Map<string, number>()
    const add = (counts: Map<string, number>, mark: string) => counts.set(mark, (counts.get(mark) ?? 0) + 1)
    for (let offset = 0, more = true; more; offset += 500) {
      const { body } = await server.get(`/v1/records?structure=Marks&limit=500&offset=${offset}`)
      for (const { data, created_at } of body.records) {
        add(rows, data.mark)
        if (Date.parse(data.comes) > Date.parse(created_at)) coming.push(data.mark)
      }
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
    const rowOf = ({ body }: { body: string }) => JSON.parse(body).record.data
    const idsOf = (path: string) =>
      Map.groupBy(
        receiver.received.filter((received) => received.path === path),
        (received) => rowOf(received).mark as string,
      )
    await until(() => {
      const due = idsOf('/due')
      return coming.every((mark) => due.has(mark))
    })
    for (const { id } of webhooks)
      await until(
        async () =>
          (await server.get(`/v1/webhooks/${id}/deliveries?status=pending`)).body.deliveries.length === 0,
      )
    const [delivered, due] = [idsOf('/marks'), idsOf('/due')]
    expect([...rows.keys()].filter((mark) => !delivered.has(mark))).toEqual([])
    for (const each of [...delivered.values(), ...due.values()])
      expect(new Set(each.map(({ body }) => JSON.parse(body).id)).size).toBe(1)
    const { counts } = (await server.get(`/v1/sources/${made.source.id}`)).body.source
    expect(counts.written).toBe(rows.size)
    expect(await server.end()).toBe(0)
    await receiver.close()
    folder.remove()
  },
  60_000 + KILLS * 4_000,
)
