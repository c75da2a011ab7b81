import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { VERSION } from '../../src/lib/version.ts'
import { findFaults } from '../../src/operation/integrity.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { contentsOf } from '../support/changes.ts'
import { gapFaults, orderFaults } from '../support/event-oracles.ts'
import type { Client } from '../support/service.ts'
import { eventFaults, owedBy, type RowEvent, sentIn } from './events.ts'
import type { Ledger } from './ledger.ts'
import type { Programs } from './programs.ts'
import type { Receipt } from './receivers.ts'
import { Violation, type World } from './world.ts'
import { TABLE } from './writers.ts'

/* The oracles at the end of a run, once every request is answered and every delivery has ended. */

const COPIED = ['note', 'record', 'structure', 'tag', 'property']

export interface Outcome {
  readonly world: World
  readonly ledger: Ledger
  readonly programs: Programs
}

export async function checkAll(outcome: Outcome): Promise<void> {
  await checkLedger(outcome)
  await checkFeed(outcome)
  await checkEvents(outcome)
  checkMoments(outcome)
}

/** Every acknowledged state is there, and nothing else. */
async function checkLedger({ world, ledger }: Outcome): Promise<void> {
  for (const entry of ledger.entries) await ledger.check(entry)
  const client = clientOf(world)
  const rows = (await client.get(`/v1/records?structure=${TABLE}&limit=1`)).body.total
  const { notes } = (await client.get('/v1/workspace')).body.workspace.counts
  const wanted = [ledger.live('record').length, ledger.live('note').length]
  if (!Bun.deepEquals([rows, notes], wanted))
    throw new Violation(`there are ${rows} rows and ${notes} notes, not ${wanted.join(' and ')}`)
}

/** A copy that follows the feed equals the workspace. */
async function checkFeed({ world, programs }: Outcome): Promise<void> {
  await programs.followToEnd()
  const copied = programs.replica.contents(COPIED)
  const actual = await contentsOf(clientOf(world), COPIED)
  for (const name of new Set([...Object.keys(copied), ...Object.keys(actual)]))
    if (!Bun.deepEquals(copied[name], actual[name]))
      throw new Violation(
        `the feed left ${name} as ${JSON.stringify(copied[name])}, the API shows ${JSON.stringify(actual[name])}`,
      )
}

const payloadsOf = (outcome: Outcome, name: string): RowEvent[] =>
  receiptsOf(outcome, name).map(({ payload }) => payload)

const receiptsOf = ({ world }: Outcome, name: string): Receipt[] =>
  world.receivers.receipts.filter(({ path }) => path === `/${name}`)

/** Each stored event arrives with one content, and no delivery stays pending or counts as arrived without it. */
async function checkEvents(outcome: Outcome): Promise<void> {
  const { world, programs } = outcome
  const client = clientOf(world)
  for (const name of ['plain', 'ordered', 'due']) {
    const arrived = Map.groupBy(receiptsOf(outcome, name), ({ payload }) => payload.id as string)
    for (const [id, copies] of arrived)
      if (copies.some(({ payload }) => !Bun.deepEquals(payload, copies[0]?.payload)))
        throw new Violation(`the event ${id} arrives with two contents`)
    const deliveries = await deliveriesOf(client, programs.webhooks[name] ?? '')
    for (const { event_id, status } of deliveries) {
      if (status === 'delivered' && !arrived.has(event_id))
        throw new Violation(`the event ${event_id} counts as delivered to ${name} but never arrived`)
      if (status === 'pending') throw new Violation(`the event ${event_id} to ${name} stays pending`)
    }
  }
  await checkOwed(outcome)
}

/** Every change in the feed caused one event for each subscription to its table, and nothing else did. */
async function checkOwed(outcome: Outcome): Promise<void> {
  const { world, programs } = outcome
  await programs.pullToEnd()
  const { webhook } = (await clientOf(world).get(`/v1/webhooks/${programs.webhooks.pulled}`)).body
  const owed = owedBy(programs.changes, programs.table)
  const [plain, ordered] = ['plain', 'ordered'].map((name) => payloadsOf(outcome, name))
  const { missesChanges } = programs
  for (const [name, events = [], isOrdered, missesEvents] of [
    ['plain', plain, false, false],
    ['ordered', ordered, true, false],
    ['pulled', programs.pulled, true, webhook.dropped > 0],
  ] as const) {
    const faults = eventFaults(owed, sentIn(events), { isOrdered, missesChanges, missesEvents })
    if (faults.length > 0) throw new Violation(`events of ${name}: ${faults.join('; ')}`)
  }
  checkOrder(ordered ?? [])
}

/** The events of each row arrive in the order of their numbers, which have no gaps. */
function checkOrder(events: readonly RowEvent[]): void {
  const arrived = events.map(({ sequence = 0, record }) => ({ sequence, object: record.id }))
  const faults = [...orderFaults(arrived), ...gapFaults(arrived.map(({ sequence }) => sequence))]
  if (faults.length > 0) throw new Violation(`ordered events: ${faults.join('; ')}`)
}

/** Each moment that has passed caused one event, and no moment two. */
function checkMoments(outcome: Outcome): void {
  const { world, programs } = outcome
  const receipts = receiptsOf(outcome, 'due')
  const byKey = Map.groupBy(receipts, ({ payload }) => payload.record.data.key as string)
  for (const [key, at] of programs.moments) {
    const ids = new Set((byKey.get(key) ?? []).map(({ payload }) => payload.id))
    const hasPassed = at < world.platform.now() - 120_000
    if (ids.size > 1 || (hasPassed && ids.size === 0))
      throw new Violation(`the moment of ${key}, ${new Date(at).toISOString()}, caused ${ids.size} events`)
  }
}

interface Delivery {
  readonly id: string
  readonly event_id: string
  readonly status: string
}

async function deliveriesOf(client: Client, webhook: string): Promise<Delivery[]> {
  const all: Delivery[] = []
  for (let before = ''; ; before = `&before=${all.at(-1)?.id}`) {
    const { deliveries } = (await client.get(`/v1/webhooks/${webhook}/deliveries?limit=200${before}`)).body
    all.push(...deliveries)
    if (deliveries.length < 200) return all
  }
}

/** The pending deliveries of the run, which its end waits for. */
export async function countPending({ world, programs }: Outcome): Promise<number> {
  const client = clientOf(world)
  let pending = 0
  for (const name of ['plain', 'ordered', 'due']) {
    const path = `/v1/webhooks/${programs.webhooks[name]}/deliveries?status=pending`
    pending += (await client.get(path)).body.deliveries.length
  }
  return pending
}

/** Checks the files of a stopped server as `daybook check` does. */
export function checkFile(file: string): void {
  const log = createLog('silent', systemClock, () => {})
  const db = openDatabase({ file, programVersion: VERSION, clock: systemClock, log, role: 'command' })
  try {
    const faults = findFaults(db)
    if (faults.length > 0) throw new Violation(`check finds: ${faults.join(' ')}`)
  } finally {
    db.close()
  }
}

/** A client whose every request is answered. */
const clientOf = (world: World) =>
  ({
    get: (path: string) => world.callUntilAnswered({ method: 'GET', path }),
  }) as unknown as Client
