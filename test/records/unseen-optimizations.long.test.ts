import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, RANDOM_SEED, runs } from '../support/counts.ts'
import { dropIndexes, fillWholeTextIndex } from '../support/indexes.ts'
import { newFolder } from '../support/process.ts'
import type { Row } from '../support/record-oracle.ts'
import { giveTable, queryOf, takeTable } from '../support/records.ts'
import { startService, type TestClock, type TestService, testClock } from '../support/service.ts'
import {
  addAndRemove,
  arbitraryQuery,
  buildOtherIndexes,
  Expected,
  FIELDS,
  growTable,
  pageText,
  partition,
  type QueryCase,
  type TableOptions,
} from '../support/unseen-rows.ts'
import { watch } from '../support/watch.ts'

/*
 * No optimization may be visible. However rows are stored, indexed and cached, and whichever thread and route reads
 * them, every response has the bytes of a plain scan. Responses to related queries are consistent.
 */

const folder = newFolder()
afterAll(() => folder.remove())

interface Table {
  readonly id: string
  readonly name: string
  readonly expected: Expected
  /** Responses that must be the same however rows are stored, keyed by request. */
  readonly first: Map<string, string>
  readonly narrowKey: string
}

let requests = 0

async function textOf({ app }: TestService, key: string | undefined, path: string): Promise<string> {
  requests += 1
  const headers = { authorization: `Bearer ${key}` }
  return (await app.fetch(new Request(`http://localhost/v1/records${path}`, { headers }))).text()
}

const parametersOf = ({ filter, key, direction }: Pick<QueryCase, 'filter' | 'key' | 'direction'>) => ({
  filter,
  sort: key,
  direction,
})

const listPath = (structure: string, query: QueryCase): string =>
  `?${queryOf({ structure, ...parametersOf(query), limit: query.limit, offset: query.offset })}`

/** The same page in a view, narrowed by the first condition. A text condition in the last place is the view's own. */
async function viewText(service: TestService, structure: string, query: QueryCase): Promise<string> {
  const { filter, key, direction, limit, offset } = query
  const [first, ...rest] = filter
  const last = rest.at(-1)
  const search = last?.field === '*' ? last.value : null
  const saved = search === null ? rest : rest.slice(0, -1)
  const { status, body } = await service.post('/v1/records/views', {
    structure,
    name: 'view',
    filter: saved,
    search,
    sort: key,
    direction,
  })
  if (status !== 201) throw new Error(body.error)
  const { id } = body.row_view
  const own = first ? { filter: [first] } : {}
  const text = await textOf(service, service.key, `?${queryOf({ view: id, ...own, limit, offset })}`)
  await service.delete(`/v1/records/views/${id}`)
  return text
}

/** The initial answer of a watch, which begins at the first row. */
async function watchText(service: TestService, structure: string, query: QueryCase): Promise<string> {
  requests += 1
  const opened = await watch(service, structure, { ...parametersOf(query), limit: query.limit })
  const { structure: _, ...answer } = await opened.event('answer')
  await opened.leave()
  return JSON.stringify(answer)
}

const LARGEST_PAGE = 500
const MAX_PAGES = 6

/** Returns the ids of a whole list, page by page, by cursor. */
async function idsByCursor(
  service: TestService,
  { id: structure }: Table,
  query: QueryCase,
): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = 'start'; cursor !== null; ) {
    const parameters = { structure, ...parametersOf(query), limit: LARGEST_PAGE, cursor }
    const page = JSON.parse(await textOf(service, service.key, `?${queryOf(parameters)}`))
    ids.push(...page.records.map((row: Row) => row.id))
    cursor = page.next_cursor
  }
  return ids
}

/** Returns the ids of a whole list, page by page. */
async function idsOf(
  service: TestService,
  { id }: Table,
  query: QueryCase,
  limit: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let offset = 0; ; offset += limit) {
    const page = JSON.parse(await textOf(service, service.key, listPath(id, { ...query, limit, offset })))
    ids.push(...page.records.map((row: Row) => row.id))
    if (!page.has_more) return ids
  }
}

