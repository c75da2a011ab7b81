import { NoteData } from '../../change-feed/schema.ts'
import { type RecordData, valueIn } from '../../changes/record-data.ts'
import { wholeWorkspace } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import type { Reader } from '../../db/reader.ts'
import { sha256 } from '../../lib/sha256.ts'
import { Refusal, refused } from '../../refusal.ts'
import { findStructureById } from '../../structures/store.ts'
import type { RemoteObject } from '../object-forms.ts'
import { differenceBetween } from '../reconcile.ts'
import { type Remote, RemoteRefusal } from '../remote.ts'
import { findState, getState } from '../state.ts'
import { isConflict, isSameContent, listOverlay, localState, type OverlayRow } from './store.ts'

const MAX_CHANGES = 1_000

export interface PushRequest {
  readonly isDryRun: boolean
  /** The ids of objects whose conflicts are resolved in favour of what is here. */
  readonly keepMine: readonly string[]
  /** Waits until the copy has received changes that were pushed before; false where it has not after a while. */
  readonly receive: (pushed: readonly LocalChange[]) => Promise<boolean>
}

/**
 * Sends all local changes to the remote, in one transaction and on the versions that they were made on; returns them.
 * Sent again before the copy has received anything from the remote, they are the same request, which does nothing twice;
 * after that they are another one, as the remote may have deleted what was pushed. If the remote refuses that one, and an
 * earlier push was interrupted, the remote may have carried it out: the rest is pushed once the copy has received it.
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

/** An object that is kept although the remote deleted it is restored there first. */
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
      `There are ${changes.length} changes, and one push sends at most 1,000; reset some, or write them to the remote another way.`,
    )
  const sent: object[] = []
  for (const change of inOrder(changes)) {
    if (!change.isLost) sent.push(sentOf(change))
    else if (!isDryRun) sent.push(await sentAfterRestore(change, remote))
  }
  const body = JSON.stringify({ changes: sent, ...(isDryRun && { dry_run: true }) })
  if (!isDryRun) await markPushed(db, changes)
  const { cursor } = getState(db, db.file)
  if (sent.length > 0) await remote.apply(body, sha256(`${cursor} ${body}`))
  return changes
}

function refuseUnknown(keepMine: readonly string[], changes: readonly LocalChange[]): void {
  const unknown = keepMine.find((id) => !changes.some((change) => change.id === id))
  if (unknown !== undefined)
    throw refused(
      `There are no local changes of ${unknown}; "daybook mirror diff" lists the changed objects.`,
    )
}

/** How a conflict ends. */
export const WAYS_OUT =
  '"daybook mirror reset <id>" takes the state of the remote; "daybook mirror push --keep-mine <id>" writes yours over it.'

function refuseConflicts(changes: readonly LocalChange[]): void {
  const conflicts = changes.filter(({ conflict }) => conflict !== null)
  if (conflicts.length === 0) return
  const named = conflicts.map(({ kind, id, conflict }) => `The ${kind} ${id}: ${conflict}`)
  throw new Refusal(
    'stale',
    `Nothing was pushed: ${conflicts.length === 1 ? 'an object was' : 'objects were'} changed here and on the remote. ${named.join(' ')} ${WAYS_OUT}`,
  )
}

/** What the remote would get again as its own comes back. */
const markPushed = (db: Db, changes: readonly LocalChange[]): Promise<void> =>
  db.write(({ sql }): void => {
    for (const { kind, id, after } of changes)
      sql.run(
        'UPDATE mirror_overlay SET pushed = ? WHERE kind = ? AND id = ?',
        after && JSON.stringify(after),
        kind,
        id,
      )
  })

const ORDER = ['deleted', 'updated', 'created'] as const

/** What gives unique values free comes first. */
const inOrder = (changes: readonly LocalChange[]): LocalChange[] =>
  ORDER.flatMap((op) => changes.filter((change) => change.op === op))

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

/** A change of an object that the remote has deleted: all of it is sent, as its state there may be any. */
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

