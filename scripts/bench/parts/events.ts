import { join } from 'node:path'
import { openDataset, temporaryFolder } from '../dataset.ts'
import { median } from '../measure.ts'
import { counted, milliseconds, perSecond, type Row, rowOf, type Section } from '../results.ts'
import { processorTime, type Server, startServer, untilAtRest } from '../servers.ts'
import { begin, drainRate } from './webhooks.ts'

const MIN_SHARE_ORDERED = 0.9
const MAX_GROWTH = 1.1
const MAX_COST_OF_UNUSED = 1.01
const MAX_IDLE_MS = 2
const SUBSCRIPTIONS = 25
const PAGE = 200

/** Compares the rate of an ordered subscription with that of a plain one; each event is about another row. */
async function orderedRow(events: number, runs: number): Promise<Row> {
  const [ordered, plain] = [await begin(1, 0, { ordered: true }), await begin(1)]
  const rates: { ordered: number; plain: number }[] = []
  for (let run = 0; run < runs; run++)
    rates.push({ ordered: await drainRate(ordered, events), plain: await drainRate(plain, events) })
  await ordered.stop()
  await plain.stop()
  return rowOf({
    what: 'deliveries of an ordered subscription (floor: of a plain one)',
    show: perSecond,
    daybook: median(rates.map((rate) => rate.ordered)),
    floor: median(rates.map((rate) => rate.plain)),
    goal: { minRatio: MIN_SHARE_ORDERED },
    text: { ratio: `${median(rates.map((rate) => rate.ordered / rate.plain)).toFixed(2)}×` },
  })
}

type Sql = Awaited<ReturnType<typeof openDataset>>['ctx']['db']['sql']

const BODY = JSON.stringify({ type: 'record.created', record: { data: { text: 'x'.repeat(300) } } })

interface Prepared {
  readonly file: string
  readonly key: string
  /** The ids of its subscriptions. */
  readonly webhooks: readonly string[]
}

/** A database with subscriptions to one of two structures; `fill` stores their events, by the pks of the subscriptions. */
async function prepare(
  webhooks: readonly object[],
  fill: (sql: Sql, webhook: number) => void,
): Promise<Prepared> {
  const file = join(temporaryFolder(), 'events.db')
  const data = await openDataset(file)
  const post = async (path: string, body: object) => {
    const answer = await data.fetch(path, { method: 'POST', body: JSON.stringify(body) })
    if (answer.status !== 201) throw new Error(await answer.text())
    return (await answer.json()) as { webhook: { id: string } }
  }
  for (const name of ['Plain', 'Ticks'])
    await post('/v1/records/structures', { name, fields: [{ key: 'n', type: 'number' }] })
  const ids: string[] = []
  for (const more of webhooks)
    ids.push((await post('/v1/webhooks', { structure: 'Ticks', ...more })).webhook.id)
  const { db } = data.ctx
  for (const index of ids.keys()) await db.write((tx): void => fill(tx.sql, index + 1))
  db.checkpoint()
  data.close()
  return { file, key: data.key, webhooks: ids }
}

const fewOf = (count: number): number => Math.max(PAGE, Math.ceil(count / 1_000))

/** Two pull subscriptions, of which the first keeps this many events, and the second a page or a thousandth of them. */
const preparePulled = (count: number): Promise<Prepared> =>
  prepare([{ delivery: 'pull' }, { delivery: 'pull' }], (sql, webhook) =>
    keep(sql, webhook, webhook === 1 ? count : fewOf(count)),
  )

/**
 * Ordered subscriptions, each with events of `objects` rows that wait for a retry; every tenth row has another event
 * behind it.
 */
const prepareOrdered = (objects: number): Promise<Prepared> =>
  prepare(
    Array.from({ length: SUBSCRIPTIONS }, (_, number) => ({
      url: `https://hooks.example.com/${number}`,
      ordered: true,
    })),
    (sql, webhook) => order(sql, webhook, objects),
  )

const NUMBERS =
  'WITH RECURSIVE numbers(n) AS (SELECT 1 WHERE ?1 > 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)'

function keep(sql: Sql, webhook: number, count: number): void {
  sql.run(
    `${NUMBERS} INSERT INTO webhook_pulled (webhook, sequence, created_at, body) SELECT ?2, n, ?3, ?4 FROM numbers`,
    count,
    webhook,
    Date.now(),
    BODY,
  )
  sql.run('UPDATE webhooks SET sequence = ? WHERE pk = ?', count, webhook)
}

const PER_SUBSCRIPTION = 10_000_000
const RETRY_MS = 6 * 3_600_000

function order(sql: Sql, webhook: number, objects: number): void {
  const [first, now] = [webhook * PER_SUBSCRIPTION, Date.now()]
  const eventOf = (n: string) => `${first} + ${n}`
  const id = (n: string) => `printf('%036d', ${eventOf(n)})`
  for (const [round, condition] of ['true', 'n % 10 = 0'].entries()) {
    const n = `n * 2 + ${round}`
    const values = `${NUMBERS} INSERT INTO`
    sql.run(
      `${values} webhook_events (pk, id, type, record_id, body)
       SELECT ${eventOf(n)}, ${id(n)}, 'record.updated', n, ?2 FROM numbers WHERE ${condition}`,
      objects,
      BODY,
    )
    sql.run(
      `${values} webhook_sequences (event, webhook, sequence, object, is_pending)
       SELECT ${eventOf(n)}, ?2, ${n}, n, 1 FROM numbers WHERE ${condition}`,
      objects,
      webhook,
    )
    const isBlocked = round === 1
    sql.run(
      `${values} webhook_deliveries (event, webhook, id, status, attempts, is_urgent, next_attempt_at, created_at)
       SELECT ${eventOf(n)}, ?2, ${id(n)}, 'pending', ?3, ?4, ?5, ?6 FROM numbers WHERE ${condition}`,
      objects,
      webhook,
      isBlocked ? 0 : 4,
      isBlocked ? 2 : 0,
      isBlocked ? null : now + RETRY_MS,
      now,
    )
  }
  sql.run('UPDATE webhooks SET sequence = ? WHERE pk = ?', 2 * objects + 1, webhook)
}

