import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildAutoIndex } from '../../../src/structures/storage/auto-index.ts'
import { RecordsBaseline } from '../baselines.ts'
import { columnsOf, rowsOf, wordOfRank } from '../corpus.ts'
import { temporaryFolder } from '../dataset.ts'
import { median } from '../measure.ts'
import { milliseconds, perSecond, type Row, type Section } from '../results.ts'
import { measureRate, processorTime, type Server, startServer } from '../servers.ts'
import { pathOf, search } from './record-queries.ts'
import { type Filled, fill } from './records.ts'

const CLIENTS = 8
/** More than are sent while they are measured. */
const REQUESTS = 20_000
const BATCH = 500
const BATCHES = 9
const WRITES_PER_SECOND = 20
/** A batch is followed by work that nobody waits for; after this time it is done. */
const SETTLED_MS = 1_500

/** What requests cost the server. */
interface Cost {
  readonly perSecond: number
  /** The processor time of the whole process for each, in milliseconds. */
  readonly processorMs: number
}

class RowsBench {
  readonly rows: Row[] = []

  constructor(
    readonly filled: Pick<Filled, 'notes'> & { readonly key: string },
    readonly server: Server,
    readonly raw: RecordsBaseline,
  ) {}

  #request(method: string, path: string, body = ''): string {
    return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${this.filled.key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  }

  /** The second of two measurements: the first gives the service reason to make what it needs. */
  async reads(path: (at: number) => string): Promise<Cost> {
    const requests = (from: number) =>
      Array.from({ length: REQUESTS }, (_, at) => this.#request('GET', path(from + at)))
    await measureRate(this.server, requests(REQUESTS), CLIENTS)
    const before = processorTime(this.server)
    const { perSecond, count } = await measureRate(this.server, requests(0), CLIENTS)
    return { perSecond, processorMs: (processorTime(this.server) - before) / count }
  }

  row(what: string, daybook: Cost, floor: Cost): void {
    const text = (cost: Cost) =>
      `${perSecond(cost.perSecond)}, ${milliseconds(cost.processorMs)} of processor`
    this.rows.push({
      what,
      daybook: text(daybook),
      floor: text(floor),
      ratio: (daybook.perSecond / floor.perSecond).toFixed(2),
      goal: '',
      met: undefined,
    })
  }

  /** Equality on one field and a range of another, never the same; the baseline has the index that is best for it. */
  async pairs(): Promise<void> {
    const low = (at: number) => 300 + at / 1_000
    const daybook = await this.reads((at) =>
      pathOf({
        filter: [
          { field: 'status', op: 'eq', value: 'done' },
          { field: 'amount', op: 'gt', value: low(at) },
        ],
        sort: 'amount',
      }),
    )
    const floor = floorOf((at) => {
      const from = `FROM rows WHERE f5 = 'done' AND f3 > ${low(at)}`
      this.raw.page(`${from} ORDER BY f3 DESC, pk DESC`, 50, 0, this.raw.count(from))
    })
    this.row(`page of 50 and total of two fields, never the same, ${CLIENTS} clients`, daybook, floor)
  }

  /** Words that a fifth to a twentieth of the rows hold, each asked for the first time, while rows are written. */
  newWords(): Promise<void> {
    // The first measurement asks for others, which fewer rows hold.
    const wordOf = (at: number) => wordOfRank(at < REQUESTS ? 20 + at : 500 + (at % 1_000))
    return this.#search('words never asked for before', wordOf)
  }

  /** Some of the same, again and again. */
  words(): Promise<void> {
    return this.#search('80 words in turn', (at) => wordOfRank(20 + (at % 80)))
  }

  async #search(what: string, wordOf: (at: number) => string): Promise<void> {
    const stop = this.#writeRows()
    const daybook = await this.reads((at) => pathOf(search('', wordOf(at)).query))
    await stop()
    const floor = floorOf((at) => {
      const { where, order } = search('', wordOf(at))
      this.raw.page(`FROM rows ${where} ${order}`, 50, 0, this.raw.count(`FROM rows ${where}`))
    })
    this.row(`search of ${what} beside ${WRITES_PER_SECOND} writes a second`, daybook, floor)
  }

