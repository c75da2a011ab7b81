import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runs } from '../../support/counts.ts'
import { gapFaults, orderFaults } from '../../support/event-oracles.ts'
import { type Change, killed } from '../../support/kills.ts'
import { everyPage } from '../../support/pages.ts'
import type { ServerProcess } from '../../support/process.ts'
import { type Receiver, startReceiver, status } from '../../support/receiver.ts'
import { declare } from '../../support/records.ts'
import { deliveriesOf, subscribe, until, type WebhookOptions } from '../../support/webhooks.ts'

const DELIVERIES_KILLS = runs(3, 100)
const MOMENTS_KILLS = runs(5, 1_000)
const args = ['--webhook-allow', '127.0.0.1']

let receiver: Receiver

/** Rows with an ordered event that was not answered yet, by the socket that carries it. */
const unanswered = new Map<string, unknown>()
/** Ordered events that arrived before the one before of their row was answered. */
const early: string[] = []

beforeAll(async () => {
  receiver = await startReceiver({
    answer: (received, socket) => {
      const row = received.path === '/ordered' ? JSON.parse(received.body).record.id : undefined
      const isOpen = unanswered.has(row) && !(unanswered.get(row) as typeof socket).destroyed
      if (isOpen) early.push(received.body)
      if (row !== undefined) unanswered.set(row, socket)
      // Slow responses are unanswered at most kills; the others keep up with the writers.
      const count = receiver.received.length
      setTimeout(
        () => {
          if (unanswered.get(row) === socket) unanswered.delete(row)
          status(200)(received, socket)
        },
        count % 5 === 0 ? count % 25 : 0,
      )
    },
  })
})
afterAll(() => receiver.close())

const url = (path: string) => `http://127.0.0.1:${receiver.port}${path}`
const arrived = (path: string) =>
  receiver.received.filter((received) => received.path === path).map(({ body }) => JSON.parse(body))
/** No delivery stays pending forever: each reaches a final state. */
const whenDelivered = (server: ServerProcess, webhook: string) =>
  until(
    async () =>
      (await server.get(`/v1/webhooks/${webhook}/deliveries?status=pending`)).body.deliveries.length === 0,
  )

/** Every number arrives, and no event of a row arrives after a later one of it. */
function expectOrder(events: readonly { sequence: number; record: { id: string } }[]): void {
  expect(orderFaults(events.map(({ sequence, record }) => ({ sequence, object: record.id })))).toEqual([])
  expect(gapFaults(events.map(({ sequence }) => sequence))).toEqual([])
}

test(
  'a kill at any moment loses no event of a committed change, and creates no other',
  () => {
    /** Returns the event type of a change and its mark: each combination is unique. */
    const eventOf = new Map<Change, string>()
    const webhooks: { path: string; id: string }[] = []
    return killed({
      kills: DELIVERIES_KILLS,
      writers: 8,
      args,
      after: (kill) => 12 + ((kill * 53) % 90),
      prepare: async (server) => {
        await declare(server, 'Marks', [
          { key: 'row', type: 'text' },
          { key: 'mark', type: 'text' },
        ])
        for (const [path, options] of [
          ['/all', {}],
          ['/changes', { events: ['record.updated'] }],
          ['/ordered', { ordered: true }],
        ] satisfies [string, WebhookOptions][]) {
          webhooks.push({ path, id: (await subscribe(server, 'Marks', url(path), options)).id })
        }
      },
      next: ({ name, count, objects, random }) => {
        const mark = `${name} ${count}`
        const [row = mark, stored] = count % 3 === 1 ? [] : ([...objects][random(objects.size)] ?? [])
        const path = `/v1/records/${stored?.id}`
        const body = { structure: 'Marks', rows: [{ data: { row, mark } }] }
        const [type, state, send]: [string, string | undefined, Change['send']] = !stored
          ? ['created', mark, (server) => server.post('/v1/records', body)]
          : count % 6 === 0
            ? ['deleted', undefined, (server) => server.delete(path)]
            : ['updated', mark, (server) => server.patch(path, { data: { mark } })]
        const change: Change = { subject: row, state, send }
        eventOf.set(change, `record.${type} ${state ?? stored?.state}`)
        return change
      },
      found: async (server) => {
        const rows = await everyPage(server, '/v1/records?structure=Marks&limit=500', 'records')
        return new Map(rows.map(({ id, data }) => [data.row, { id, state: data.mark }]))
      },
      finish: async (server, happened) => {
        for (const { path, id } of webhooks) {
          await whenDelivered(server, id)
          if (path === '/ordered') expectOrder(arrived(path))
          expect(early).toEqual([])
          const wanted = happened.map((change) => eventOf.get(change) ?? '')
          const events = Map.groupBy(arrived(path), ({ type, record }) => `${type} ${record.data.mark}`)
          expect([...events.keys()].sort()).toEqual(
            wanted.filter((event) => path !== '/changes' || event.startsWith('record.updated')).sort(),
          )
          const ids = [...events.values()].map(
            (copies) => new Set(copies.map((copy) => JSON.stringify(copy))),
          )
          expect(ids.filter(({ size }) => size !== 1)).toEqual([])
          expect(new Set(arrived(path).map((event) => event.id)).size).toBe(events.size)
          const states = (await deliveriesOf(server, id)).map(
            (delivery: { status: string }) => delivery.status,
          )
          expect(new Set(states)).toEqual(new Set(['delivered']))
        }
      },
    })
  },
  60_000 + DELIVERIES_KILLS * 4_000,
)

