import { join } from 'node:path'
import { writeRecords } from '../../../src/records/rows/writing/write-records.ts'
import { Sql } from '../../../src/storage/sql.ts'
import { type Dataset, openDataset, temporaryFolder } from '../dataset.ts'
import { median, type Times, timesOf } from '../measure.ts'
import { counted, milliseconds, perSecond, type Row, rowOf, type Section } from '../results.ts'
import { begin, startReaders, writeSteadily } from '../stream-readers.ts'

const ROWS_PER_BATCH = 500
const WRITES_AT_ONCE = 32
/** With fewer rounds, runs differ by more than the log costs. */
const MIN_ROUNDS_OF_WRITES = 600
const VERSIONS = 1_000
const GOAL_OF_WRITES = 1.15
const MAX_BYTES_PER_CHANGE = 120
const MIN_CHANGES_PER_SECOND = 50_000
const MAX_PAGE_MS = 2
const SUBSCRIBERS = 1_000
const WRITES_PER_SECOND = 20
const MAX_SUBSCRIBER_MS = 100
const MAX_HISTORY_MS = 5
const MAX_SNAPSHOT_MS_PER_ROW = 20_000 / 1_000_000

const row = (n: number) => ({ what: `item ${n}`, amount: n / 7, note: 'some text of the usual length' })

const { run } = Sql.prototype
let skipsLog = false

/** Allows writes without their entries in the log, for comparison. */
function makeLogOptional(): void {
  Sql.prototype.run = function (text, ...values) {
    if (skipsLog && text.startsWith('INSERT INTO changes ')) return { changes: 0, lastInsertRowid: 0 }
    return run.call(this, text, ...values)
  }
}

