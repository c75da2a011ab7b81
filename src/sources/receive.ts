import type { Static } from '@sinclair/typebox'
import { findWorkspace } from '../account/store.ts'
import type { RecordData } from '../changes/record-data.ts'
import { type AppContext, type Caller, wholeWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { WorkerTask, WriteListeners } from '../db/worker/client.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { STATUS_OF } from '../http/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { DAY_MS } from '../lib/dates.ts'
import { isObject } from '../lib/json.ts'
import { dataOf, findRecordByPk, type RecordRow } from '../records/store.ts'
import { checkedChanges, mergedData } from '../records/writing/row-writer.ts'
import { writeRecords } from '../records/writing/write-records.ts'
import { fail, invalid, notFound, Refusal, refused } from '../refusal.ts'
import { findHolders } from '../structures/storage/live-rows.ts'
import { definitionOf, findStructureByPk, type StructureRow } from '../structures/store.ts'
import { checkMap, checkWhen, holdsFor, mappedData } from './map.ts'
import { type Call, providerOf, shownHeaders } from './providers.ts'
import { eventIn, type Reading, readCall } from './read-call.ts'
import type { TryBody } from './schema.ts'
import { getSource } from './service.ts'
import * as store from './store.ts'

/** For how long an event is kept, and known by the id of its provider. */
export const EVENT_KEPT_MS = 30 * DAY_MS

export interface Outcome {
  readonly status: store.Status
  readonly recordId: string | null
  readonly error: string | null
}

const outcome = (
  status: store.Status,
  recordId: string | null = null,
  error: string | null = null,
): Outcome => ({ status, recordId, error })

/** A structure and the workspace that has it, in which a source writes under its own name. */
interface Target {
  readonly source: Pick<store.SourceRow, 'name' | 'onConflict' | 'newerBy'>
  readonly structure: StructureRow
  readonly workspaceId: string
}

const callerFor = ({ source, structure, workspaceId }: Target): Caller => ({
  workspacePk: structure.workspace,
  workspaceId,
  userId: '',
  keyId: null,
  keyName: source.name,
  scope: 'write',
  role: 'owner',
  mayWrite: true,
  surface: 'source',
  rights: undefined,
})

function targetOf(tx: Reader, source: store.SourceRow): Target {
  const { workspace } = source
  const structure =
    findStructureByPk(tx, wholeWorkspace(workspace), source.structure) ?? fail(notFound('source'))
  const { id: workspaceId } = findWorkspace(tx, workspace) ?? fail(notFound('source'))
  return { source, structure, workspaceId }
}

/** The values of the row that a call becomes; undefined where `when` does not hold, or it only tries the URL. */
function dataFor(source: store.SourceRow, { structure }: Target, { call, error }: Reading) {
  if (!call) throw refused(error ?? '')
  if (!holdsFor(store.whenOf(source), call)) return undefined
  return mappedData(store.mapOf(source), definitionOf(structure), call)
}

const isPing = ({ provider }: store.SourceRow, { event }: Reading) =>
  event !== null && providerOf(provider).ping === event

/** Writes the row, unless it has a newer value of `newer_by`. Refuses what a row of the structure cannot be. */
function writeMapped(
  listeners: WriteListeners,
  tx: Tx,
  target: Target,
  data: Record<string, unknown>,
): Outcome & { readonly row: RecordRow | undefined } {
  const { source, structure } = target
  const newer = newerRow(tx, target, data)
  if (newer) return { ...outcome('stale', newer.id), row: newer }
  const request = { structure: structure.id, data, on_conflict: source.onConflict }
  const { rows, inserted } = writeRecords(listeners, tx, callerFor(target), request)
  const [row] = rows
  return { ...outcome(inserted > 0 ? 'written' : 'updated', row?.id), row }
}

/** The row that would be updated, if its value of `newer_by` is higher than the new one. */
function newerRow(
  tx: Tx,
  { source: { newerBy, onConflict }, structure }: Target,
  data: Record<string, unknown>,
): RecordRow | undefined {
  if (newerBy === null || onConflict !== 'update') return undefined
  const definition = definitionOf(structure)
  const values: RecordData = mergedData(definition, {}, checkedChanges(definition, data))
  const [first, second] = new Set(findHolders(tx, structure, definition, values).map(({ pk }) => pk))
  const row = first === undefined || second !== undefined ? undefined : findRecordByPk(tx, first)
  const [before, after] = [row && dataOf(row)[newerBy], values[newerBy]]
  return before !== undefined && after !== undefined && after < before ? row : undefined
}

/** A call that was verified with the secret and the URL that the source had then. */
interface ArrivedInput {
  readonly token: string
  readonly secretVersion: number
  readonly call: Call
  /** Why the row was refused, once it was tried. */
  readonly refusal: string | undefined
}

export interface Answer {
  readonly status: store.Status
  readonly event_id: string
  readonly record_id: string | null
}

const REPEATED: ReadonlySet<store.Status> = new Set(['written', 'updated', 'stale'])

/** Keeps a call and writes its row, or finds the event that it repeats. */
export const arrival: WorkerTask<ArrivedInput, Answer> = {
  name: 'sources.arrival',
  run: (tx, { token, secretVersion, call, refusal }, listeners) => {
    const source = store.findSourceByToken(tx, token)
    if (!source || source.secretVersion !== secretVersion) throw notFound('source')
    const reading = readCall(source, call)
    const { externalId, event } = reading
    const known =
      externalId === null ? undefined : store.findExternal(tx, source.pk, externalId, tx.now - EVENT_KEPT_MS)
    if (known && REPEATED.has(known.status)) {
      store.addCounts(tx, source.pk, { duplicate: 1 }, tx.now)
      return { status: 'duplicate', event_id: known.id, record_id: known.recordId }
    }
    const { status, recordId, error } = judged(listeners, tx, source, reading, refusal)
    const columns = {
      externalId,
      event,
      status,
      recordId,
      error,
      receivedAt: tx.now,
      headers: JSON.stringify(shownHeaders(call, source.provider, store.optionsOf(source))),
      body: Buffer.from(call.body),
    }
    const id = known?.id ?? tx.newId()
    const pk = known?.pk ?? store.insertEvent(tx, { ...columns, id, source: source.pk })
    if (known) store.updateEvent(tx, known.pk, columns)
    if (source.secret !== null)
      store.putSealed(tx, { event: pk, secretVersion, sealed: store.seal(call, source.secret, source.id) })
    count(tx, source.pk, known?.status, status, tx.now)
    tx.afterCommit(() => listeners.wake(source.id))
    return { status, event_id: id, record_id: recordId }
  },
}

/** Counts a status, in place of the one that the event had before. */
function count(
  tx: Tx,
  source: number,
  before: store.Status | undefined,
  after: store.Status,
  at?: number,
): void {
  if (before === after) store.addCounts(tx, source, {}, at)
  else store.addCounts(tx, source, { ...(before && { [before]: -1 }), [after]: 1 }, at)
}

function judged(
  listeners: WriteListeners,
  tx: Tx,
  source: store.SourceRow,
  reading: Reading,
  refusal: string | undefined,
): Outcome {
  if (source.enabled === 0 || isPing(source, reading)) return outcome('ignored')
  if (refusal !== undefined) return outcome('unmapped', null, refusal)
  const target = targetOf(tx, source)
  const data = dataFor(source, target, reading)
  return data ? writeMapped(listeners, tx, target, data) : outcome('ignored')
}

interface ReplayInput {
  readonly workspacePk: number
  readonly sourceId: string
  readonly eventId: string
  readonly refusal: string | undefined
}

/** Judges an event again, by the source as it is now. */
export const replay: WorkerTask<ReplayInput, Outcome> = {
  name: 'sources.replay',
  run: (tx, { workspacePk, sourceId, eventId, refusal }, listeners) => {
    const source = store.sourceKind.findById(tx, workspacePk, sourceId) ?? fail(notFound('source'))
    const event = store.findEvent(tx, source.pk, eventId) ?? fail(notFound('event'))
    if (event.status === 'written' || event.status === 'updated')
      throw refused('This event was written already; change the row itself.')
    const reading = readCall(source, store.callOf(tx, event.pk))
    const { status, recordId, error } = judged(listeners, tx, source, reading, refusal)
    store.updateEvent(tx, event.pk, { status, recordId, error, event: reading.event })
    count(tx, source.pk, event.status, status)
    tx.afterCommit(() => listeners.wake(source.id))
    return { status, recordId, error }
  },
}

/** Runs a write whose row may be refused: then once more, to keep the sentence with the event. */
async function keepingRefusal<Result>(run: (refusal?: string) => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Refusal) || STATUS_OF[error.code] !== 400) throw error
    return run(error.message)
  }
}

