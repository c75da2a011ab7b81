import { wholeWorkspace } from '../../../context.ts'
import { NoteData } from '../../../feed/schema.ts'
import { sleep, systemClock } from '../../../lib/clock.ts'
import { type RecordData, valueIn } from '../../../lib/record-data.ts'
import { Refusal, refused } from '../../../lib/refusal.ts'
import { sha256 } from '../../../lib/sha256.ts'
import { writableData } from '../../../records/rows/writing/field-values.ts'
import { definitionOf, findStructureById, type StructureRow } from '../../../records/structures/store.ts'
import type { Db } from '../../../storage/database.ts'
import type { Reader } from '../../../storage/reader.ts'
import { differenceBetween } from '../reconcile.ts'
import { type Remote, RemoteRefusal } from '../remote.ts'
import type { RemoteObject } from '../remote-objects.ts'
import { findState, getState } from '../state.ts'
import {
  isAccepted,
  isConflict,
  isOwn,
  isSameContent,
  listOverlay,
  localState,
  type OverlayRow,
} from './store.ts'

const MAX_CHANGES = 1_000

export interface PushRequest {
  readonly isDryRun: boolean
  /** The ids of objects whose conflicts are resolved in favour of the local state. */
  readonly keepMine: readonly string[]
  /** Waits until the copy has received the changes that were pushed before; false after a time limit. */
  readonly receive: (pushed: readonly LocalChange[]) => Promise<boolean>
}

/**
 * Sends all local changes to the remote in one transaction, based on the versions that they changed; returns them.
 * Repeated before the copy has received anything from the remote, this sends the same request, which has no further
 * effect. Later it sends another request, because the remote may have deleted pushed objects. If the remote refuses
 * that request after an interrupted push, it may have committed the earlier push. The rest is pushed once the copy has
 * received that push.
 */
export async function pushLocalChanges(
  db: Db,
  remote: Remote,
  request: PushRequest,
): Promise<readonly LocalChange[]> {
  const interrupted = request.isDryRun ? [] : listInterrupted(db)
  try {
    return await pushOnce(db, remote, request)
  } catch (error) {
    if (!(error instanceof RemoteRefusal) || interrupted.length === 0) throw error
    if (!(await request.receive(interrupted))) throw error
    return pushOnce(db, remote, request)
  }
}

/** Changes that were pushed, but that the copy has not received from the remote. */
function listInterrupted(reader: Reader): LocalChange[] {
  const pushed = new Map(listOverlay(reader).map((row) => [row.id, row.pushed]))
  return listLocalChanges(reader).filter(
    ({ id, after }) => after !== null && pushed.get(id) === JSON.stringify(after),
  )
}

/** Restores a kept object on the remote first if the remote deleted it. */
async function pushOnce(
  db: Db,
  remote: Remote,
  { isDryRun, keepMine }: PushRequest,
): Promise<readonly LocalChange[]> {
  const changes = listLocalChanges(db, keepMine)
  refuseUnknown(keepMine, changes)
  if (changes.length === 0) return changes
  refuseConflicts(changes)
  if (changes.length > MAX_CHANGES)
    throw refused(
      `There are ${changes.length} changes, and one push sends at most 1,000; reset some of them.`,
    )
  const sent: object[] = []
  for (const change of inOrder(changes).map((one) => withoutComputed(db, one))) {
    if (!change.isLost) sent.push(sentOf(change))
    else if (!isDryRun) sent.push(await sentAfterRestore(change, remote))
  }
  const body = JSON.stringify({ changes: sent, ...(isDryRun && { dry_run: true }) })
  const pushed = isDryRun ? [] : await markPushed(db, changes)
  const { cursor } = getState(db, db.file)
  if (sent.length > 0) await remote.apply(body, sha256(`${cursor} ${body}`))
  if (!isDryRun) await markAccepted(db, pushed, cursor)
  return changes
}

function refuseUnknown(keepMine: readonly string[], changes: readonly LocalChange[]): void {
  const unknown = keepMine.find((id) => !changes.some((change) => change.id === id))
  if (unknown !== undefined)
    throw refused(
      `There are no local changes of ${unknown}; "daybook mirror diff" lists the changed objects.`,
    )
}

/** The ways to resolve a conflict. */
export const WAYS_OUT =
  '"daybook mirror reset <id>" keeps the remote state; "daybook mirror push --keep-mine <id>" overwrites it with yours.'