test(
  'kills around due times and quiet times lose and repeat nothing',
  () => {
    let due = ''
    /** Rows written before their moment. On a busy machine the write may take longer; then no event is sent. */
    const coming = new Set<string>()
    return killed({
      kills: MOMENTS_KILLS,
      writers: 3,
      args,
      after: (kill) => 60 + ((kill * 17) % 50),
      prepare: async (server) => {
        await declare(server, 'Days', [
          { key: 'mark', type: 'text' },
          { key: 'comes', type: 'datetime' },
        ])
        const events = ['record.due']
        due = (await subscribe(server, 'Days', url('/due'), { events, due: { field: 'comes' } })).id
        const notes = { kind: 'note', url: url('/notes'), events: ['note.updated'], quiet_seconds: 1 }
        expect((await server.post('/v1/webhooks', notes)).status).toBe(201)
      },
      next: ({ name, count, objects, random }) => {
        const mark = `${name} ${count}`
        if (name !== 'writer 0') {
          const comes = new Date(Date.now() + 100 + random(50)).toISOString()
          const body = { structure: 'Days', data: { mark, comes } }
          return { subject: mark, state: comes, send: (server) => server.post('/v1/records', body) }
        }
        const title = `title ${count}`
        const [note, stored] = objects.size < 5 ? [] : ([...objects][random(5)] ?? [])
        if (note === undefined || !stored) {
          const body = { title, alias: `note-${count}` }
          return { subject: body.alias, state: title, send: (server) => server.post('/v1/notes', body) }
        }
        return {
          subject: note,
          state: title,
          send: (server) => server.patch(`/v1/notes/${stored.id}`, { title }),
        }
      },
      found: async (server) => {
        const rows = await everyPage(server, '/v1/records?structure=Days&limit=500', 'records')
        for (const { data, created_at } of rows) if (created_at < data.comes) coming.add(data.mark)
        const notes = await everyPage(server, '/v1/notes?limit=200', 'notes')
        return new Map([
          ...rows.map(({ id, data }) => [data.mark, { id, state: data.comes }] as const),
          ...notes.map(({ id, alias, title }) => [alias, { id, state: title }] as const),
        ])
      },
      finish: async (server, happened) => {
        const marks = () => Map.groupBy(arrived('/due'), ({ record }) => record.data.mark as string)
        await until(() => coming.isSubsetOf(marks()))
        await whenDelivered(server, due)
        for (const copies of marks().values()) expect(new Set(copies.map(({ id }) => id)).size).toBe(1)
        expect(coming.size).toBeGreaterThan(happened.length * 0.4)
        const notes = Map.groupBy(
          happened.filter(({ subject }) => subject.startsWith('note-')),
          ({ subject }) => subject,
        )
        for (const [_created, ...updates] of notes.values()) {
          const title = updates.at(-1)?.state
          if (title) await until(() => arrived('/notes').some(({ data }) => data.note.title === title))
        }
      },
    })
  },
  120_000 + MOMENTS_KILLS * 4_000,
)
