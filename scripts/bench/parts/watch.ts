import { median, timesOf } from '../measure.ts'
import { counted, milliseconds, perSecond, type Row, type Section } from '../results.ts'
import { measureRate, residentMiB } from '../servers.ts'
import {
  type Bench,
  begin,
  type Readers,
  requestOf,
  startReaders,
  writeOf,
  writeSteadily,
} from '../stream-readers.ts'

interface Scenario {
  streams: number
  queries: number
  limit: number
  /** Milliseconds from the commit to the last reader, not counting the merge interval. */
  maxP99?: number
}

const SCENARIOS: readonly Scenario[] = [
  { streams: 1, queries: 1, limit: 1, maxP99: 100 },
  { streams: 100, queries: 1, limit: 1, maxP99: 100 },
  { streams: 5_000, queries: 1, limit: 1, maxP99: 100 },
  { streams: 5_000, queries: 1, limit: 50 },
  { streams: 100, queries: 100, limit: 1 },
  { streams: 5_000, queries: 100, limit: 1 },
]
const MAX_KIB_PER_STREAM = 30
const MIN_SHARE_OF_WRITES = 0.8

const MERGE_MS = 250
const WRITES_PER_SECOND = 200
const CONNECTIONS = 32

/** Queries that differ and have the same result. */
function watchOf(bench: Bench, query: number, limit: number): string {
  const filter = JSON.stringify([{ field: 'n', op: 'gt', value: -1 - query }])
  const parameters = new URLSearchParams({ structure: 'ticks', limit: String(limit), filter })
  return requestOf(bench, 'GET', `/v1/records/watch?${parameters}`)
}

const startWatchers = (bench: Bench, { streams, queries, limit }: Scenario): Promise<Readers> =>
  startReaders(
    bench,
    streams,
    Array.from({ length: queries }, (_, query) => watchOf(bench, query, limit)),
    'answer',
  )

/** From the first write that an event covers to its last reader, less the merge interval. */
function delaysOf(arrivals: Awaited<ReturnType<Readers['end']>>, written: readonly number[]): number[] {
  const byQuery = Map.groupBy(arrivals, ({ query }) => query)
  return [...byQuery.values()].flatMap((arrivals) => {
    const inOrder = arrivals.toSorted((left, right) => left.n - right.n)
    return inOrder.slice(1).flatMap(({ at }, index) => {
      const firstNew = written[(inOrder[index]?.n ?? 0) + 1]
      return firstNew === undefined ? [] : [Math.max(0, at - firstNew - MERGE_MS)]
    })
  })
}

interface Outcome {
  p99: number
  median: number
  kibPerStream: number
}

async function measure(scenario: Scenario, seconds: number): Promise<Outcome> {
  const bench = await begin()
  await writeSteadily(bench, WRITES_PER_SECOND, 1)
  const before = residentMiB(bench.server.pid)
  const readers = await startWatchers(bench, scenario)
  const written = await writeSteadily(bench, WRITES_PER_SECOND, seconds)
  await Bun.sleep(2 * MERGE_MS)
  const after = residentMiB(bench.server.pid)
  const delays = timesOf(delaysOf(await readers.end(), written))
  await bench.server.stop()
  return { ...delays, kibPerStream: ((after - before) * 1_024) / scenario.streams }
}

/** Writes as fast as they are acknowledged, first without watchers, then with this many of one query. */
async function measureWrites(streams: number): Promise<{ alone: number; watched: number }> {
  const bench = await begin()
  const writes = [requestOf(bench, 'POST', '/v1/records', writeOf(1))]
  await measureRate(bench.server, writes, CONNECTIONS)
  const alone = await measureRate(bench.server, writes, CONNECTIONS)
  const readers = await startWatchers(bench, { streams, queries: 1, limit: 1 })
  const watched = await measureRate(bench.server, writes, CONNECTIONS)
  await readers.end()
  await bench.server.stop()
  return { alone: alone.perSecond, watched: watched.perSecond }
}

async function scenarioRows(scenario: Scenario, runs: number, seconds: number): Promise<Row[]> {
  const outcomes: Outcome[] = []
  for (let run = 0; run < runs; run++) outcomes.push(await measure(scenario, seconds))
  const { streams, queries, limit, maxP99 } = scenario
  const p99 = median(outcomes.map((outcome) => outcome.p99))
  const what = `${counted(streams, 'stream')} on ${counted(queries, 'query', 'queries')}, limit=${limit}`
  const latency: Row = {
    what: `${what}: to the last reader (p99)`,
    daybook: milliseconds(p99),
    floor: '',
    ratio: `median ${milliseconds(median(outcomes.map((outcome) => outcome.median)))}`,
    goal: maxP99 === undefined ? '' : `< ${maxP99} ms`,
    met: maxP99 === undefined ? undefined : p99 < maxP99,
  }
  if (streams < 1_000) return [latency]
  const kib = median(outcomes.map((outcome) => outcome.kibPerStream))
  const memory: Row = {
    what: `${what}: memory of a stream`,
    daybook: `${kib.toFixed(1)} KiB`,
    floor: '',
    ratio: '',
    goal: limit === 1 ? `< ${MAX_KIB_PER_STREAM} KiB` : '',
    met: limit === 1 ? kib < MAX_KIB_PER_STREAM : undefined,
  }
  return [latency, memory]
}

async function writesRow(streams: number, runs: number): Promise<Row> {
  const rates: { alone: number; watched: number }[] = []
  for (let run = 0; run < runs; run++) rates.push(await measureWrites(streams))
  const alone = median(rates.map((rate) => rate.alone))
  const watched = median(rates.map((rate) => rate.watched))
  const share = median(rates.map((rate) => rate.watched / rate.alone))
  return {
    what: `writes beside ${counted(streams, 'stream')} on one query`,
    daybook: perSecond(watched),
    floor: `${perSecond(alone)} without`,
    ratio: `${share.toFixed(2)}×`,
    goal: `≥ ${MIN_SHARE_OF_WRITES}×`,
    met: share >= MIN_SHARE_OF_WRITES,
  }
}

/** Streams that watch while rows are written: latency to the last reader, memory per stream, and the effect on writes. */
export async function benchWatch(runs: number, seconds: number): Promise<Section[]> {
  const rows: Row[] = []
  for (const scenario of SCENARIOS) rows.push(...(await scenarioRows(scenario, runs, seconds)))
  for (const streams of [100, 5_000]) rows.push(await writesRow(streams, runs))
  return [{ title: `Watch, ${WRITES_PER_SECOND} writes a second`, rows }]
}
