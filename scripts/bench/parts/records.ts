import { Database } from 'bun:sqlite'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { settle } from '../../../src/kernel/job-steps.ts'
import { writeRecords } from '../../../src/records/rows/writing/write-records.ts'
import { createStructure } from '../../../src/records/structures/service.ts'
import { buildAutoIndex } from '../../../src/records/structures/storage/auto-index.ts'
import { TEXT_INDEX, textIndexFill } from '../../../src/records/structures/storage/text-index.ts'
import { RecordsBaseline } from '../baselines.ts'
import { columnsOf, type Data, INDEXED_COLUMNS, ROW_FIELDS, rowsOf, wordOfRank } from '../corpus.ts'
import { type Dataset, openDataset, temporaryFolder } from '../dataset.ts'
import { type Action, interleaved, median, type Times } from '../measure.ts'
import { type Goal, growthRow, milliseconds, type Row, rowOf, type Section, timesRow } from '../results.ts'
import { measureRate, startServer } from '../servers.ts'
import { measurePair } from './record-pairs.ts'
import { filtersOf, pathOf, type RecordQuery, SCANNED, SORTED, search, TWO } from './record-queries.ts'

const MAX_GROWTH = 3
const BATCH = 500
const NOTES = 200
/** The goals of reads apply from this many rows; with fewer, the fixed cost of a request dominates. */
const READ_GOALS_FROM = 1_000_000

export interface Filled {
  data: Dataset
  pk: number
  notes: string[]
  /** The build time of each automatic index. */
  buildMs: number[]
  /** The time to fill the search table. */
  searchMs: number
}

/** Creates a database with this many rows, these automatic indexes and the text index. */
export async function fill(
  file: string,
  count: number,
  columns: readonly string[] = Object.values(INDEXED_COLUMNS),
): Promise<Filled> {
  const data = await openDataset(file)
  const { ctx, caller } = data
  const pk = await ctx.db.write(
    (tx): number =>
      createStructure(tx, caller, {
        name: 'entries',
        fields: ROW_FIELDS.map((field) => ({
          ...field,
          options: 'options' in field ? [...field.options] : null,
        })),
      }).pk,
  )
  const notes: string[] = []
  for (let at = 0; at < NOTES; at++) {
    const answer = await data.fetch('/v1/notes', post(data, { title: `Note ${at}` }))
    notes.push(((await answer.json()) as { note: { id: string } }).note.id)
  }
  const rows = rowsOf(count, notes)
  for (let made = 0; made < count; made += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - made) }, () => ({
      data: rows.next().value as Data,
    }))
    await ctx.db.write((tx): void => {
      writeRecords(tx, caller, { structure: 'entries', rows: batch })
    })
  }
  const buildMs: number[] = []
  for (const column of columns) {
    const started = performance.now()
    await buildAutoIndex(ctx, { structurePk: pk, column })
    buildMs.push(performance.now() - started)
  }
  const started = performance.now()
  await buildAutoIndex(ctx, { structurePk: pk, column: TEXT_INDEX })
  await settle(ctx, textIndexFill, pk)
  const searchMs = performance.now() - started
  ctx.db.checkpoint()
  return { data, pk, notes, buildMs, searchMs }
}