  #writeRows(): () => Promise<void> {
    let isStopped = false
    const write = async () => {
      for (const data of rowsOf(REQUESTS, this.filled.notes, 4)) {
        if (isStopped) return
        await this.#post(JSON.stringify({ structure: 'entries', data }))
        await Bun.sleep(1_000 / WRITES_PER_SECOND)
      }
    }
    const written = write()
    return () => {
      isStopped = true
      return written
    }
  }

  async #post(body: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.filled.key}`, 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${this.server.port}/v1/records`
    const answer = await fetch(url, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`a write answered ${answer.status}: ${await answer.text()}`)
    await answer.text()
  }

  /** The processor time of a batch before the response, and with the work that follows it. */
  async batches(): Promise<void> {
    const rows = [...rowsOf(BATCH * BATCHES, this.filled.notes, 5)]
    const [before, whole, floor]: number[][] = [[], [], []]
    for (let at = 0; at < rows.length; at += BATCH) {
      const batch = rows.slice(at, at + BATCH)
      const body = JSON.stringify({ structure: 'entries', rows: batch.map((data) => ({ data })) })
      const started = processorTime(this.server)
      await this.#post(body)
      before?.push(processorTime(this.server) - started)
      await Bun.sleep(SETTLED_MS)
      whole?.push(processorTime(this.server) - started)
      const columns = batch.map((data) => ({ data, columns: columnsOf(data) }))
      floor?.push(processorOf(() => this.raw.create(columns)))
    }
    const [ours = 0, all = 0, raw = 0] = [before, whole, floor].map((samples) => median(samples ?? []))
    this.rows.push({
      what: `batch of ${BATCH}: processor time before the response, and with what follows`,
      daybook: `${milliseconds(ours)}, ${milliseconds(all)}`,
      floor: milliseconds(raw),
      ratio: (ours / raw).toFixed(2),
      goal: '',
      met: undefined,
    })
  }
}

/** The processor time that an action takes in this process, in milliseconds. */
function processorOf(action: () => void): number {
  const before = process.cpuUsage()
  action()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const FLOOR_MS = 1_000

/** One thread that runs an action again and again. */
function floorOf(action: (at: number) => void): Cost {
  let count = 0
  const started = performance.now()
  const processorMs = processorOf(() => {
    while (performance.now() - started < FLOOR_MS) action(count++)
  })
  return { perSecond: (count * 1_000) / (performance.now() - started), processorMs: processorMs / count }
}

/** The bytes of the file for each row; the floor are the two tables that hold the values. */
function bytesRow({ data }: Filled, count: number): Row {
  const bytes = (where: string) =>
    data.ctx.db.sql.scalar<number>(`SELECT sum(pgsize) FROM dbstat WHERE aggregate = 0 ${where}`) / count
  const [all, values] = [bytes(''), bytes("AND name IN ('records', 'rows_1')")]
  return {
    what: 'bytes a row, with the indexes (floor: the tables of the values)',
    daybook: `${all.toFixed(0)} B`,
    floor: `${values.toFixed(0)} B`,
    ratio: (all / values).toFixed(2),
    goal: '',
    met: undefined,
  }
}

async function benchSize(count: number): Promise<Section> {
  const file = join(temporaryFolder(), 'rows.db')
  const filled = await fill(file, count)
  const { ctx, key } = filled.data
  await buildAutoIndex(ctx, { structurePk: filled.pk, column: 'f5,f3' })
  ctx.db.checkpoint()
  const bytes = bytesRow(filled, count)
  filled.data.close()
  const copy = `${file}.raw`
  copyFileSync(file, copy)
  const raw = new RecordsBaseline(copy, filled.pk)
  raw.useOwnIndexes({ raw_pair: 'f5, f3' })
  const server = await startServer(file)
  const bench = new RowsBench({ notes: filled.notes, key }, server, raw)
  await bench.pairs()
  await bench.newWords()
  await bench.words()
  await bench.batches()
  await server.stop()
  raw.close()
  for (const name of [file, copy]) rmSync(name, { force: true })
  return {
    title: `Rows under load, ${count.toLocaleString('en-US')} of about 340 bytes`,
    rows: [...bench.rows, bytes],
  }
}

/** What many requests at once cost, with the processor time of the whole process. */
export async function benchRows(sizes: readonly number[]): Promise<Section[]> {
  const sections: Section[] = []
  for (const size of sizes) sections.push(await benchSize(size))
  return sections
}