const send = (data: Dataset, method: string, path: string, body: object) =>
  data.fetch(path, {
    method,
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${data.key}` },
  })

async function sent(data: Dataset, method: string, path: string, body: object): Promise<void> {
  const response = await send(data, method, path, body)
  if (!response.ok) throw new Error(await response.text())
}

/** Returns the processor time of an action in this thread, in milliseconds, alternately with and without the log. */
async function compared(rounds: number, action: (n: number) => Promise<unknown>): Promise<[Times, Times]> {
  const samples: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds * 2; round++) {
    // With, without, without, with: growth from round to round affects both equally.
    const variant = [0, 1, 1, 0][round % 4] as 0 | 1
    skipsLog = variant === 1
    const before = process.threadCpuUsage()
    await action(round)
    const { user, system } = process.threadCpuUsage(before)
    samples[variant].push((user + system) / 1_000)
  }
  skipsLog = false
  return [timesOf(samples[0]), timesOf(samples[1])]
}

const comparedRow = (what: string, [withLog, without]: [Times, Times]): Row =>
  rowOf({
    what: `${what} (floor: without the log)`,
    show: milliseconds,
    daybook: withLog.median,
    floor: without.median,
    goal: { maxRatio: GOAL_OF_WRITES },
  })

const timeRow = (what: string, ms: number, max: number): Row =>
  rowOf({ what, show: milliseconds, daybook: ms, goal: { max } })

const together = (count: number, action: (n: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, n) => action(n)))

async function writesSection(data: Dataset, wantedRounds: number): Promise<Section> {
  const { ctx, caller } = data
  const rounds = Math.max(wantedRounds, MIN_ROUNDS_OF_WRITES)
  const first = await send(data, 'POST', '/v1/records', { structure: 'rows', data: row(0) })
  const { records } = (await first.json()) as { records: { id: string }[] }
  const id = records[0]?.id
  const creates = await compared(rounds, () =>
    together(WRITES_AT_ONCE, (n) => sent(data, 'POST', '/v1/records', { structure: 'rows', data: row(n) })),
  )
  const patches = await compared(rounds, (round) =>
    together(WRITES_AT_ONCE, (n) =>
      sent(data, 'PATCH', `/v1/records/${id}`, { data: { amount: round * WRITES_AT_ONCE + n } }),
    ),
  )
  const rows = Array.from({ length: ROWS_PER_BATCH }, (_, n) => ({ data: row(n) }))
  const batches = await compared(rounds, () => sent(data, 'POST', '/v1/records', { structure: 'rows', rows }))
  const imports = await compared(Math.max(2, Math.round(rounds / 20)), () =>
    ctx.db.write((tx): void => {
      for (let batch = 0; batch < 20; batch++) writeRecords(tx, caller, { structure: 'rows', rows })
    }),
  )
  return {
    title: 'Processor time of writes',
    rows: [
      comparedRow(counted(WRITES_AT_ONCE, 'create'), creates),
      comparedRow(counted(WRITES_AT_ONCE, 'update'), patches),
      comparedRow(`a batch of ${ROWS_PER_BATCH}`, batches),
      comparedRow(`${counted(20 * ROWS_PER_BATCH, 'row')} in one transaction`, imports),
    ],
  }
}

async function fill({ ctx, caller }: Dataset, count: number): Promise<void> {
  const rows = Array.from({ length: ROWS_PER_BATCH }, (_, n) => ({ data: row(n) }))
  for (let made = 0; made < count; made += ROWS_PER_BATCH)
    await ctx.db.write((tx): void => void writeRecords(tx, caller, { structure: 'rows', rows }))
}

/** The end of a page; parsing the whole page would measure the reader. */
const PAGE_END = /"cursor":"([^"]+)","has_more":(true|false)\}$/

async function feedSection(data: Dataset, count: number, rounds: number): Promise<Section> {
  const get = async (path: string) => (await data.fetch(path)).text()
  let cursor = ''
  const started = performance.now()
  for (;;) {
    const after = cursor === '' ? '' : `&after=${cursor}`
    const page = await get(`/v1/changes?limit=1000&include=objects${after}`)
    const [, next, hasMore] = PAGE_END.exec(page.slice(-100)) ?? []
    cursor = next ?? ''
    if (hasMore !== 'true') break
  }
  const read = data.ctx.db.sql.scalar<number>('SELECT count(*) FROM changes')
  const rate = (read / (performance.now() - started)) * 1_000
  const ends: number[] = []
  for (let round = 0; round < rounds; round++) {
    const from = performance.now()
    await get(`/v1/changes?limit=1000&include=objects&after=${cursor}`)
    ends.push(performance.now() - from)
  }
  const from = performance.now()
  let bytes = 0
  for await (const part of (await data.fetch('/v1/changes/snapshot')).body ?? []) bytes += part.length
  const snapshotMs = performance.now() - from
  const { records } = (await (
    await send(data, 'POST', '/v1/records', { structure: 'rows', data: row(0) })
  ).json()) as {
    records: { id: string }[]
  }
  const id = records[0]?.id
  for (let n = 0; n < VERSIONS; n++) await sent(data, 'PATCH', `/v1/records/${id}`, { data: { amount: n } })
  const histories: number[] = []
  for (let round = 0; round < rounds; round++) {
    const at = performance.now()
    await get(`/v1/records/${id}/history?limit=200`)
    histories.push(performance.now() - at)
  }
  return {
    title: `${counted(count, 'change')}`,
    rows: [
      rowOf({
        what: 'pages of 1,000 with objects, from the start',
        show: perSecond,
        daybook: rate,
        goal: { min: MIN_CHANGES_PER_SECOND },
      }),
      timeRow('a page from the end', median(ends), MAX_PAGE_MS),
      timeRow(`the history of a row with ${counted(VERSIONS, 'version')}`, median(histories), MAX_HISTORY_MS),
      timeRow(
        `the snapshot, ${Math.round(bytes / 1_048_576)} MiB`,
        snapshotMs,
        count * MAX_SNAPSHOT_MS_PER_ROW,
      ),
    ],
  }
}

/** Measures from the acknowledgement of a write to the last of many readers of the change stream. */
async function subscribersRow(seconds: number): Promise<Row> {
  const bench = await begin()
  await writeSteadily(bench, WRITES_PER_SECOND, 1)
  const request = `GET /v1/changes?include=objects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bench.key}\r\nAccept: text/event-stream\r\n\r\n`
  const readers = await startReaders(bench, SUBSCRIBERS, [request], 'change')
  const written = await writeSteadily(bench, WRITES_PER_SECOND, seconds)
  await Bun.sleep(1_000)
  const arrivals = await readers.end()
  await bench.server.stop()
  const { median: usual, p99 } = timesOf(arrivals.map(({ n, at }) => at - (written[n] ?? Number.NaN)))
  return rowOf({
    what: `a change to the last of ${counted(SUBSCRIBERS, 'subscriber')} (p99, at ${WRITES_PER_SECOND} writes a second)`,
    show: milliseconds,
    daybook: p99,
    goal: { max: MAX_SUBSCRIBER_MS },
    text: { ratio: `median ${milliseconds(usual)} of ${arrivals.length}` },
  })
}

/** Measures the bytes that the changes of new rows add to the file. */
async function sizeRow(count: number): Promise<Row> {
  const sizes: number[] = []
  for (const skips of [false, true]) {
    const data = await openRows()
    skipsLog = skips
    await fill(data, count)
    skipsLog = false
    const copy = `${data.file}.copy`
    data.ctx.db.sql.database.query('VACUUM INTO ?').run(copy)
    sizes.push(Bun.file(copy).size)
    data.close()
  }
  const bytes = ((sizes[0] ?? 0) - (sizes[1] ?? 0)) / count
  return rowOf({
    what: 'bytes a change of a new row',
    show: (value) => value.toFixed(1),
    daybook: bytes,
    goal: { max: MAX_BYTES_PER_CHANGE },
  })
}

async function openRows(): Promise<Dataset> {
  const data = await openDataset(join(temporaryFolder(), 'changes.db'))
  const fields = [
    { key: 'what', type: 'text' },
    { key: 'amount', type: 'number' },
    { key: 'note', type: 'text' },
  ]
  await sent(data, 'POST', '/v1/records/structures', { name: 'rows', fields })
  return data
}

/** Measures the cost of the change log and the speed of its readers, with `count` changes. */
export async function benchChanges(count: number, rounds: number): Promise<Section[]> {
  makeLogOptional()
  const data = await openRows()
  const writes = await writesSection(data, rounds)
  await fill(data, count)
  const feed = await feedSection(data, count, rounds)
  data.close()
  const size = await sizeRow(Math.min(count, 100_000))
  const subscribers = await subscribersRow(Math.max(3, Math.round(rounds / 10)))
  return [
    { ...writes, rows: [...writes.rows, size] },
    { ...feed, rows: [...feed.rows, subscribers] },
  ]
}
