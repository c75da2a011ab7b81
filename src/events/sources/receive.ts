import type { Static } from '@sinclair/typebox'
import type { AppContext, Caller } from '../../context.ts'
import type { Exchange } from '../../http/exchange.ts'
import { type Credential, credentialNamed } from '../../kernel/call.ts'
import { callerKeyOf, grantOf } from '../../kernel/caller.ts'
import { write } from '../../kernel/operation.ts'
import { DAY_MS } from '../../lib/dates.ts'
import { isObject } from '../../lib/json.ts'
import type { RecordData } from '../../lib/record-data.ts'
import { atPlace, fail, invalid, isOfContent, notFound, refused } from '../../lib/refusal.ts'
import { notifyAfterCommit } from '../../log/log.ts'
import { findWorkspace } from '../../people/accounts/store.ts'
import { dataOf, findRecordByPk, type RecordRow } from '../../records/rows/store.ts'
import { checkedChanges, mergedData } from '../../records/rows/writing/field-values.ts'
import { writeRecords } from '../../records/rows/writing/write-records.ts'
import { findHolders } from '../../records/structures/storage/live-rows.ts'
import { definitionOf, type StructureRow } from '../../records/structures/store.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { type Decision, decideCall, isCurrent, structureOf, writeDecided } from './decide.ts'
import { forwardEvent } from './forward-queue.ts'
import { checkMap, checkWhen } from './map.ts'
import { type Call, shownHeaders } from './providers.ts'
import { eventIn, type Reading, readCall } from './read-call.ts'
import type { TryBody } from './schema.ts'
import { getSource } from './service.ts'
import * as store from './store.ts'
import { addStoredBytes, checkStoredWhole, dropSealed, storedBodyOf } from './stored-bytes.ts'

/** The retention of an event, during which the provider's id identifies repeats. */
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

/** A structure, and the caller for writes of a source, under the source's name. */
interface Target {
  readonly source: Pick<store.SourceRow, 'name' | 'onConflict' | 'newerBy'>
  readonly structure: StructureRow
  readonly caller: Caller
}

interface Owner {
  readonly name: string
  readonly workspace: number
  readonly workspaceId: string
}

const callerFor = ({ name, workspace, workspaceId }: Owner): Caller => ({
  workspacePk: workspace,
  workspaceId,
  userId: '',
  keyId: null,
  keyName: name,
  scope: 'write',
  role: 'owner',
  mayWrite: true,
  surface: 'source',
  rights: undefined,
})

function targetOf(tx: Reader, source: store.SourceRow): Target {
  const { id: workspaceId } = findWorkspace(tx, source.workspace) ?? fail(notFound('source'))
  return { source, structure: structureOf(tx, source), caller: callerFor({ ...source, workspaceId }) }
}

/** Writes the row, unless the stored one has a newer value of `newer_by`. Refuses invalid rows of the structure. */
function writeMapped(
  tx: Tx,
  target: Target,
  data: Record<string, unknown>,
): Outcome & { readonly row: RecordRow | undefined } {
  const { source, structure, caller } = target
  const newer = newerRow(tx, target, data)
  if (newer) return { ...outcome('stale', newer.id), row: newer }
  const request = { structure: structure.id, data, on_conflict: source.onConflict }
  const { rows, inserted } = writeRecords(tx, caller, request)
  const [row] = rows
  return { ...outcome(inserted > 0 ? 'written' : 'updated', row?.id), row }
}

/** The row to update, if its value of `newer_by` is higher than the new one. */
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

/** A call that was verified with the source's secret and URL at that time. */
interface ArrivedInput {
  readonly token: string
  readonly secretVersion: number
  readonly call: Call
  readonly decision: Decision
  /** The maximum size of the stored events of one source, in bytes. */
  readonly mostBytes: number
}

export interface Answer {
  readonly status: store.Status
  readonly event_id: string
  readonly record_id: string | null
}

const REPEATED: ReadonlySet<store.Status> = new Set(['written', 'updated', 'stale'])

/**
 * Stores a call and writes its row, or finds the event that it repeats; undefined if the source has changed since the
 * decision.
 */
