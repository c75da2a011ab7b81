import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSource } from '../../../src/events/sources/service.ts'
import { writeRecords } from '../../../src/records/rows/writing/write-records.ts'
import { createStructure } from '../../../src/records/structures/service.ts'
import { type Dataset, openDataset, temporaryFolder } from '../dataset.ts'
import { median, type Times } from '../measure.ts'
import { milliseconds, perSecond, type Row, rowOf, type Section } from '../results.ts'
import { type Server, startServer } from '../servers.ts'

const SECRET = 'a secret of the bench'
const BATCH = 500
/** Enough sources for the load: one source accepts 100 calls a second. */
const SOURCES = 10
const EVENTS_PER_SECOND = 500
const MAX_EVENT_P99_MS = 20
const MAX_READ_MS = 50
const READS_PER_SECOND = 100
const WRONG_PER_SECOND = 10_000
/** Two measurements of the same load differ by up to this ratio. */
const MAX_RATIO_BESIDE_WRONG = 1.5
const CLOCK_TICK_MS = 10
/** The text of a small provider event. */
const TEXT = 'x'.repeat(600)

interface Load extends Times {
  readonly longest: number
  readonly failed: number
}

interface Bench {
  readonly server: Server
  readonly key: string
  readonly paths: readonly string[]
  /** The number of events created, which makes each event unique. */
  made: number
}

const fields = [
  { key: 'number', type: 'text', unique: true },
  { key: 'amount', type: 'number' },
  { key: 'paid_at', type: 'datetime' },
  { key: 'remark', type: 'text' },
] as const

async function fill({ ctx, caller }: Dataset, rows: number): Promise<string[]> {
  await ctx.db.write((tx): void => {
    createStructure(tx, caller, {
      name: 'Payments',
      fields: fields.map((field) => ({ ...field, options: null })),
    })
  })
  for (let made = 0; made < rows; made += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, at) => ({
      data: { number: `old ${made + at}`, amount: (made + at) / 7, remark: 'of an earlier time' },
    }))
    await ctx.db.write((tx): void => void writeRecords(tx, caller, { structure: 'Payments', rows: batch }))
  }
  const map = {
    number: '/data/number',
    amount: { path: '/data/amount', as: 'cents' },
    paid_at: { path: '/created', as: 'epoch_s' },
    remark: '/type',
  }
  const tokens = await ctx.db.write((tx): (string | null)[] =>
    Array.from({ length: SOURCES }, (_, at) => {
      const about = {
        name: `Source ${at}`,
        structure: 'Payments',
        provider: 'github',
        secret: SECRET,
        map,
      } as const
      return createSource(tx, caller, about).token
    }),
  )
  ctx.db.checkpoint()
  return tokens.map((token) => `/in/${token}`)
}

const request = (method: string, path: string, headers: readonly string[], body: string): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')