/** The values that differ, null for those that are gone. */
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
  return {
    ...differing(before ? attributes(before) : {}, attributes(after)),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
}

const ATTRIBUTES = Object.keys(NoteData.properties).filter((name) => name !== 'properties')

const POLL_MS = 100
const WAIT_MS = 15_000

/** Waits until the pushed changes have come back with the changes of the remote; false if they have not after a while. */
export async function untilBack(db: Db, pushed: readonly LocalChange[]): Promise<boolean> {
  const sent = new Map(pushed.map((change) => [change.id, JSON.stringify(change.after)]))
  const isBack = () => listLocalChanges(db).every(({ id, after }) => sent.get(id) !== JSON.stringify(after))
  for (let waited = 0; !isBack(); waited += POLL_MS) {
    if (waited >= WAIT_MS) return false
    await Bun.sleep(POLL_MS)
  }
  return true
}

/** What was changed in a writable mirror and is not the same on the remote. */
export interface LocalChange {
  readonly kind: 'note' | 'record'
  readonly id: string
  readonly op: 'created' | 'updated' | 'deleted'
  /** The title of a note, the label of a record. */
  readonly label: string | null
  readonly structure_id: string | null
  /** The attributes or fields that an update changed. */
  readonly changed: readonly string[]
  /** What the remote did to it meanwhile, in a sentence; null where it did nothing. */
  readonly conflict: string | null
  /** Whether the remote deleted it, and it is kept all the same. */
  readonly isLost: boolean
  /**
   * As it was when it was changed here, or as the remote has it where that is overwritten, and as it is here; null where
   * there is nothing.
   */
  readonly before: RemoteObject | null
  readonly after: RemoteObject | null
}

const parsed = (json: string | null) => (json === null ? null : (JSON.parse(json) as RemoteObject))

/** In the order in which they were first changed; those to keep on what the remote has now. */
export function listLocalChanges(reader: Reader, keepMine: readonly string[] = []): LocalChange[] {
  const workspacePk = findState(reader)?.workspace ?? 0
  return listOverlay(reader).flatMap((row): LocalChange[] | LocalChange => {
    const { kind, id, structure } = row
    if (kind !== 'note' && kind !== 'record') return []
    const { json } = localState(reader, row, workspacePk)
    if (isSameContent(json, row.remote) || isSameContent(json, row.base)) return []
    // An object that the tables cannot hold is none that the remote could hold.
    const isKept = keepMine.includes(id) && isConflict(row) && row.problem === null
    const isLost = isKept && row.remote === null
    const [before, after] = [parsed(isKept && !isLost ? row.remote : row.base), parsed(json)]
    return {
      kind,
      id,
      op: before === null ? 'created' : after === null ? 'deleted' : 'updated',
      label: labelOf(reader, workspacePk, row, after ?? before),
      structure_id: structure,
      changed: before && after ? differenceBetween(kind, before, after).changed : [],
      conflict: isConflict(row) && !isKept ? conflictOf(row) : null,
      isLost,
      before,
      after,
    }
  })
}

function labelOf(
  reader: Reader,
  workspacePk: number,
  { kind, structure }: OverlayRow,
  object: RemoteObject | null,
): string | null {
  if (kind === 'note') return String(object?.title)
  const label = findStructureById(reader, wholeWorkspace(workspacePk), structure ?? '')?.labelField ?? null
  const value = label === null ? undefined : valueIn((object?.data ?? {}) as RecordData, label)
  return value === undefined ? null : String(value)
}

function conflictOf({ kind, base, remote, problem }: OverlayRow): string {
  if (problem !== null) return problem
  const [before, after] = [parsed(base), parsed(remote)]
  if (after === null) return 'The remote deleted it meanwhile.'
  if (before === null) return 'The remote has an object with this id meanwhile.'
  const { changed } = differenceBetween(kind, before, after)
  return changed.length === 0
    ? 'The remote changed it meanwhile.'
    : `The remote changed it meanwhile: ${changed.join(', ')}.`
}