export const storeCall = write({
  name: 'sources.store-call',
  covers: 'structures',
  run: (tx, _, { token, secretVersion, call, decision, mostBytes }: ArrivedInput): Answer | undefined => {
    const source = store.findSourceByToken(tx, token)
    if (!source || source.secretVersion !== secretVersion) throw notFound('source')
    const target = targetOf(tx, source)
    if (!isCurrent(decision, source, target.structure)) return undefined
    const { externalId, event } = decision
    const known =
      externalId === null ? undefined : store.findExternal(tx, source.pk, externalId, tx.now - EVENT_KEPT_MS)
    if (known && REPEATED.has(known.status)) {
      store.addCounts(tx, source.pk, { duplicate: 1 }, tx.now)
      return { status: 'duplicate', event_id: known.id, record_id: known.recordId }
    }
    const { status, recordId, error } = apply(tx, target, decision)
    const { body, size } = storedBodyOf(call, status)
    const isForwarded = decision.targets.length > 0 && !known
    // A repeated call replaces one that targets may still wait for.
    const isPassedOn = decision.targets.length > 0 || (known !== undefined && source.forwards !== null)
    const isSealed = isPassedOn || (source.secret !== null && size === null)
    const sealed = isSealed ? store.seal(call, source.secret ?? '', source.id) : undefined
    const headers = JSON.stringify(shownHeaders(call, source.provider, store.optionsOf(source)))
    const kept = Math.max(Buffer.byteLength(headers) + body.length, sealed?.length ?? 0)
    const columns = {
      externalId,
      event,
      status,
      recordId,
      error,
      receivedAt: tx.now,
      headers,
      body,
      size,
      kept,
    }
    const id = known?.id ?? tx.newId()
    const pk = known?.pk ?? store.insertEvent(tx, { ...columns, id, source: source.pk })
    if (known) store.updateEvent(tx, known.pk, columns)
    if (sealed) store.putSealed(tx, { event: pk, secretVersion, sealed })
    else if (known) dropSealed(tx, pk)
    addStoredBytes(tx, source.pk, kept - (known?.kept ?? 0), mostBytes)
    count(tx, source.pk, known?.status, status, tx.now)
    if (isForwarded) forwardEvent(tx, { id, type: event, recordId }, decision.targets)
    notifyAfterCommit(tx, source.id)
    return { status, event_id: id, record_id: recordId }
  },
})

/** Counts an event under its new status instead of its previous one. */
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

function apply(tx: Tx, target: Target, { data, refusal }: Decision): Outcome {
  if (refusal !== undefined) return outcome('unmapped', null, refusal)
  return data ? writeMapped(tx, target, data) : outcome('ignored')
}

interface ReplayInput {
  readonly sourceId: string
  readonly eventId: string
}

interface DecidedReplay extends ReplayInput {
  readonly decision: Decision
  /** The time of receipt of the call that was decided. */
  readonly receivedAt: number
}

function replayable(reader: Reader, caller: Caller, { sourceId, eventId }: ReplayInput) {
  const source = getSource(reader, caller, sourceId, 'change')
  const event = store.findEvent(reader, source.pk, eventId) ?? fail(notFound('event'))
  if (event.status === 'written' || event.status === 'updated')
    throw refused('This event was written already; change the row itself.')
  checkStoredWhole(event)
  return { source, event }
}

/** Writes an event again as decided; undefined if the source or the event has changed since the decision. */
export const replay = write({
  name: 'sources.replay',
  covers: 'structures',
  run: (tx, caller, { decision, receivedAt, ...input }: DecidedReplay): Outcome | undefined => {
    const { source, event } = replayable(tx, caller, input)
    const target = targetOf(tx, source)
    if (!isCurrent(decision, source, target.structure) || event.receivedAt !== receivedAt) return undefined
    const { status, recordId, error } = apply(tx, target, decision)
    store.updateEvent(tx, event.pk, { status, recordId, error, event: decision.event })
    count(tx, source.pk, event.status, status)
    notifyAfterCommit(tx, source.id)
    return { status, recordId, error }
  },
})

const NEEDS = { needsOwner: false, needsWrite: true, covers: 'structures', isNamed: false } as const

/** The credential of a verified call: writes of a source are scheduled fairly with all others. */
const credentialOf = (source: store.SourceRow): Credential =>
  credentialNamed(senderOf(source), grantOf(callerFor({ ...source, workspaceId: '' }), NEEDS))

const senderOf = ({ id }: store.SourceRow): string => `source ${id}`

/** Stores a verified call and writes its row. */
export async function receive(
  { db, kernel, config: { sourceBytes: mostBytes } }: Pick<AppContext, 'db' | 'kernel' | 'config'>,
  { token, secretVersion, call }: Pick<ArrivedInput, 'token' | 'secretVersion' | 'call'>,
): Promise<Answer> {
  const size = call.body.byteLength
  const getSourceNow = () => store.findSourceByToken(db, token) ?? fail(notFound('source'))
  const credential = credentialOf(getSourceNow())
  return writeDecided(
    async () => {
      const source = getSourceNow()
      return decideCall(db, source, { sender: senderOf(source), size, read: () => readCall(source, call) })
    },
    (decision) => kernel.call(storeCall, credential, { token, secretVersion, call, decision, mostBytes }),
  )
}

/** The caller that replays events, and its writes: from a request, or from a command that runs beside a server. */
export interface ReplayContext {
  readonly db: Reader
  readonly caller: Caller
  write(input: DecidedReplay): Outcome | undefined | Promise<Outcome | undefined>
}

