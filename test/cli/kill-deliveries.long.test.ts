import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { runs } from '../support/counts.ts'
import { whenAcknowledged } from '../support/kills.ts'
import { newFolder, type ServeOptions, type ServerProcess, startProcess } from '../support/process.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { declare } from '../support/records.ts'
import type { Answer } from '../support/service.ts'
import { deliveriesOf, subscribe, until } from '../support/webhooks.ts'

const KILLS = runs(3, 50)
const WRITERS = 3

/** Two receivers: one of all events, the other of updates only. */
const PATHS = ['/all', '/changes'] as const

let folder: ReturnType<typeof newFolder>
let receiver: Receiver

beforeAll(async () => {
  folder = newFolder()
  receiver = await startReceiver({
    answer: (received, socket) =>
      void setTimeout(() => status(200)(received, socket), receiver.received.length % 25),
  })
})
afterAll(async () => {
  await receiver.close()
  folder.remove()
})

/** A change by its type and the mark that the row carries afterwards, or carried before it went: no two are alike. */
type Change = `record.${'created' | 'updated' | 'deleted'} ${string}`

/** One connection that creates, changes and deletes rows until the server is gone. */
class Writer {
  readonly acknowledged = new Set<Change>()
  /** Those in progress at a kill: they may have happened or not. */
  readonly uncertain = new Set<Change>()
  #rows: { id: string; mark: string }[] = []
  #count = 0

  constructor(readonly name: string) {}

  async writeUntilGone(server: ServerProcess): Promise<void> {
    for (;;) {
      const mark = `${this.name} ${this.#count++}`
      const row = this.#count % 3 === 1 ? undefined : this.#rows.shift()
      const { change, send } = this.#next(server, mark, row)
      this.uncertain.add(change)
      const answer = await send().catch(() => undefined)
      if (!answer) return
      expect([200, 201]).toContain(answer.status)
      this.uncertain.delete(change)
      this.acknowledged.add(change)
      const id = answer.body.records?.[0].id ?? answer.body.record?.id
      if (id !== undefined) this.#rows.push({ id, mark })
    }
  }

  #next(
    server: ServerProcess,
    mark: string,
    row: { id: string; mark: string } | undefined,
  ): { change: Change; send: () => Promise<Answer> } {
    if (!row) {
      const body = { structure: 'Marks', rows: [{ data: { mark } }] }
      return { change: `record.created ${mark}`, send: () => server.post('/v1/records', body) }
    }
    const path = `/v1/records/${row.id}`
    if (this.#count % 6 === 0)
      return { change: `record.deleted ${row.mark}`, send: () => server.delete(path) }
    return { change: `record.updated ${mark}`, send: () => server.patch(path, { data: { mark } }) }
  }
}

interface DeliveredEvent {
  body: string
  eventId: string
  change: Change
  recordId: string
}

const deliveredAt = (path: string): DeliveredEvent[] =>
  receiver.received
    .filter((received) => received.path === path)
    .map(({ body }) => {
      const { id, type, record } = JSON.parse(body)
      return { body, eventId: id, change: `${type} ${record.data.mark}` as Change, recordId: record.id }
    })

/** Nothing stays pending forever: every delivery reaches a final state. */
const whenDelivered = (server: ServerProcess, webhook: string) =>
  until(
    async () =>
      (await server.get(`/v1/webhooks/${webhook}/deliveries?status=pending`)).body.deliveries.length === 0,
  )

/** Whether an unacknowledged change happened nevertheless. */
async function happened(server: ServerProcess, { change, recordId }: DeliveredEvent): Promise<boolean> {
  const filter = encodeURIComponent(JSON.stringify([{ field: 'id', op: 'eq', value: recordId }]))
  const { body } = await server.get(`/v1/records?structure=Marks&filter=${filter}`)
  const mark = body.records[0]?.data.mark
  return change.startsWith('record.deleted') ? body.total === 0 : change.endsWith(` ${mark}`)
}

async function verify(server: ServerProcess, writers: readonly Writer[], path: (typeof PATHS)[number]) {
  const isAsked = (change: Change) => path === '/all' || change.startsWith('record.updated')
  const delivered = deliveredAt(path)
  const byChange = Map.groupBy(delivered, ({ change }) => change)
  const acknowledged = writers.flatMap((writer) => [...writer.acknowledged]).filter(isAsked)
  expect(acknowledged.filter((change) => !byChange.has(change))).toEqual([])
  for (const [change, copies] of byChange) {
    expect([change, new Set(copies.map(({ body }) => body)).size]).toEqual([change, 1])
    expect(isAsked(change)).toBe(true)
  }
  const known = new Set(acknowledged)
  const uncertain = new Set(writers.flatMap((writer) => [...writer.uncertain]))
  const others = [...byChange.values()].flatMap(([first]) =>
    first && !known.has(first.change) ? [first] : [],
  )
  for (const other of others) {
    expect(uncertain.has(other.change)).toBe(true)
    expect(await happened(server, other)).toBe(true)
  }
  expect(new Set(delivered.map(({ eventId }) => eventId)).size).toBe(byChange.size)
}

test(
  'a kill at any moment loses no event of an acknowledged change, and makes none of anything else',
  async () => {
    const db = folder.file('daybook.db')
    const writers = Array.from({ length: WRITERS }, (_, at) => new Writer(`writer ${at}`))
    const options: ServeOptions = {
      args: ['--log-level', 'warn', '--webhook-allow', '127.0.0.1'],
    }
    let server = await startProcess(db, options)
    const { key } = server
    await declare(server, 'Marks', [{ key: 'mark', type: 'text' }])
    const [all, changes] = PATHS.map((path) => `http://127.0.0.1:${receiver.port}${path}`)
    const webhooks = [
      await subscribe(server, 'Marks', all ?? ''),
      await subscribe(server, 'Marks', changes ?? '', { events: ['record.updated'] }),
    ]
    for (let kill = 0; kill < KILLS; kill++) {
      const writing = writers.map((writer) => writer.writeUntilGone(server))
      await whenAcknowledged(writers, 12 + ((kill * 53) % 90))
      expect(await server.end('SIGKILL')).toBe(null)
      await Promise.all(writing)
      expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
      server = await startProcess(db, { ...options, key })
    }
    for (const { id } of webhooks) await whenDelivered(server, id)
    for (const path of PATHS) await verify(server, writers, path)
    for (const { id } of webhooks) {
      const states = (await deliveriesOf(server, id)).map((delivery: { status: string }) => delivery.status)
      expect(new Set(states)).toEqual(new Set(['delivered']))
    }
    expect(await server.end()).toBe(0)
  },
  60_000 + KILLS * 4_000,
)