/** A server on a prepared database. */
interface Running extends Prepared {
  readonly server: Server
  /** From the start of the process until it responds, in milliseconds. */
  readonly startMs: number
}

async function start(prepared: Prepared): Promise<Running> {
  const begun = performance.now()
  const server = await startServer(prepared.file, ['--log-level', 'warn'])
  const running = { ...prepared, server, startMs: performance.now() - begun }
  await untilAtRest(server)
  return running
}

async function send({ server, key }: Running, path: string, body?: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  await answer.arrayBuffer()
}

/** Many short rounds: other programs disturb some of them. */
const REQUESTS = 100
const MEASUREMENTS_PER_ROUND = 5

/** The processor time of a request, in milliseconds. */
async function costOf(running: Running, path: string, body?: object): Promise<number> {
  const before = processorTime(running.server)
  for (let at = 0; at < REQUESTS; at++) await send(running, path, body)
  return (processorTime(running.server) - before) / REQUESTS
}

/** The processor time of a second without requests, in milliseconds. */
async function idleMs({ server }: Running): Promise<number> {
  const before = processorTime(server)
  await Bun.sleep(1_000)
  return processorTime(server) - before
}

/** The least cost of each of several rounds, which alternate. */
async function least(rounds: number, ...costs: (() => Promise<number>)[]): Promise<number[]> {
  const found: number[][] = []
  for (let round = 0; round <= rounds * MEASUREMENTS_PER_ROUND; round++) {
    const ofRound: number[] = []
    for (const cost of costs) ofRound.push(await cost())
    if (round > 0) found.push(ofRound)
  }
  return costs.map((_, index) => Math.min(...found.map((ofRound) => ofRound[index] ?? Number.NaN)))
}

const writeCost = (running: Running) => () =>
  costOf(running, '/v1/records', { structure: 'Plain', data: { n: 1 } })

async function writeRow(beside: string, full: Running, empty: Running, rounds: number): Promise<Row> {
  const [cost = 0, alone = 0] = await least(rounds, writeCost(full), writeCost(empty))
  return rowOf({
    what: `write a row of another table beside ${beside} (floor: beside none)`,
    show: milliseconds,
    daybook: cost,
    floor: alone,
    goal: { maxRatio: MAX_COST_OF_UNUSED },
  })
}

/** Each comparison has its own, because a server that has run for longer is faster. */
const startEmpty = async (): Promise<Running> => start(await prepare([], () => {}))

async function pulledRows(count: number, rounds: number): Promise<Row[]> {
  const empty = await startEmpty()
  const full = await start(await preparePulled(count))
  const [ofMany = '', ofFew = ''] = full.webhooks
  const few = fewOf(count)
  const read = (id: string) => () => costOf(full, `/v1/webhooks/${id}/events?limit=${PAGE}`)
  const [readMany = 0, readFew = 0] = await least(rounds, read(ofMany), read(ofFew))
  const events = counted(count, 'pending event')
  const rows = [
    rowOf({
      what: `read ${PAGE} of ${events} (floor: of ${counted(few, 'event')})`,
      show: milliseconds,
      daybook: readMany,
      floor: readFew,
      goal: { maxRatio: MAX_GROWTH },
    }),
    await writeRow(events, full, empty, rounds),
  ]
  await Promise.all([full.server.stop(), empty.server.stop()])
  return rows
}

async function waitingRows(objects: number, rounds: number): Promise<Row[]> {
  const empty = await startEmpty()
  const full = await start(await prepareOrdered(objects))
  const waiting = `${counted(SUBSCRIPTIONS, 'ordered subscription')} × ${counted(objects, 'row')} that wait`
  const written = await writeRow(waiting, full, empty, rounds)
  const [idle = 0, idleAlone = 0] = await least(
    rounds,
    () => idleMs(full),
    () => idleMs(empty),
  )
  await Promise.all([full.server.stop(), empty.server.stop()])
  return [
    written,
    rowOf({
      what: `a second at rest beside ${waiting}, more than beside none`,
      show: milliseconds,
      daybook: Math.max(0, idle - idleAlone),
      goal: { max: MAX_IDLE_MS },
      text: { ratio: `${milliseconds(idle)} in all` },
    }),
    rowOf({
      what: `start beside ${waiting}`,
      show: milliseconds,
      daybook: full.startMs,
      floor: empty.startMs,
    }),
  ]
}

/** Measures ordered and pulled events: the rate in order, and the costs of events that wait. */
export async function benchEvents(
  runs: number,
  events: number,
  pending: number,
  objects: number,
): Promise<Section[]> {
  const ordered = await orderedRow(events, runs)
  const rows = [ordered, ...(await pulledRows(pending, runs)), ...(await waitingRows(objects, runs))]
  return [
    {
      title: 'Events in order and pulled',
      rows,
      remark: 'Processor time of the server for one request, the least of several rounds that alternate.',
    },
  ]
}
