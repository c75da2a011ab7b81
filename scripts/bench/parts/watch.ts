import { median, timesOf } from '../measure.ts'
import { counted, milliseconds, perSecond, type Row, rowOf, type Section } from '../results.ts'
import { measureRate, residentMiB, startBareStreams } from '../servers.ts'
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
  /** The limit in milliseconds from the commit to the last reader, without the merge interval. */
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

const WATCHERS = 1_000
const NOTIFICATIONS = 25
const MAX_NOTIFIED_MS = 14
const BETWEEN_MS = 600

/** Returns different queries with the same result. */
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

/** Returns the delays from the first write that an event covers to its last reader, without the merge interval. */
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

/** Writes as fast as the server acknowledges, first without watchers, then with this many watchers of one query. */
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
  const latency = rowOf({
    what: `${what}: to the last reader (p99)`,
    show: milliseconds,
    daybook: p99,
    goal: { max: maxP99 },
    text: { ratio: `median ${milliseconds(median(outcomes.map((outcome) => outcome.median)))}` },
  })
  if (streams < 1_000) return [latency]
  const kib = median(outcomes.map((outcome) => outcome.kibPerStream))
  const memory = rowOf({
    what: `${what}: memory of a stream`,
    show: (value) => `${value.toFixed(1)} KiB`,
    daybook: kib,
    goal: limit === 1 ? { max: MAX_KIB_PER_STREAM } : {},
  })
  return [latency, memory]
}

async function writesRow(streams: number, runs: number): Promise<Row> {
  const rates: { alone: number; watched: number }[] = []
  for (let run = 0; run < runs; run++) rates.push(await measureWrites(streams))
  return rowOf({
    what: `writes beside ${counted(streams, 'stream')} on one query (floor: without them)`,
    show: perSecond,
    daybook: median(rates.map((rate) => rate.watched)),
    floor: median(rates.map((rate) => rate.alone)),
    goal: { minRatio: MIN_SHARE_OF_WRITES },
  })
}

/** Measures from the response to a write to the last of many readers of one query, without the merge interval. */
async function notifiedWithin(bench: Bench): Promise<number> {
  const write = async (n: number): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${bench.server.port}/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bench.key}` },
      body: writeOf(n),
    })
    const at = performance.timeOrigin + performance.now()
    await response.text()
    return at
  }
  await write(0)
  const query = new URLSearchParams({ structure: 'ticks', limit: '1' })
  const watch = requestOf(bench, 'GET', `/v1/records/watch?${query}`)
  const readers = await startReaders(bench, WATCHERS, [watch], 'answer')
  const writtenAt = new Map<number, number>()
  for (let n = 1; n <= NOTIFICATIONS; n++) {
    writtenAt.set(n, await write(n))
    await Bun.sleep(BETWEEN_MS)
  }
  const arrivals = await readers.end()
  await bench.server.stop()
  // The first samples are a warm-up.
  return median(
    arrivals
      .filter(({ n }) => n > NOTIFICATIONS / 5)
      .map(({ n, at }) => at - (writtenAt.get(n) ?? 0) - MERGE_MS),
  )
}

async function watchersRow(): Promise<Row> {
  const ours = await notifiedWithin(await begin())
  const bare = await notifiedWithin({ server: await startBareStreams(), key: '' })
  return rowOf({
    what: `${counted(WATCHERS, 'watcher')} of one query notified, beyond the merge interval (floor: a bare \`Bun.serve\`)`,
    show: milliseconds,
    daybook: ours,
    floor: bare,
    goal: { max: MAX_NOTIFIED_MS },
  })
}

/** Measures streams during row writes: latency to the last reader, memory per stream, and the effect on writes. */
export async function benchWatch(runs: number, seconds: number): Promise<Section[]> {
  const rows: Row[] = []
  for (const scenario of SCENARIOS) rows.push(...(await scenarioRows(scenario, runs, seconds)))
  for (const streams of [100, 5_000]) rows.push(await writesRow(streams, runs))
  rows.push(await watchersRow())
  return [{ title: `Watch, ${WRITES_PER_SECOND} writes a second`, rows }]
}