/** Keeps a verified call and writes its row. */
export const receive = ({ worker }: Pick<AppContext, 'worker'>, input: Omit<ArrivedInput, 'refusal'>) =>
  keepingRefusal((refusal) =>
    worker.write(arrival, { ...input, refusal }, { size: { length: input.call.body.byteLength } }),
  )

type Replayed = Omit<ReplayInput, 'refusal'>

/** Judges an event again. Refuses one that was written. */
export const replayEvent = (
  write: (input: ReplayInput) => Promise<Outcome>,
  input: Replayed,
): Promise<Outcome> => keepingRefusal((refusal) => write({ ...input, refusal }))

type TryRequest = Static<typeof TryBody>

interface TryInput {
  readonly workspacePk: number
  readonly id: string
  readonly request: TryRequest
}

interface Trial {
  readonly status: store.Status
  readonly data: Record<string, unknown> | null
  readonly error: string | null
}

/** Always run to be rolled back. */
export const trial: WorkerTask<TryInput, Trial> = {
  name: 'sources.try',
  run: (tx, { workspacePk, id, request }, listeners) => {
    const { map, when } = request
    const source = { ...(store.sourceKind.findById(tx, workspacePk, id) ?? fail(notFound('source'))) }
    if (map) source.map = JSON.stringify(map)
    if (when) source.when = JSON.stringify(when)
    const target = targetOf(tx, source)
    const reading = readingOf(tx, source, request)
    let data: Record<string, unknown> | undefined
    try {
      data = dataFor(source, target, reading)
      if (!data) return { status: 'ignored', data: null, error: null }
      const { status, row } = writeMapped(listeners, tx, target, data)
      const written = row && status !== 'stale' ? dataOf(row) : data
      const shown = Object.entries(written).filter(([key]) => Object.hasOwn(data ?? {}, key))
      return { status, data: Object.fromEntries(shown), error: null }
    } catch (error) {
      if (!(error instanceof Refusal) || STATUS_OF[error.code] !== 400) throw error
      return { status: 'unmapped', data: data ?? null, error: error.message }
    }
  },
}