function eventRequest(bench: Bench, secret = SECRET): string {
  const n = bench.made++
  const data = {
    number: `new ${n}`,
    amount: 1_250 + n,
    customer: { name: 'Ada', city: 'London' },
    text: TEXT,
  }
  const body = JSON.stringify({ id: `evt_${n}`, type: 'payment.paid', created: 1_795_426_871, data })
  const headers = [
    'Content-Type: application/json',
    'User-Agent: bench/1.0',
    `X-GitHub-Delivery: ${crypto.randomUUID()}`,
    'X-GitHub-Event: payment',
    `X-Hub-Signature-256: sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  ]
  return request('POST', bench.paths[n % bench.paths.length] ?? '', headers, body)
}

/** Writes a row like the one that an event becomes. */
function rowRequest(bench: Bench): string {
  const n = bench.made++
  const data = { number: `row ${n}`, amount: 12.5 + n, paid_at: '2026-11-23T09:41:11.000Z', remark: TEXT }
  const headers = [`Authorization: Bearer ${bench.key}`]
  return request('POST', '/v1/records', headers, JSON.stringify({ structure: 'Payments', data }))
}

const readRequest = ({ key }: Bench): string =>
  request('GET', '/v1/records?structure=Payments&limit=5', [`Authorization: Bearer ${key}`], '')

async function load(
  { server }: Bench,
  rate: number,
  seconds: number,
  make: () => string,
  status = 200,
): Promise<Load> {
  const requests = Array.from({ length: rate * seconds }, make)
  const program = join(import.meta.dir, '..', 'processes', 'steady-load.ts')
  const child = Bun.spawn([process.execPath, program, String(server.port), String(rate), String(status)], {
    stdin: new Blob([JSON.stringify(requests)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const result = (await new Response(child.stdout).json()) as Load
  if (result.failed > 0) throw new Error(`${result.failed} requests had another status than ${status}`)
  return result
}

/** Returns the processor time that the server has used so far. */
function processorMs({ pid }: Server): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const numbers = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(numbers[11]) + Number(numbers[12])) * CLOCK_TICK_MS
}

interface Measured {
  readonly load: Load
  readonly reads: Load
  readonly requestMs: number
}

/** Measures a load, and concurrent reads. */
async function measure(
  bench: Bench,
  rate: number,
  seconds: number,
  make: () => string,
  status: number,
): Promise<Measured> {
  const before = processorMs(bench.server)
  const [main, reads] = await Promise.all([
    load(bench, rate, seconds, make, status),
    load(bench, READS_PER_SECOND, seconds, () => readRequest(bench)),
  ])
  return { load: main, reads, requestMs: (processorMs(bench.server) - before) / (rate * seconds) }
}

const usual = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  median(items.map(value))

const timesText = (runs: readonly Load[]): string =>
  `${milliseconds(usual(runs, (run) => run.median))} (p99 ${milliseconds(usual(runs, ({ p99 }) => p99))})`

function eventRows(rows: number, events: readonly Measured[], writes: readonly Measured[]): Row[] {
  const [ours, floor] = [events, writes].map((all) => all.map((one) => one.load)) as [Load[], Load[]]
  return [
    rowOf({
      what: `p99 of ${perSecond(EVENTS_PER_SECOND)} events beside ${rows.toLocaleString('en-US')} rows (floor: POST of a row)`,
      show: milliseconds,
      daybook: usual(ours, (run) => run.p99),
      floor: usual(floor, (run) => run.p99),
      goal: { max: MAX_EVENT_P99_MS },
      text: { daybook: timesText(ours), floor: timesText(floor) },
    }),
    rowOf({
      what: 'processor time of an event and its share of the reads (floor: POST of a row)',
      show: milliseconds,
      daybook: usual(events, ({ requestMs }) => requestMs),
      floor: usual(writes, ({ requestMs }) => requestMs),
    }),
    rowOf({
      what: 'the longest read beside these events (floor: beside POSTs of rows)',
      show: milliseconds,
      daybook: usual(events, ({ reads }) => reads.longest),
      floor: usual(writes, ({ reads }) => reads.longest),
      goal: { max: MAX_READ_MS },
    }),
  ]
}

function wrongRow(wrong: readonly Measured[], alone: readonly Load[]): Row {
  const reads = wrong.map((run) => run.reads)
  return rowOf({
    what: `p99 of reads beside ${perSecond(WRONG_PER_SECOND)} wrong signatures, each ${milliseconds(usual(wrong, ({ requestMs }) => requestMs))} of processor time (floor: none)`,
    show: milliseconds,
    daybook: usual(reads, ({ p99 }) => p99),
    floor: usual(alone, ({ p99 }) => p99),
    goal: { maxRatio: MAX_RATIO_BESIDE_WRONG },
    text: { daybook: timesText(reads), floor: timesText(alone) },
  })
}

/** Measures source calls at a fixed rate, alternating with row writes by a key, and concurrent reads. */
export async function benchSources(rows: number, runs: number, seconds: number): Promise<Section[]> {
  const file = join(temporaryFolder(), 'sources.db')
  const data = await openDataset(file)
  const paths = await fill(data, rows)
  data.close()
  const bench: Bench = { server: await startServer(file), key: data.key, paths, made: 0 }
  const measured = { events: [], writes: [], wrong: [] } as Record<'events' | 'writes' | 'wrong', Measured[]>
  const alone: Load[] = []
  // The first run is a warm-up and does not count.
  for (let run = 0; run <= runs; run++) {
    const events = await measure(bench, EVENTS_PER_SECOND, seconds, () => eventRequest(bench), 200)
    const writes = await measure(bench, EVENTS_PER_SECOND, seconds, () => rowRequest(bench), 201)
    const quiet = await load(bench, READS_PER_SECOND, seconds, () => readRequest(bench))
    const forged = Array.from({ length: 1_000 }, () => eventRequest(bench, 'another secret'))
    let next = 0
    const wrong = await measure(
      bench,
      WRONG_PER_SECOND,
      seconds,
      () => forged[next++ % forged.length] ?? '',
      401,
    )
    if (run === 0) continue
    measured.events.push(events)
    measured.writes.push(writes)
    measured.wrong.push(wrong)
    alone.push(quiet)
  }
  await bench.server.stop()
  return [
    {
      title: 'Sources',
      rows: [...eventRows(rows, measured.events, measured.writes), wrongRow(measured.wrong, alone)],
    },
  ]
}