const post = ({ key }: Dataset, body: unknown, method = 'POST'): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${key}` },
  body: JSON.stringify(body),
})

/** Compares the service with the baseline and collects the rows of the results. */
class Bench {
  readonly rows: Row[] = []

  constructor(
    readonly data: Dataset,
    readonly raw: RecordsBaseline,
    readonly count: number,
    readonly rounds: number,
    readonly id: string,
  ) {}

  async read(path: string): Promise<void> {
    const answer = await this.data.fetch(path)
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    await answer.text()
  }

  async compare(what: string, daybook: Action, floor: Action, goal: Goal, slow = false): Promise<Times> {
    const rounds = slow ? Math.max(5, Math.round(this.rounds / 20)) : this.rounds
    const times = await interleaved({ daybook, floor }, rounds)
    this.rows.push(timesRow(what, times.daybook, times.floor, goal))
    return times.daybook
  }

  #readGoal(goal: Goal): Goal {
    return this.count >= READ_GOALS_FROM ? goal : {}
  }

  compareReads(what: string, daybook: Action, floor: Action, goal: Goal, slow = false): Promise<Times> {
    return this.compare(what, daybook, floor, this.#readGoal(goal), slow)
  }

  /** Measures the first page with its total cached; the baseline reads no total at all. */
  firstPage({ what, query, where, order }: RecordQuery, goal: Goal, offset = 0): Promise<Times> {
    const from = `FROM rows ${where.replace('{amount}', 'raw_amount')} ${order}`
    const slow = offset > 0 && this.count > 200_000
    return this.compareReads(
      `page ${what}${offset > 0 ? ', at half' : ''}`,
      () => this.read(pathOf(query, offset)),
      () => this.raw.page(from, 50, offset, undefined),
      goal,
      slow || goal.maxRatio === 1.2,
    )
  }

  /** Measures the first page with its exact total, recounted after a write. */
  async counted({ what, query, where, order }: RecordQuery, goal: Goal): Promise<void> {
    const samples = { daybook: [] as number[], floor: [] as number[] }
    const from = `FROM rows ${where}`
    for (let round = -1; round < Math.max(5, Math.round(this.rounds / 10)); round++) {
      await this.data.fetch(
        `/v1/records/${this.id}`,
        post(this.data, { data: { paid: round % 2 === 0 } }, 'PATCH'),
      )
      const started = performance.now()
      await this.read(pathOf(query))
      const between = performance.now()
      this.raw.page(`${from} ${order}`, 50, 0, this.raw.count(from))
      if (round < 0) continue
      samples.floor.push(performance.now() - between)
      samples.daybook.push(between - started)
    }
    const [daybook, floor] = [samples.daybook, samples.floor].map((list) => ({
      median: median(list),
      p99: Math.max(...list),
    })) as [Times, Times]
    this.rows.push(timesRow(`page and total ${what}`, daybook, floor, this.#readGoal(goal)))
  }
}

async function readRows(bench: Bench, notes: readonly string[]): Promise<Map<string, number>> {
  const firsts = new Map<string, number>()
  for (const query of [...filtersOf(notes).slice(0, 8), ...TWO]) {
    const { median: time } = await bench.firstPage(query, { maxRatio: 2, max: 10 })
    firsts.set(query.what, time)
  }
  for (const query of SORTED) await bench.firstPage(query, { maxRatio: 2, max: 10 })
  for (const query of SORTED) await bench.firstPage(query, {}, Math.floor(bench.count / 2))
  for (const query of SCANNED) await bench.firstPage(query, { maxRatio: 1.2 })
  for (const query of filtersOf(notes)) {
    const isIndexed = query.what.endsWith('(index)')
    await bench.counted(query, isIndexed ? { max: 50 } : { maxRatio: 1.2 })
  }
  for (const query of TWO.slice(0, 1)) await bench.counted(query, {})
  await bench.compareReads(
    'read one by id',
    () => bench.read(`/v1/records/${bench.id}`),
    () => bench.raw.one(bench.id),
    { max: 1 },
  )
  await bench.counted(search('* a rare word', wordOfRank(15_000)), { max: 50 })
  await bench.counted(search('* a common word', wordOfRank(20)), { maxRatio: 1.2 })
  await summaryRows(bench)
  return firsts
}

async function summaryRows(bench: Bench): Promise<void> {
  const path = (more: string) => `/v1/records/summary?structure=entries&field=amount&${more}`
  const { raw } = bench
  const slow = bench.count > 10_000
  await bench.compareReads(
    'summary per month',
    () => bench.read(path('period=month&date=due')),
    () => raw.groups('substr(f4, 1, 7)', 'f3'),
    { maxRatio: 1.2 },
    slow,
  )
  await bench.compareReads(
    'summary per value',
    () => bench.read(path('by=status')),
    () => raw.groups('f5', 'f3'),
    { maxRatio: 1.2 },
    slow,
  )
  await bench.compareReads(
    'summary of the whole',
    () => bench.read(path('')),
    () => raw.groups("''", 'f3'),
    { maxRatio: 1.2 },
    slow,
  )
}

interface Written {
  create: number
  patch: number
}

async function aloneRows(
  bench: Bench,
  notes: readonly string[],
  floor: RecordsBaseline,
  ids: readonly string[],
): Promise<Written> {
  const { data, rounds } = bench
  const rows = [...rowsOf(rounds * 4, notes, 2)]
  let at = 0
  const row = () => rows[at++ % rows.length] ?? {}
  const sent = async (path: string, init: RequestInit) => {
    const answer = await data.fetch(path, init)
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    await answer.text()
  }
  const raw = (data: Data) => ({ data, columns: columnsOf(data) })
  const create = await bench.compare(
    'create one, alone',
    () => sent('/v1/records', post(data, { structure: 'entries', data: row() })),
    () => floor.create([raw(row())]),
    {},
  )
  const patch = await bench.compare(
    'PATCH one number, alone',
    () => sent(`/v1/records/${ids[at++ % ids.length]}`, post(data, { data: { amount: at } }, 'PATCH')),
    () => floor.patch((at++ % ids.length) + 1, 'amount', 'f3', at),
    {},
  )
  return { create: create.median, patch: patch.median }
}

const MAX_LIGHT_MS = 5

/** Measures light requests on a served copy while heavy reads run. */
async function servedRows(bench: Bench, file: string): Promise<void> {
  const server = await startServer(file)
  const { data } = bench
  const http = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${data.key}\r\n\r\n`
  const light = ['/v1/records?structure=entries&limit=5', '/v1/me'].map(http)
  const quiet = await measureRate(server, light, 4)
  const worker = startHeavyReads(server.port, data.key)
  const busy = await measureRate(server, light, 4)
  const answered = await worker.stop()
  bench.rows.push(
    rowOf({
      what: `p99 of light requests while ${answered} heavy reads are answered (floor: none run)`,
      show: milliseconds,
      daybook: busy.p99,
      floor: quiet.p99,
      goal: { max: MAX_LIGHT_MS },
    }),
  )
  await server.stop()
}