/** Consecutive pages form the list, which contains the row that the filter derives from. */
async function expectPages(service: TestService, table: Table, query: QueryCase, found: readonly Row[]) {
  const limit = Math.max(1, Math.ceil(found.length / 3))
  if (limit > LARGEST_PAGE) return
  const ids = await idsOf(service, table, query, limit)
  expect({ way: 'pages', query, ids }).toEqual({ way: 'pages', query, ids: found.map(({ id }) => id) })
  if (query.pivot !== undefined) expect(ids).toContain(query.pivot)
}

/** A condition, its opposite and "empty" partition the rows, in their order. */
async function expectPartition(service: TestService, table: Table, query: QueryCase) {
  const divided = partition(query.filter)
  if (!divided) return
  const { whole, parts } = divided
  const all = table.expected.found({ ...query, filter: whole })
  if (all.length > LARGEST_PAGE * MAX_PAGES) return
  const ids = await idsByCursor(service, table, { ...query, filter: whole })
  const found: string[][] = []
  for (const filter of parts) found.push(await idsByCursor(service, table, { ...query, filter }))
  const places = new Map(ids.map((id, at) => [id, at]))
  for (const part of found)
    expect({ query, parts, part }).toEqual({
      query,
      parts,
      part: part.toSorted((one, other) => (places.get(one) ?? -1) - (places.get(other) ?? -1)),
    })
  expect({ query, parts, ids: found.flat().sort() }).toEqual({ query, parts, ids: ids.toSorted() })
}

/** Rows count in each of several values. */
const valuesIn = ({ data }: Row, key: string): readonly unknown[] => [data[key] ?? null].flat()

function countedBy(rows: readonly Row[], key: string): Record<string, number> {
  const values = rows.flatMap((row) => valuesIn(row, key).map((value) => JSON.stringify(value)))
  return Object.fromEntries(
    [...Map.groupBy(values, (value) => value)].map(([value, { length }]) => [value, length]),
  )
}

const byValue = <Part extends { value: unknown }>(parts: readonly Part[], number: (part: Part) => number) =>
  Object.fromEntries(parts.map((part) => [JSON.stringify(part.value), number(part)]).filter(([, n]) => n))

/** Summaries and boards count the rows of the list, and are the same however rows are stored. */
async function expectCounts(service: TestService, table: Table, query: QueryCase, found: readonly Row[]) {
  const { id: structure, first } = table
  const { filter } = query
  const same = async (path: string) => {
    const text = await textOf(service, service.key, path)
    const known = first.get(path) ?? text
    first.set(path, known)
    expect({ path, text }).toEqual({ path, text: known })
    return JSON.parse(text)
  }
  const whole = await same(`/summary?${queryOf({ structure, filter })}`)
  expect([query, whole.buckets[0].count]).toEqual([query, found.length])
  for (const by of ['state', 'done', 'tags']) {
    const { buckets } = await same(`/summary?${queryOf({ structure, filter, by })}`)
    const counted = byValue(buckets, ({ count }: { value: unknown; count: number }) => count)
    expect([query, by, counted]).toEqual([query, by, countedBy(found, by)])
    const board = await same(
      `/board?${queryOf({ structure, ...parametersOf(query), group_by: by, limit: 3 })}`,
    )
    const totals = byValue(board.columns, ({ total }: { value: unknown; total: number }) => total)
    expect([query, by, board.total, totals]).toEqual([query, by, found.length, countedBy(found, by)])
    for (const { value, records } of board.columns) {
      const rows = found.filter((row) => valuesIn(row, by).includes(value)).slice(0, 3)
      expect([query, by, value, records]).toEqual([query, by, value, rows])
    }
  }
  await same(`/summary?${queryOf({ structure, filter, field: 'n' })}`)
  await same(`/summary?${queryOf({ structure, filter, field: 'n', by: 'state' })}`)
  await same(`/summary?${queryOf({ structure, filter, field: 'twice', by: 'tags' })}`)
}

