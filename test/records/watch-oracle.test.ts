import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { newFolder } from '../support/process.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  type Row,
  sortKeys,
  withIds,
} from '../support/record-oracle.ts'
import { declare, type FieldSpec, list } from '../support/records.ts'
import { settle, startService, type TestService, testClock } from '../support/service.ts'
import { type Watch, watch } from '../support/watch.ts'

let service: TestService
let count = 0
const folder = newFolder()

const close = () => {
  service.app.stop()
  service.close()
}

/** On a file, where reads use a separate connection. */
const start = (clock = testClock()) => startService({ file: folder.file('oracle.db'), clock })

beforeAll(async () => {
  service = await start()
})
afterAll(() => {
  close()
  folder.remove()
})

/** Restarts the server, which loses all cached pages. */
async function restart(): Promise<void> {
  close()
  service = await start(testClock(service.clock.now()))
}

const arbitraryQuery = (fields: readonly FieldSpec[]) =>
  fc.record({
    filter: arbitraryFilter(fields),
    sort: fc.constantFrom(...sortKeys(fields)),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 8 }),
  })

const rowsOf = (fields: readonly FieldSpec[]) =>
  fc.array(arbitraryData(fields), { minLength: 1, maxLength: 6 })

/** One event. Rows are named by their index among all rows that ever existed. */
const arbitraryEvent = (fields: readonly FieldSpec[]) =>
  fc.oneof(
    fc.record({ does: fc.constant('write' as const), rows: rowsOf(fields) }),
    fc.record({ does: fc.constant('patch' as const), at: fc.nat(30), data: arbitraryData(fields) }),
    fc.record({ does: fc.constant('delete' as const), at: fc.nat(30) }),
    fc.record({ does: fc.constant('restore' as const), at: fc.nat(30) }),
    fc.record({ does: fc.constant('wait' as const), milliseconds: fc.nat(300) }),
  )

/**
 * At the end of each step every reader catches up. One reader may have been disconnected meanwhile, or all of them, if
 * the server restarted after some of the events.
 */
const arbitraryScene = arbitraryFields.chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    first: rowsOf(fields),
    queries: fc.array(arbitraryQuery(fields), { minLength: 2, maxLength: 4 }),
    steps: fc.array(
      fc.record({
        events: fc.array(arbitraryEvent(fields), { maxLength: 6 }),
        away: fc.option(fc.nat(3), { freq: 2 }),
        restartsAfter: fc.nat(30),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  }),
)

type Scene = typeof arbitraryScene extends fc.Arbitrary<infer Value> ? Value : never
type Event = Scene['steps'][number]['events'][number]

interface Answer {
  records: Row[]
  total: number
  has_more: boolean
  changes?: { created: Row[]; updated: Row[]; removed: string[] }
}

class Reader {
  /** The page that results from the changes. */
  #page = new Map<string, Row>()
  #last: Omit<Answer, 'changes'> | undefined

  private constructor(
    private readonly structure: string,
    private readonly query: Record<string, unknown>,
    private watch: Watch,
  ) {}

  static async open(structure: string, query: Record<string, unknown>): Promise<Reader> {
    const reader = new Reader(structure, query, await watch(service, structure, query))
    const { structure: _, ...first } = await reader.watch.event('answer')
    reader.#begin(first)
    await reader.catchUp()
    return reader
  }

  leave(): Promise<void> {
    return this.watch.leave()
  }

  async reconnect(hasRestarted: boolean): Promise<void> {
    const headers = { 'last-event-id': this.watch.lastId ?? '' }
    this.watch = await watch(service, this.structure, { ...this.query, headers })
    const { resumed, structure: _, ...answer } = await this.watch.event('answer')
    expect(resumed || hasRestarted).toBe(true)
    if (resumed) this.#receive(answer)
    else this.#begin(answer)
  }

  /** Handles an answer without changes. */
  #begin(answer: Answer): void {
    expect(answer).not.toHaveProperty('changes')
    this.#page = pageOf(answer)
    this.#last = answer
  }

  /** Reads until the stream matches the current list. */
  async catchUp(): Promise<void> {
    const { body } = await list(service, this.structure, { ...this.query, changes: undefined })
    do {
      if (!Bun.deepEquals(this.#last, body)) this.#receive(await this.watch.event('answer'))
      for (const item of await this.watch.rest()) if ('event' in item) this.#receive(item.data)
    } while (!Bun.deepEquals(this.#last, body))
  }

  /** The changes, applied to the previous page, must yield the page. */
  #receive({ records, total, has_more, changes }: Answer): void {
    expect(changes).toBeDefined()
    const { created = [], updated = [], removed = [] } = changes ?? {}
    for (const id of removed) expect([id, this.#page.delete(id)]).toEqual([id, true])
    for (const row of created) expect([row.id, this.#page.has(row.id)]).toEqual([row.id, false])
    for (const row of updated) expect([row, this.#page.get(row.id)]).not.toEqual([row, row])
    for (const row of updated) expect([row.id, this.#page.has(row.id)]).toEqual([row.id, true])
    for (const row of [...created, ...updated]) this.#page.set(row.id, row)
    expect(pageOf({ records })).toEqual(this.#page)
    this.#last = { records, total, has_more }
  }
}

const pageOf = ({ records }: Pick<Answer, 'records'>) => new Map(records.map((row) => [row.id, row]))

async function perform(structure: string, rows: Row[], event: Event): Promise<void> {
  if (event.does === 'wait') {
    await settle()
    service.clock.advance(event.milliseconds)
  } else if (event.does === 'write') {
    const sent = event.rows.map((data) => ({ data }))
    rows.push(...(await service.post('/v1/records', { structure, rows: sent })).body.records)
  } else {
    const row = rows[event.at % rows.length]
    if (event.does === 'patch') await service.patch(`/v1/records/${row?.id}`, { data: event.data })
    else if (event.does === 'delete') await service.delete(`/v1/records/${row?.id}`)
    else await service.post(`/v1/records/${row?.id}/restore`)
  }
}

test(
  'changes applied to one page give the next, and every page equals that of the list',
  async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryScene, async ({ fields, first, queries, steps }) => {
        const name = `scene ${++count}`
        await declare(service, name, fields)
        const rows: Row[] = []
        await perform(name, rows, { does: 'write', rows: first })
        const readers = await Promise.all(
          queries.map(({ filter, ...query }) =>
            Reader.open(name, { ...query, filter: withIds(filter, rows), changes: true }),
          ),
        )
        for (const { events, away, restartsAfter } of steps) {
          const restarts = restartsAfter < events.length
          const absent = restarts ? readers : readers.filter((_, at) => at === away)
          for (const reader of absent) await reader.leave()
          for (const [at, event] of events.entries()) {
            if (at === restartsAfter) await restart()
            await perform(name, rows, event)
          }
          for (const reader of absent) await reader.reconnect(restarts)
          await settle()
          service.clock.advance(250)
          for (const reader of readers) await reader.catchUp()
        }
        for (const reader of readers) await reader.leave()
      }),
      { numRuns: runs(15, 1500) },
    )
    expect(service.app.watching()).toEqual({ channels: 0, readers: 0 })
  },
  RANDOM_CASES_MS,
)
