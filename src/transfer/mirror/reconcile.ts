import { wholeWorkspace } from '../../context.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { changedKeys, previousValues, type RecordData } from '../../lib/record-data.ts'
import type { MirroredChange } from '../../log/append-mirrored.ts'
import { type Difference, differenceOf, oldValues } from '../../log/difference.ts'
import { type Copy, instantOf } from '../../objects/copy.ts'
import { CurrentObjects, listVisible } from '../../objects/current.ts'
import { recordJson } from '../../records/rows/present.ts'
import { findRecord } from '../../records/rows/store.ts'
import { listStructureRows } from '../../records/structures/store.ts'
import type { Reader } from '../../storage/reader.ts'
import { liveRows, type RowPlace } from '../../storage/row-table-names.ts'
import { CHANGE_KINDS, type ChangeKind } from '../../storage/schema/changes.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import type { RemoteObject } from './remote-objects.ts'
import type { Stage, StagedObject } from './stage.ts'
import { findState } from './state.ts'

/** The tolerated difference between the clocks of the remote and of the copy. */
const CLOCKS_DIFFER_MS = 60_000

const SYSTEM = { surface: 'system', user_id: null, key_id: null, name: null }

/**
 * Reduces a stage of the whole workspace to its differences from the copy, with an entry for each: equal objects are
 * removed, and objects that the stage lacks are deleted.
 */
export function reconcile(copy: Copy<Stage>): void {
  const { tx, workspacePk, stage } = copy
  const newSince = (findState(tx)?.lastContactAt ?? 0) - CLOCKS_DIFFER_MS
  for (const kind of CHANGE_KINDS)
    for (const object of compare(tx, workspacePk, stage, kind)) {
      if (object.current === object.json) stage.remove(object.seq)
      else {
        const entry = differenceEntry(tx, kind, object, newSince)
        if (entry) stage.addEntry(entry)
      }
    }
}

/** The log entry for an object that differs; undefined if no attribute differs. */
export function differenceEntry(
  tx: Tx,
  kind: ChangeKind,
  object: Omit<Compared, 'seq'>,
  newSince = Number.POSITIVE_INFINITY,
): MirroredChange | undefined {
  const { current, json } = object
  if (json === null) return entryOf(tx, kind, object, 'deleted')
  if (current === null) return entryOf(tx, kind, object, 'created', undefined, createdAfter(newSince, json))
  const difference = differenceBetween(kind, JSON.parse(current), JSON.parse(json))
  return difference.changed.length > 0 ? entryOf(tx, kind, object, 'updated', difference) : undefined
}

/**
 * The creation time of an object if it is after an instant. An older object that is new to the copy was imported or
 * restored.
 */
function createdAfter(instant: number, json: string): string | undefined {
  const { created_at: createdAt } = JSON.parse(json) as { created_at?: string }
  return createdAt !== undefined && instantOf(createdAt) > instant ? createdAt : undefined
}

function entryOf(
  tx: Tx,
  kind: ChangeKind,
  { id, structureId }: Pick<StagedObject, 'id' | 'structureId'>,
  op: 'created' | 'updated' | 'deleted',
  { changed, previous }: Difference = { changed: [], previous: {} },
  at: string = isoTimestamp(tx.now),
): MirroredChange {
  return {
    transaction: 'copied again',
    at,
    kind,
    op,
    id: kind === 'tag' ? Number(id) : id,
    structure_id: kind === 'structure' ? id : structureId,
    changed,
    previous,
    actor: SYSTEM,
  }
}

export function differenceBetween(kind: ChangeKind, before: RemoteObject, after: RemoteObject): Difference {
  if (kind === 'record') {
    const [old, now] = [before.data as RecordData, after.data as RecordData]
    const keys = changedKeys(old, now)
    return { changed: keys, previous: previousValues(keys, old) }
  }
  const { changed, previous } = differenceOf(before, after, DERIVED[kind])
  if (kind !== 'note') return { changed, previous }
  const { content: _, properties, ...old } = previous
  if (properties === undefined) return { changed, previous: old }
  const values = oldValues(Object(before.properties), Object(after.properties))
  // Properties in another order are equal.
  if (Object.keys(values).length === 0)
    return { changed: changed.filter((name) => name !== 'properties'), previous: old }
  return { changed, previous: { ...old, properties: values } }
}

