import { join } from 'node:path'
import { newAuthority } from '../../../test/support/certificates.ts'
import { openDataset, temporaryFolder } from '../dataset.ts'
import { median, type Times, timesOf } from '../measure.ts'
import { counted, milliseconds, perSecond, type Row, rowOf, type Section } from '../results.ts'
import { type Server, startServer } from '../servers.ts'

const MIN_SHARE_OF_FLOOR = 0.6
const MIN_SHARE_BESIDE_DEAD = 0.9
const MAX_P99_MS = 150
const EVENTS_PER_SECOND = 50
const BATCH = 500
const MAX_PER_SUBSCRIPTION = 4
const MAX_CONCURRENT = 64
const POLL_MS = 20
const WARM_UP = 20

/** About the size of an event of this bench. */
const BODY = JSON.stringify({ record: { data: { n: 1, text: 'x'.repeat(450) } } })

type Arrival = [receiver: number, n: number, at: number]

export interface Receivers {
  readonly live: string[]
  readonly dead: string[]
  /** Returns the deliveries that arrived since the last call. */
  arrivals(): Promise<Arrival[]>
  stop(): void
}

/** The receivers, and the server that delivers to them. */
interface Bench {
  readonly server: Server
  readonly key: string
  readonly ca: string
  readonly receivers: Receivers
  stop(): Promise<void>
}

const now = () => performance.timeOrigin + performance.now()

/** Starts receivers over https, or over http without a certificate. */
export async function startReceivers(certificate: object, live: number, dead: number): Promise<Receivers> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, '..', 'processes', 'webhook-receivers.ts')],
    {
      stdin: new Blob([`${JSON.stringify({ ...certificate, live, dead })}\n`]),
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  const { value } = await child.stdout.getReader().read()
  const ports = JSON.parse(Buffer.from(value ?? []).toString())
  const scheme = 'cert' in certificate ? 'https' : 'http'
  const urlOf = (port: number) => `${scheme}://127.0.0.1:${port}/`
  return {
    live: ports.live.map(urlOf),
    dead: ports.dead.map(urlOf),
    arrivals: async () => (await fetch(`http://127.0.0.1:${ports.control}/`)).json() as Promise<Arrival[]>,
    stop: () => child.kill(),
  }
}

async function call(
  { server, key }: Pick<Bench, 'server' | 'key'>,
  path: string,
  body: object,
): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(await answer.text())
  await answer.arrayBuffer()
}

/** Starts a server with a subscription for each receiver; `more` are further attributes of these. */
export async function begin(live: number, dead = 0, more: object = {}): Promise<Bench> {
  const folder = temporaryFolder()
  const file = join(folder, 'webhooks.db')
  const data = await openDataset(file)
  data.close()
  const authority = await newAuthority()
  const ca = join(folder, 'ca.pem')
  await Bun.write(ca, authority.cert)
  const receivers = await startReceivers(await authority.certify(['127.0.0.1']), live, dead)
  const server = await startServer(file, ['--webhook-allow', '127.0.0.1', '--webhook-ca', ca])
  const bench = { server, key: data.key, ca: authority.cert, receivers }
  const fields = [
    { key: 'n', type: 'number' },
    { key: 'text', type: 'text' },
  ]
  await call(bench, '/v1/records/structures', { name: 'ticks', fields })
  for (const url of [...receivers.live, ...receivers.dead])
    await call(bench, '/v1/webhooks', { structure: 'ticks', url, ...more })
  const stop = async () => {
    await server.stop()
    receivers.stop()
  }
  return { ...bench, stop }
}

const tick = (n: number) => ({ data: { n, text: 'x'.repeat(50) } })

/** Returns deliveries per second on open connections, from the last write to the last arrival. */
export async function drainRate(bench: Bench, events: number): Promise<number> {
  await drain(bench, WARM_UP)
  return await drain(bench, events)
}