/** Sends summaries, searches and sorts over all rows in sequence until stopped; `stop` returns their number. */
function startHeavyReads(port: number, key: string): { stop(): Promise<number> } {
  const paths = [
    '/v1/records/summary?structure=entries&field=amount&period=month&date=due',
    pathOf({ filter: [{ field: '*', op: 'contains', value: wordOfRank(15_000) }] }),
    pathOf({ sort: 'city' }),
  ]
  let stopping = false
  let answered = 0
  const run = async () => {
    while (!stopping) {
      const path = paths[answered % paths.length]
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      await answer.text()
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
      answered += 1
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping = true
      await running
      return answered
    },
  }
}

/** Uses its own connection, because the service's connection is in a read transaction. */
function copyDatabase(file: string, copy: string): void {
  const database = new Database(file)
  database.query('VACUUM INTO ?').run(copy)
  database.close()
}

const MEASURED_IDS = 500

/** Indexes on the columns of `INDEXED_COLUMNS`, with texts folded, as lists sort them. */
const RAW_INDEXES = {
  raw_title: 'coalesce(g1, f1), pk, f1',
  raw_amount: 'f3',
  raw_due: 'f4',
  raw_status: 'coalesce(g5, f5), pk, f5',
  raw_note: 'f7',
}

async function benchSize(count: number, rounds: number) {
  const folder = temporaryFolder()
  const file = join(folder, 'records.db')
  const { data, pk, notes, buildMs, searchMs } = await fill(file, count)
  const copy = join(folder, 'raw.db')
  copyDatabase(file, copy)
  const served = join(folder, 'served.db')
  copyFileSync(copy, served)
  const ids = data.ctx.db.sql.column<string>('SELECT id FROM records ORDER BY pk LIMIT ?', MEASURED_IDS)
  const floor = new RecordsBaseline(copy, pk)
  floor.useOwnIndexes(RAW_INDEXES)
  const bench = new Bench(data, floor, count, rounds, ids[0] ?? '')
  const firsts = await readRows(bench, notes)
  const pair = await measurePair(data, floor, Math.max(5, Math.round(rounds / 10)))
  const pairGoal = count >= READ_GOALS_FROM ? { maxRatio: 2, max: 20 } : {}
  bench.rows.push(
    timesRow('page and total status eq and amount gt, by amount', pair.daybook, pair.floor, pairGoal),
  )
  const written = await aloneRows(bench, notes, floor, ids)
  await servedRows(bench, served)
  floor.close()
  data.close()
  for (const name of ['records.db', 'raw.db', 'served.db']) rmSync(join(folder, name), { force: true })
  const built = `Making the five indexes took ${buildMs.map(milliseconds).join(', ')}, the search table ${milliseconds(searchMs)}.`
  const title = `Records, ${count.toLocaleString('en-US')} of about 340 bytes`
  return { section: { title, rows: bench.rows, remark: built }, firsts, written }
}

/** Returns a section for each size, and one that compares the largest with the smallest. */
export async function benchRecords(sizes: readonly number[], rounds: number): Promise<Section[]> {
  const results: Awaited<ReturnType<typeof benchSize>>[] = []
  for (const size of sizes) {
    const result = await benchSize(size, rounds)
    results.push(result)
  }
  const [small, large] = [results[0], results.at(-1)]
  if (!small || !large) return []
  const growth = (what: string, before: number, after: number) => growthRow(what, before, after, MAX_GROWTH)
  const rows = [
    growth('create one, alone', small.written.create, large.written.create),
    growth('PATCH one number, alone', small.written.patch, large.written.patch),
    ...[...large.firsts].map(([what, after]) =>
      growth(`page ${what}`, small.firsts.get(what) ?? Number.NaN, after),
    ),
  ]
  const title = `Records, growth from ${sizes[0]?.toLocaleString('en-US')} (floor) to ${sizes.at(-1)?.toLocaleString('en-US')}`
  return [...results.map(({ section }) => section), { title, rows }]
}