function refuseConflicts(changes: readonly LocalChange[]): void {
  const conflicts = changes.filter(({ conflict }) => conflict !== null)
  if (conflicts.length === 0) return
  const named = conflicts.map(({ kind, id, conflict }) => `The ${kind} ${id}: ${conflict}`)
  throw new Refusal(
    'stale',
    `Nothing was pushed: ${conflicts.length === 1 ? 'an object was' : 'objects were'} changed here and on the remote. ${named.join(' ')} ${WAYS_OUT}`,
  )
}

/**
 * Records the pushed states, to recognize them when the copy receives them from the remote. Returns the rows of objects
 * that were not deleted.
 */
const markPushed = (db: Db, changes: readonly LocalChange[]): Promise<readonly OverlayRow[]> =>
  db.write((tx): readonly OverlayRow[] => {
    for (const { kind, id, after } of changes)
      tx.sql.run(
        'UPDATE mirror_overlay SET pushed = ? WHERE kind = ? AND id = ?',
        after && JSON.stringify(after),
        kind,
        id,
      )
    const ids = new Set(changes.filter(({ after }) => after !== null).map(({ id }) => id))
    return listOverlay(tx).filter((row) => isOwn(row) && ids.has(row.id))
  })

/**
 * Makes the pushed states the base of further changes, unless the copy may have received the push already. The remote
 * has them, so whatever it does to these objects later is no conflict.
 */
const markAccepted = (db: Db, pushed: readonly OverlayRow[], cursor: string): Promise<void> =>
  db.write((tx): void => {
    // A created object that was deleted meanwhile shows no difference, except in the cursor.
    const isSameCursor = getState(tx, db.file).cursor === cursor
    for (const { kind, id, pushed: state, remote } of pushed)
      if (remote !== null || isSameCursor)
        tx.sql.run(
          'UPDATE mirror_overlay SET base = pushed WHERE kind = ? AND id = ? AND pushed = ? AND remote IS ?',
          kind,
          id,
          state,
          remote,
        )
  })

const ORDER = ['deleted', 'updated', 'created'] as const

/** Changes that free unique values come first. */
const inOrder = (changes: readonly LocalChange[]): LocalChange[] =>
  ORDER.flatMap((op) => changes.filter((change) => change.op === op))

/** The change without the values of formulas, which the remote computes itself and refuses to write. */
function withoutComputed(reader: Reader, change: LocalChange): LocalChange {
  const structure = change.kind === 'record' && structureOf(reader, change.structure_id)
  if (!structure) return change
  const definition = definitionOf(structure)
  const writable = (object: RemoteObject | null) =>
    object && { ...object, data: writableData(definition, object.data as RecordData) }
  return { ...change, before: writable(change.before), after: writable(change.after) }
}

type Sent = Pick<LocalChange, 'kind' | 'op' | 'id' | 'structure_id' | 'before' | 'after'>

function sentOf({ kind, op, id, structure_id: structure, before, after }: Sent): object {
  return {
    kind,
    op,
    id,
    ...(structure !== null && { structure }),
    ...(before && { if_unchanged: before.updated_at }),
    ...(after && { data: kind === 'note' ? noteData(before, after) : recordData(before, after) }),
  }
}

/** Sends the whole object if the remote has deleted it, because its state there is unknown. */
async function sentAfterRestore(change: LocalChange, remote: Remote): Promise<object> {
  const { kind, id, structure_id, before, after } = change
  const restored = await remote.restore(kind, id)
  if (!restored || !after) return sentOf({ ...change, op: 'created', before: null })
  const data = (kind === 'note' ? noteData : recordData)(null, after) as Record<string, unknown>
  const member = kind === 'note' ? 'properties' : 'data'
  const gone = Object.fromEntries(Object.keys(Object(before?.[member])).map((key) => [key, null]))
  const values = { ...gone, ...Object(after[member]) }
  return {
    ...sentOf({ kind, op: 'updated', id, structure_id, before: restored, after }),
    data: kind === 'note' ? { ...data, properties: values } : values,
  }
}

type Values = Readonly<Record<string, unknown>>

/** A field may be called `constructor`. */
const ownOrNull = (values: Values, key: string) => (Object.hasOwn(values, key) ? (values[key] ?? null) : null)

/** The values that differ; null for removed values. */
function differing(before: Values, after: Values): Record<string, unknown> {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  const values = [...keys].map((key) => [key, ownOrNull(after, key)] as const)
  return Object.fromEntries(values.filter(([key, value]) => !Bun.deepEquals(value, ownOrNull(before, key))))
}

const recordData = (before: RemoteObject | null, after: RemoteObject) =>
  differing((before?.data ?? {}) as Values, after.data as Values)