/** What would become of an event, with another map or other conditions if they are given; writes nothing. */
export function tryEvent(
  { db, worker }: AppContext,
  caller: Caller,
  id: string,
  request: TryRequest,
  { bodyText }: Pick<Exchange, 'bodyText'>,
): Promise<Trial> {
  const { body, headers, map, when, event_id: eventId } = request
  if ((body === undefined) === (eventId === undefined))
    throw invalid('Give exactly one of "body", a JSON value, and "event_id".')
  if (eventId !== undefined && headers !== undefined) throw invalid('"headers" go with "body" alone.')
  const source = getSource(db, caller, id, 'read')
  if (map) checkMap(map, definitionOf(targetOf(db, source).structure))
  if (when) checkWhen(when)
  const event =
    eventId === undefined ? undefined : (store.findEvent(db, source.pk, eventId) ?? fail(notFound('event')))
  const { workspacePk } = caller
  const size = { length: event?.size ?? bodyText.length }
  return worker.write(trial, { workspacePk, id, request }, { size, isDryRun: true })
}

function readingOf(reader: Reader, source: store.SourceRow, request: TryRequest): Reading {
  const { body, event_id: eventId } = request
  if (eventId !== undefined) {
    const event = store.findEvent(reader, source.pk, eventId) ?? fail(notFound('event'))
    return readCall(source, store.callOf(reader, event.pk))
  }
  const headers = headersIn(request.headers)
  const event = eventIn(source, { headers, body })
  return { call: { headers, body, event }, event, externalId: null, error: null }
}

/** By name, or as an event shows them. */
function headersIn(sent: TryRequest['headers']): [string, string][] {
  const pairs: unknown[] = isObject(sent) ? Object.entries(sent) : (sent ?? [])
  return pairs.map((pair) => {
    const [name, value] = Array.isArray(pair) ? pair : []
    if (typeof name !== 'string' || typeof value !== 'string')
      throw invalid('"headers" must be an object of texts, or a list of pairs of name and value.')
    return [name.toLowerCase(), value]
  })
}