export const replaysOf = (
  { db }: Pick<AppContext, 'db'>,
  exchange: Pick<Exchange, 'credential' | 'outputOf'>,
): ReplayContext => ({
  db,
  caller: exchange.credential,
  write: (input) => exchange.outputOf(replay, input),
})

/** Decides and writes an event again with the current source. Refuses events that were already written. */
export function replayEvent({ db, caller, write }: ReplayContext, input: ReplayInput): Promise<Outcome> {
  const sender = callerKeyOf(caller)
  let receivedAt = 0
  return writeDecided(
    async () => {
      const { source, event } = replayable(db, caller, input)
      receivedAt = event.receivedAt
      const read = () => readCall(source, store.callOf(db, event.pk))
      return decideCall(db, source, { sender, size: event.size, read })
    },
    (decision) => write({ ...input, decision, receivedAt }),
  )
}

type TryRequest = Static<typeof TryBody>

interface Trial {
  readonly status: store.Status
  readonly data: Record<string, unknown> | null
  readonly error: string | null
}

/** Writes an event as decided, to be rolled back; undefined if the source has changed since the decision. */
export const trial = write({
  name: 'sources.try',
  covers: 'structures',
  run: (tx, caller, { id, decision }: { id: string; decision: Decision }): Trial | undefined => {
    const source = getSource(tx, caller, id, 'read')
    const target = targetOf(tx, source)
    if (!isCurrent(decision, source, target.structure)) return undefined
    const { data, refusal } = decision
    if (refusal !== undefined) return { status: 'unmapped', data: null, error: refusal }
    if (!data) return { status: 'ignored', data: null, error: null }
    try {
      const { status, row } = writeMapped(tx, target, data)
      const written = row && status !== 'stale' ? dataOf(row) : data
      const shown = Object.entries(written).filter(([key]) => Object.hasOwn(data, key))
      return { status, data: Object.fromEntries(shown), error: null }
    } catch (error) {
      if (!isOfContent(error)) throw error
      return { status: 'unmapped', data, error: error.message }
    }
  },
  isTrial: () => true,
})

/** The outcome of an event, optionally with another map or other conditions; writes nothing. */
export function tryEvent(
  db: Reader,
  exchange: Pick<Exchange, 'credential' | 'outputOf' | 'bodyText'>,
  id: string,
  request: TryRequest,
): Promise<Trial> {
  const { body, headers, map, when, event_id: eventId } = request
  if ((body === undefined) === (eventId === undefined))
    throw invalid('Give exactly one of "body", a JSON value, and "event_id".')
  if (eventId !== undefined && headers !== undefined)
    throw invalid('"headers" go with "body" alone.', atPlace('headers'))
  if (when) checkWhen(when)
  const { credential, bodyText } = exchange
  const sourceNow = (): store.SourceRow => {
    const source = getSource(db, credential, id, 'read')
    if (map) checkMap(map, definitionOf(structureOf(db, source)))
    return {
      ...source,
      // Disabled sources can be tried, too.
      enabled: 1,
      ...(map && { map: JSON.stringify(map) }),
      ...(when && { when: JSON.stringify(when) }),
    }
  }
  const sender = callerKeyOf(credential)
  return writeDecided(
    async () => {
      const source = sourceNow()
      return decideCall(db, source, { sender, ...triedCall(db, source, request, bodyText) })
    },
    (decision) => exchange.outputOf(trial, { id, decision }),
  )
}

function triedCall(
  reader: Reader,
  source: store.SourceRow,
  request: TryRequest,
  bodyText: string,
): { size: number; read: () => Reading } {
  const { body, event_id: eventId } = request
  if (eventId !== undefined) {
    const event = store.findEvent(reader, source.pk, eventId) ?? fail(notFound('event'))
    checkStoredWhole(event)
    return { size: event.size, read: () => readCall(source, store.callOf(reader, event.pk)) }
  }
  const headers = headersIn(request.headers)
  const event = eventIn(source, { headers, body })
  const reading = { call: { headers, body, event }, event, externalId: null, error: null, headers }
  return { size: bodyText.length, read: () => reading }
}

/** Accepts headers by name, or in the format of a stored event. */
function headersIn(sent: TryRequest['headers']): [string, string][] {
  const pairs: unknown[] = isObject(sent) ? Object.entries(sent) : (sent ?? [])
  return pairs.map((pair) => {
    const [name, value] = Array.isArray(pair) ? pair : []
    if (typeof name !== 'string' || typeof value !== 'string')
      throw invalid(
        '"headers" must be an object of texts, or a list of pairs of name and value.',
        atPlace('headers'),
      )
    return [name.toLowerCase(), value]
  })
}