function noteData(before: RemoteObject | null, after: RemoteObject): object {
  const attributes = (note: RemoteObject): Values =>
    Object.fromEntries(ATTRIBUTES.map((name) => [name, note[name]]))
  const properties = differing((before?.properties ?? {}) as Values, after.properties as Values)
  const changed = differing(before ? attributes(before) : {}, attributes(after))
  return {
    ...changed,
    // Aliases that were given cannot become absent again.
    ...(changed.aliases === null && { aliases: [] }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
}

const ATTRIBUTES = Object.keys(NoteData.properties).filter((name) => name !== 'properties')

const POLL_MS = 100
const WAIT_MS = 15_000

/** Waits until the remote's changes include the pushed ones; false after a time limit. */
export async function untilBack(db: Db, pushed: readonly LocalChange[]): Promise<boolean> {
  const sent = new Map(pushed.map((change) => [change.id, JSON.stringify(change.after)]))
  const isBack = () =>
    listLocalChanges(db).every(({ id, after }) => sent.get(id) !== JSON.stringify(after)) &&
    listOverlay(db).every((row) => !sent.has(row.id) || !isAccepted(row))
  for (let waited = 0; !isBack(); waited += POLL_MS) {
    if (waited >= WAIT_MS) return false
    await sleep(systemClock, POLL_MS)
  }
  return true
}

/** A local change of a writable mirror that differs from the remote. */
export interface LocalChange {
  readonly kind: 'note' | 'record'
  readonly id: string
  readonly op: 'created' | 'updated' | 'deleted'
  /** The title of a note, the label of a record. */
  readonly label: string | null
  readonly structure_id: string | null
  /** The attributes or fields that an update changed. */
  readonly changed: readonly string[]
  /** The conflicting change of the remote, as a sentence; null for none. */
  readonly conflict: string | null
  /** Whether the remote deleted an object whose conflict is resolved in favour of the local state. */
  readonly isLost: boolean
  /**
   * The state before the local change, or the remote state if that is overwritten, and the local state; null for
   * none.
   */
  readonly before: RemoteObject | null
  readonly after: RemoteObject | null
}

const parsed = (json: string | null) => (json === null ? null : (JSON.parse(json) as RemoteObject))

/** In the order of their first changes. Changes to keep are based on the current remote state. */
export function listLocalChanges(reader: Reader, keepMine: readonly string[] = []): LocalChange[] {
  const workspacePk = findState(reader)?.workspace ?? 0
  return listOverlay(reader).flatMap((row): LocalChange[] | LocalChange => {
    const { kind, id, structure } = row
    if (kind !== 'note' && kind !== 'record') return []
    const { json } = localState(reader, row, workspacePk)
    if (isSameContent(json, row.remote) || isSameContent(json, row.base)) return []
    // The remote could not store an object that the local tables cannot hold.
    const isKept = keepMine.includes(id) && isConflict(row) && row.problem === null
    const isLost = isKept && row.remote === null
    const [before, after] = [parsed(isKept && !isLost ? row.remote : row.base), parsed(json)]
    return {
      kind,
      id,
      op: before === null ? 'created' : after === null ? 'deleted' : 'updated',
      label: labelOf(reader, row, after ?? before),
      structure_id: structure,
      changed: before && after ? differenceBetween(kind, before, after).changed : [],
      conflict: isConflict(row) && !isKept ? conflictOf(row) : null,
      isLost,
      before,
      after,
    }
  })
}

function structureOf(reader: Reader, id: string | null): StructureRow | undefined {
  const workspacePk = findState(reader)?.workspace ?? 0
  return findStructureById(reader, wholeWorkspace(workspacePk), id ?? '')
}

function labelOf(
  reader: Reader,
  { kind, structure }: OverlayRow,
  object: RemoteObject | null,
): string | null {
  if (kind === 'note') return String(object?.title)
  const label = structureOf(reader, structure)?.labelField ?? null
  const value = label === null ? undefined : valueIn((object?.data ?? {}) as RecordData, label)
  return value === undefined ? null : String(value)
}

function conflictOf({ kind, base, remote, problem }: OverlayRow): string {
  if (problem !== null) return problem
  const [before, after] = [parsed(base), parsed(remote)]
  if (after === null) return 'The remote deleted it meanwhile.'
  if (before === null) return 'The remote has since created an object with this id.'
  const { changed } = differenceBetween(kind, before, after)
  return changed.length === 0
    ? 'The remote changed it meanwhile.'
    : `The remote changed it meanwhile: ${changed.join(', ')}.`
}