async function drain(bench: Bench, events: number): Promise<number> {
  const { receivers } = bench
  for (let n = 0; n < events; n += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, events - n) }, (_, at) => tick(n + at))
    await call(bench, '/v1/records', { structure: 'ticks', rows })
  }
  const written = performance.timeOrigin + performance.now()
  const arrived: Arrival[] = []
  while (arrived.length < events * receivers.live.length) {
    await Bun.sleep(POLL_MS)
    arrived.push(...(await receivers.arrivals()))
  }
  const times = arrived.map(([, , at]) => at).filter((at) => at >= written)
  return (times.length * 1000) / (Math.max(...times) - written)
}

async function floorRate({ ca, receivers }: Bench, total: number): Promise<number> {
  const { live: urls } = receivers
  const loops = Math.min(MAX_CONCURRENT, MAX_PER_SUBSCRIPTION * urls.length)
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '..', 'processes', 'fetch-loop.ts')], {
    stdin: new Blob([JSON.stringify({ urls, ca, body: BODY, loops, total })]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const rate = Number(await new Response(child.stdout).text())
  await receivers.arrivals()
  return rate
}

async function rateRow(live: number, events: number, runs: number): Promise<Row> {
  const rates: { daybook: number; floor: number }[] = []
  const bench = await begin(live)
  for (let run = 0; run < runs; run++)
    rates.push({ daybook: await drainRate(bench, events), floor: await floorRate(bench, events * live) })
  await bench.stop()
  return rowOf({
    what: `deliveries to ${counted(live, 'receiver')}`,
    show: perSecond,
    daybook: median(rates.map(({ daybook }) => daybook)),
    floor: median(rates.map(({ floor }) => floor)),
    goal: { minRatio: MIN_SHARE_OF_FLOOR },
  })
}

/** Measures from the response to a write to the arrival of its event. */
async function delays(live: number, seconds: number): Promise<Times> {
  const bench = await begin(live)
  const written: number[] = []
  const started = performance.now()
  for (let n = 0; n < EVENTS_PER_SECOND * seconds; n++) {
    const due = started + (n * 1000) / EVENTS_PER_SECOND
    if (due > performance.now()) await Bun.sleep(due - performance.now())
    await call(bench, '/v1/records', { structure: 'ticks', rows: [tick(n)] })
    written[n] = now()
  }
  await Bun.sleep(1_000)
  const arrived = await bench.receivers.arrivals()
  await bench.stop()
  if (arrived.length < written.length * live) throw new Error('events are missing')
  return timesOf(arrived.map(([, n, at]) => Math.max(0, at - (written[n] ?? 0))))
}

async function delayRow(live: number, seconds: number, runs: number): Promise<Row> {
  const times: Times[] = []
  for (let run = 0; run < runs; run++) times.push(await delays(live, seconds))
  return rowOf({
    what: `${EVENTS_PER_SECOND} events a second to ${counted(live, 'receiver')}: from commit to arrival (p99)`,
    show: milliseconds,
    daybook: median(times.map((time) => time.p99)),
    goal: { max: MAX_P99_MS },
    text: { ratio: `median ${milliseconds(median(times.map((time) => time.median)))}` },
  })
}

async function deadRow(events: number, runs: number): Promise<Row> {
  const rates: { beside: number; alone: number }[] = []
  const [beside, alone] = [await begin(24, 1), await begin(24)]
  for (let run = 0; run < runs; run++)
    rates.push({ beside: await drainRate(beside, events), alone: await drainRate(alone, events) })
  await beside.stop()
  await alone.stop()
  return rowOf({
    what: 'deliveries to 24 receivers beside one that never answers (floor: without it)',
    show: perSecond,
    daybook: median(rates.map((rate) => rate.beside)),
    floor: median(rates.map((rate) => rate.alone)),
    goal: { minRatio: MIN_SHARE_BESIDE_DEAD },
  })
}

/**
 * Measures deliveries over https with certificates of a test authority: rate, latency, and the effect of a dead
 * receiver.
 */
export async function benchWebhooks(runs: number, events: number, seconds: number): Promise<Section[]> {
  const rows = [
    await rateRow(1, events, runs),
    await rateRow(25, events / 10, runs),
    await delayRow(1, seconds, runs),
    await delayRow(25, seconds, runs),
    await deadRow(events / 10, runs),
  ]
  return [{ title: 'Webhooks', rows }]
}