/** Derived attributes and counters, which change without an entry in the log. */
export const DERIVED: Partial<Record<ChangeKind, readonly string[]>> = {
  note: ['edited_at'],
  tag: ['note_count'],
  property: ['notes_with_value'],
  structure: ['record_count'],
  view: ['filter_summary', 'display'],
  quick_access_item: ['title'],
  file: ['note_id', 'outline'],
  webhook: ['structure', 'status', 'pending', 'oldest_pending_at', 'dropped'],
  source: ['structure', 'url', 'counts', 'last_event_at'],
  row_view: ['owner'],
  comment: ['author'],
}

/** Attributes that deliveries change without an entry in the log. A copy keeps the values of the last entry. */
export const UNLOGGED: Partial<Record<ChangeKind, readonly string[]>> = {
  webhook: ['pending', 'oldest_pending_at', 'dropped', 'consecutive_failures', 'updated_at'],
}

/** A staged object and its current state in the copy. */
interface Compared extends StagedObject {
  /** Null if the copy does not have it. */
  readonly current: string | null
}

/**
 * Compares a stage of the whole workspace with the copy: all objects of a kind that either has. Objects that the
 * stage lacks are staged as deleted.
 */
export function* compare(
  reader: Reader,
  workspacePk: number,
  stage: Stage,
  kind: ChangeKind,
): Generator<Compared> {
  for (const [id, structureId] of idsInCopy(reader, workspacePk, stage, kind))
    if (stage.objectJson(kind, id) === undefined) stage.put(kind, id, structureId, null)
  for (const staged of stage.objects(kind))
    yield {
      ...staged,
      current:
        kind === 'record' ? recordIn(reader, staged.id) : currentJson(reader, workspacePk, kind, staged.id),
    }
}

type Id = readonly [id: string, structureId: string | null]

function* idsInCopy(reader: Reader, workspacePk: number, stage: Stage, kind: ChangeKind): Generator<Id> {
  if (kind !== 'record') {
    for (const [, id] of listVisible(reader, workspacePk, kind))
      yield [String(id), kind === 'structure' ? String(id) : null]
    return
  }
  // The records of a deleted structure are deleted with it.
  for (const structure of listStructureRows(reader, wholeWorkspace(workspacePk)))
    if (stage.objectJson('structure', structure.id) !== null)
      yield* recordIds(reader, structure, structure.id)
}

const AT_ONCE = 1_000

function* recordIds({ sql }: Reader, structure: RowPlace, structureId: string): Generator<Id> {
  const select = `SELECT pk, (SELECT id FROM records r WHERE r.pk = rows.pk) FROM ${liveRows(structure)} AS rows
    WHERE pk > ? ORDER BY pk LIMIT ${AT_ONCE}`
  for (let last = 0; ; ) {
    const rows = sql.rows<[pk: number, id: string]>(select, last)
    for (const [, id] of rows) yield [id, structureId]
    if (rows.length < AT_ONCE) return
    last = rows.at(-1)?.[0] ?? last
  }
}

/** Skips the lookup of the structure: there may be millions of records. */
function recordIn(reader: Reader, id: string): string | null {
  const row = findRecord(reader, id)
  return row ? recordJson(row) : null
}

/** The current state of an object in the copy, as in responses; null if the copy does not have it. */
export function currentJson(
  reader: Reader,
  workspacePk: number,
  kind: ChangeKind,
  id: string,
  structureId: string | null = null,
): string | null {
  const whole = { ...wholeWorkspace(workspacePk), isEdited: true }
  const json = new CurrentObjects(reader, whole).jsonOf(kind, id, structureId)
  return json === 'null' ? null : json
}