async function expectEverywhere(service: TestService, table: Table, query: QueryCase): Promise<void> {
  const { id, expected, narrowKey } = table
  const found = expected.found(query)
  const text = pageText(found, query)
  const path = listPath(id, query)
  const ways: Record<string, () => Promise<string>> = {
    'asked for the first time': () => textOf(service, service.key, path),
    'asked again': () => textOf(service, service.key, path),
    'asked with a narrowed key': () => textOf(service, narrowKey, path),
    'asked after a row came and went': async () => {
      await addAndRemove(service, id)
      return textOf(service, service.key, path)
    },
    'through a view': () => viewText(service, id, query),
  }
  for (const [way, ask] of Object.entries(ways))
    expect({ way, query, text: await ask() }).toEqual({ way, query, text })
  const watched = await watchText(service, id, query)
  expect({ way: 'watched', query, text: watched }).toEqual({
    way: 'watched',
    query,
    text: pageText(found, { ...query, offset: 0 }),
  })
  await expectPages(service, table, query, found)
  await expectPartition(service, table, query)
  await expectCounts(service, table, query, found)
}

type Arrangement = readonly [name: string, arrange: (service: TestService, table: Table) => Promise<void>]

const WITHOUT_INDEXES: Arrangement = ['without indexes', (service, { id }) => dropIndexes(service, id)]
const OTHER_INDEXES: Arrangement = [
  'with indexes built afterwards',
  (service, { id }) => buildOtherIndexes(service, id),
]
const LARGE: readonly Arrangement[] = [
  ['with indexes as they grew, the text index half filled', async () => {}],
  ['with the text index filled', (service, { id }) => fillWholeTextIndex(service, id)],
  WITHOUT_INDEXES,
  OTHER_INDEXES,
]
const SMALL: readonly Arrangement[] = [
  ['among other small ones', async () => {}],
  ['in a table of its own', (service, { name }) => giveTable(service, name)],
  OTHER_INDEXES,
  WITHOUT_INDEXES,
  ['among other small ones again', (service, { name }) => takeTable(service, name)],
]

const THREADS = ['never', 'always'] as const

/** Runs with a new service without cached data, and closes it afterwards. */
async function withService(
  file: string,
  clock: TestClock,
  threads: (typeof THREADS)[number],
  use: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await startService({ file, clock, threads })
  try {
    await use(service)
  } finally {
    service.app.stop()
    await service.ctx.worker.close()
    service.close()
  }
}

async function makeTable(service: TestService, options: TableOptions): Promise<Table> {
  const { id, rows } = await growTable(service, options)
  const { name } = (await service.get(`/v1/records/structures/${id}`)).body.structure
  const access = { notes: 'none', files: 'none', structures: { '*': 'none', [id]: 'read' } } as const
  const narrowKey = await service.newKey({ access })
  return { id, name, expected: new Expected(rows), first: new Map(), narrowKey }
}

const queriesOf = (rows: number) => (rows > 1_000 ? runs(5, 120) : runs(5, 80))

async function expectUnseen(options: TableOptions, arrangements: readonly Arrangement[]): Promise<void> {
  const file = folder.file(`${options.rows}${options.isInOrder}${options.hasIndexes}.db`)
  const clock = testClock()
  let table: Table | undefined
  for (const [name, arrange] of arrangements)
    for (const threads of THREADS) {
      await withService(file, clock, threads, async (service) => {
        table ??= await makeTable(service, options)
        const made = table
        if (threads === THREADS[0]) await arrange(service, made)
        const property = fc.asyncProperty(arbitraryQuery(made.expected.rows), (query) =>
          expectEverywhere(service, made, query),
        )
        try {
          await fc.assert(property, {
            numRuns: queriesOf(options.rows),
            seed: options.seed,
            includeErrorInReport: true,
          })
        } catch (error) {
          const scene = JSON.stringify({ ...options, arrangement: name, threads, fields: FIELDS })
          throw new Error(`DAYBOOK_TEST_SEED=${RANDOM_SEED}, of ${scene}: ${error}`)
        }
      })
    }
}

const TABLES: [TableOptions, readonly Arrangement[]][] = [true, false].flatMap((isInOrder, at) => [
  [{ seed: RANDOM_SEED + at, rows: 170, isInOrder, hasIndexes: false }, SMALL],
  [{ seed: RANDOM_SEED + at, rows: runs(2_600, 6_000), isInOrder, hasIndexes: true }, LARGE],
])

test.each(TABLES)(
  'results equal those of a plain scan byte for byte, however rows are stored, indexed, cached and read (%j)',
  async (options, arrangements) => {
    const before = requests
    await expectUnseen(options, arrangements)
    expect(requests - before).toBeGreaterThan(runs(500, 10_000))
  },
  RANDOM_CASES_MS,
)
