import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rowsOf, wordOfRank } from '../corpus.ts'
import { temporaryFolder } from '../dataset.ts'
import { LINES_REMARK, type Line, measureLines, NUMBER, requestText, type Variant } from '../lines.ts'
import { type Row, rowOf, type Section } from '../results.ts'
import { startFloor, startServer } from '../servers.ts'
import { benchLinkedRows } from './linked-rows.ts'
import { startRows, usedMemoryRow } from './process.ts'
import { pathOf, search } from './record-queries.ts'
import { type Filled, fill } from './records.ts'

/** The indexes that a week of use creates: on two fields queried together, on sort fields, and on a relation. */
const USED_INDEXES = ['f5,f3', 'f3', 'f4', 'f1', 'f7']
const STATUSES = ['open', 'waiting', 'done', 'dropped']
const BATCH = 500
const BATCHES = 40
const MEASURED_IDS = 5_000
const LINKED_ROUNDS = 200

/** A number below the limit, unique for each `at` below the limit. */
const spread = (at: number, limit: number) => (at * 7_368_787) % limit
const statusAt = (at: number) => ({ field: 'status', op: 'eq', value: STATUSES[at % STATUSES.length] })

const listed = (filter: (at: number) => object[]): Line['request'] => {
  return (variant, at) =>
    requestText(variant, 'GET', pathOf({ filter: filter(at), sort: 'amount', limit: '50' }))
}

const searched =
  (wordAt: (at: number) => string): Line['request'] =>
  (variant, at) =>
    requestText(variant, 'GET', pathOf(search('', wordAt(at)).query))

function* newRows(variant: Variant) {
  for (let seed = 2; ; seed++) yield* rowsOf(10_000, variant.notes, seed)
}

const posted = (count?: number): Line['request'] => {
  const rows = new WeakMap<Variant, Generator<object>>()
  return (variant) => {
    const source = rows.get(variant) ?? newRows(variant)
    rows.set(variant, source)
    const row = () => ({ data: source.next().value as object })
    const written = count === undefined ? row() : { rows: Array.from({ length: count }, row) }
    return requestText(variant, 'POST', '/v1/records', { structure: 'entries', ...written })
  }
}

const updated: Line['request'] = (variant, at) =>
  requestText(variant, 'PATCH', `/v1/records/${variant.rows[at % variant.rows.length]}`, {
    data: { amount: NUMBER },
  })

const ALONE = { goal: { max: 0.35 }, minPerSecond: 2_400 }
const LINES: readonly Line[] = [
  {
    what: 'page of 50 and total of one field, known',
    clients: 64,
    goal: { max: 0.45 },
    request: listed((at) => [statusAt(at)]),
  },
  {
    what: 'page of 50 and total of two fields, never requested before',
    clients: 64,
    goal: { max: 0.85 },
    request: listed((at) => [
      statusAt(at),
      { field: 'amount', op: 'lte', value: spread(at, 1_000_000) / 1_000 },
    ]),
  },
  {
    what: 'search of a text that few to 1,000 rows hold, never requested before',
    clients: 4,
    goal: { maxRatio: 2 },
    requests: 3_500,
    request: searched((at) => wordOfRank(500 + spread(at, 19_001))),
  },
  {
    what: 'search of a text that a twentieth to a fifth of the rows hold, again',
    clients: 4,
    goal: { maxRatio: 1 },
    isRepeated: true,
    request: searched((at) => wordOfRank(20 + (at % 40))),
  },
  { what: 'update one row', clients: 64, goal: { max: 0.22 }, minPerSecond: 8_600, request: updated },
  { what: 'update one row', clients: 1, ...ALONE, request: updated },
  { what: 'create one row', clients: 64, goal: { max: 0.22 }, minPerSecond: 8_000, request: posted() },
  { what: 'create one row', clients: 1, ...ALONE, request: posted() },
  {
    what: `create ${BATCH} rows in one request`,
    clients: 1,
    goal: { maxRatio: 2, max: 25 },
    requests: BATCHES,
    request: posted(BATCH),
  },
]

/** The file's bytes per row; the floor is the two tables that hold the values. */
function bytesRow({ data }: Filled, count: number): Row {
  const bytes = (where: string) =>
    data.ctx.db.sql.scalar<number>(`SELECT sum(pgsize) FROM dbstat WHERE aggregate = 0 ${where}`) / count
  const [all, values] = [bytes(''), bytes("AND name IN ('records', 'rows_1')")]
  return rowOf({
    what: 'bytes a row, with five indexes and the text index (floor: the tables of the values)',
    show: (value) => `${value.toFixed(0)} B`,
    daybook: all,
    floor: values,
    goal: { max: 850 },
  })
}

async function benchSize(count: number): Promise<Section> {
  const file = join(temporaryFolder(), 'rows.db')
  const filled = await fill(file, count, USED_INDEXES)
  const { data, notes } = filled
  const bytes = bytesRow(filled, count)
  const rows = data.ctx.db.sql.column<string>('SELECT id FROM records ORDER BY pk LIMIT ?', MEASURED_IDS)
  data.close()
  const copy = `${file}.copy`
  copyFileSync(file, copy)
  const raw = await startFloor(copy, `${file}.raw`)
  const starts = await startRows({ file, key: data.key, structure: 'entries' })
  const server = await startServer(file)
  const named = { key: data.key, rows, notes }
  const lines = await measureLines(LINES, { ...named, server }, { ...named, server: raw })
  const memory = await usedMemoryRow(server, raw)
  await Promise.all([server.stop(), raw.stop()])
  for (const name of [file, copy, `${file}.raw`]) rmSync(name, { force: true })
  return {
    title: `Rows in use, ${count.toLocaleString('en-US')} of about 340 bytes`,
    rows: [...lines, memory, ...starts, bytes],
    remark: LINES_REMARK,
  }
}

/** Measures single requests on tables in their state after some time of use. */
export async function benchRows(sizes: readonly number[], linked: number): Promise<Section[]> {
  const sections = [await benchLinkedRows(linked, LINKED_ROUNDS)]
  for (const size of sizes) sections.push(await benchSize(size))
  return sections
}
