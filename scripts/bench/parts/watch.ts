import { join } from 'node:path'
import { openDataset, temporaryFolder } from '../dataset.ts'
import { median, timesOf } from '../measure.ts'
import { counted, milliseconds, perSecond, type Row, type Section } from '../results.ts'
import { measureRate, type Server, startServer } from '../servers.ts'

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

interface Bench {
  server: Server
  key: string
}

const now = () => performance.timeOrigin + performance.now()

async function begin(): Promise<Bench> {
  const file = join(temporaryFolder(), 'watch.db')
  const data = await openDataset(file)
  const fields = [{ key: 'n', type: 'number' }]
  const made = await data.fetch('/v1/records/structures', {
    method: 'POST',
    body: JSON.stringify({ name: 'ticks', fields }),
  })
  if (made.status !== 201) throw new Error(await made.text())
  data.close()
  return { server: await startServer(file), key: data.key }
}

const requestOf = ({ key }: Bench, method: string, path: string, body = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`

const writeOf = (n: number) => JSON.stringify({ structure: 'ticks', data: { n } })

/** Queries that differ and have the same result. */
function watchOf(bench: Bench, query: number, limit: number): string {
  const filter = JSON.stringify([{ field: 'n', op: 'gt', value: -1 - query }])
  const parameters = new URLSearchParams({ structure: 'ticks', limit: String(limit), filter })
  return requestOf(bench, 'GET', `/v1/records/watch?${parameters}`)
}

interface Readers {
  /** Ends the readers and returns what they received. */
  end(): Promise<{ query: number; n: number; at: number }[]>
}

async function startReaders(bench: Bench, { streams, queries, limit }: Scenario): Promise<Readers> {
  const requests = Array.from({ length: queries }, (_, query) => watchOf(bench, query, limit))
  const result = join(temporaryFolder(), 'arrivals.json')
  const program = join(import.meta.dir, '..', 'processes', 'watch-readers.ts')
  const child = Bun.spawn([process.execPath, program, String(bench.server.port), String(streams), result], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  child.stdin.write(`${JSON.stringify(requests)}\n`)
  await child.stdin.flush()
  const { value } = await child.stdout.getReader().read()
  if (Buffer.from(value ?? []).toString() !== 'ready\n') throw new Error('the readers did not start')
  return {
    end: async () => {
      await child.stdin.end()
      await child.exited
      return await Bun.file(result).json()
    },
  }
}

/** Writes numbered rows at a fixed rate; returns when each was acknowledged. */
async function writeSteadily({ server, key }: Bench, seconds: number): Promise<number[]> {
  const written: number[] = []
  const sent: Promise<void>[] = []
  const started = performance.now()
  for (let n = 0; n < WRITES_PER_SECOND * seconds; n++) {
    const due = started + (n * 1000) / WRITES_PER_SECOND
    if (due > performance.now()) await Bun.sleep(due - performance.now())
    const answer = fetch(`http://127.0.0.1:${server.port}/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: writeOf(n),
    })
    sent.push(
      answer.then(async (response) => {
        written[n] = now()
        await response.arrayBuffer()
      }),
    )
  }
  await Promise.all(sent)
  return written
}

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

async function residentKib({ server }: Bench): Promise<number> {
  const status = await Bun.file(`/proc/${server.pid}/status`).text()
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}

interface Outcome {
  p99: number
  median: number
  kibPerStream: number
}

async function measure(scenario: Scenario, seconds: number): Promise<Outcome> {
  const bench = await begin()
  await writeSteadily(bench, 1)
  const before = await residentKib(bench)
  const readers = await startReaders(bench, scenario)
  const written = await writeSteadily(bench, seconds)
  await Bun.sleep(2 * MERGE_MS)
  const after = await residentKib(bench)
  const delays = timesOf(delaysOf(await readers.end(), written))
  await bench.server.stop()
  return { ...delays, kibPerStream: (after - before) / scenario.streams }
}

/** Writes as fast as they are acknowledged, first without watchers, then with this many of one query. */
async function measureWrites(streams: number): Promise<{ alone: number; watched: number }> {
  const bench = await begin()
  const writes = [requestOf(bench, 'POST', '/v1/records', writeOf(1))]
  await measureRate(bench.server, writes, CONNECTIONS)
  const alone = await measureRate(bench.server, writes, CONNECTIONS)
  const readers = await startReaders(bench, { streams, queries: 1, limit: 1 })
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
