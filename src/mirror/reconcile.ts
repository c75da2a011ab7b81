import { CurrentObjects } from '../change-feed/objects.ts'
import { CHANGE_KINDS, type ChangeKind, type Difference, differenceOf } from '../changes/entries.ts'
import { changedKeys, type RecordData, valueIn } from '../changes/record-data.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { recordJson } from '../records/present.ts'
import { findRecord } from '../records/store.ts'
import { listStructureRows } from '../structures/store.ts'
import { type CopyTransaction, instantOf } from './apply/copy-transaction.ts'
import { listRecordIds } from './apply/records.ts'
import type { RemoteObject } from './remote-objects.ts'
import type { StagedObject } from './stage.ts'
import { findState } from './state.ts'

/** Where the ids of a kind are in the copy, of the objects that are visible. */
const IDS: Record<Exclude<ChangeKind, 'record'>, string> = {
  note: 'SELECT id FROM notes WHERE workspace = ? AND deleted_at IS NULL',
  tag: 'SELECT id FROM tags WHERE workspace = ? AND is_removed = 0',
  property: 'SELECT id FROM properties WHERE workspace = ? AND is_removed = 0',
  structure: 'SELECT id FROM structures WHERE workspace = ? AND name_fold IS NOT NULL',
  preset: 'SELECT id FROM presets WHERE workspace = ?',
  view: 'SELECT id FROM views WHERE workspace = ?',
  lens: 'SELECT id FROM lenses WHERE workspace = ?',
  quick_access_item: 'SELECT id FROM quick_access WHERE workspace = ?',
  file: `SELECT id FROM files WHERE workspace = ? AND status IN ('processing', 'ready', 'failed')`,
  webhook: 'SELECT id FROM webhooks WHERE workspace = ? AND is_removed = 0',
}

/** How much the clocks of the remote and of the copy may differ. */
const CLOCKS_DIFFER_MS = 60_000

/** Attributes that follow from others or count something else, and change without an entry in the log. */
export const DERIVED: Partial<Record<ChangeKind, readonly string[]>> = {
  tag: ['note_count'],
  property: ['notes_with_value'],
  structure: ['record_count'],
  view: ['filter_summary', 'display'],
  quick_access_item: ['title'],
  file: ['note_id', 'outline'],
  webhook: ['structure', 'status'],
}

const SYSTEM = { surface: 'system', user_id: null, key_id: null, name: null }

/**
 * Turns a stage that holds the whole workspace into one that holds what differs from the copy, with an entry for each
 * difference: what is the same is taken out, and what the stage lacks is gone.
 */
export function reconcile(copy: CopyTransaction): void {
  const newSince = (findState(copy.tx)?.lastContactAt ?? 0) - CLOCKS_DIFFER_MS
  for (const kind of CHANGE_KINDS) {
    addMissing(copy, kind)
    for (const staged of copy.stage.objects(kind)) compare(copy, kind, staged, newSince)
  }
}

function addMissing({ tx, workspacePk, stage }: CopyTransaction, kind: ChangeKind): void {
  if (kind !== 'record') {
    for (const id of tx.sql.column<string | number>(IDS[kind], workspacePk))
      if (!stage.has(kind, id)) stage.put(kind, id, kind === 'structure' ? String(id) : null, null)
    return
  }
  const structures = listStructureRows(tx, workspacePk).filter(
    ({ id }) => stage.objectJson('structure', id) !== null,
  )
  for (const { id, structureId } of listRecordIds(tx, structures))
    if (!stage.has(kind, id)) stage.put(kind, id, structureId, null)
}

function compare(
  copy: CopyTransaction,
  kind: ChangeKind,
  { seq, id, structureId, json }: StagedObject,
  newSince: number,
): void {
  const { stage } = copy
  const before = currentJson(copy, kind, id)
  if (before === json) {
    stage.remove(kind, seq)
    return
  }
  if (before === null) {
    const at = json === null ? undefined : createdAfter(newSince, json)
    addEntry(copy, kind, { id, structureId }, 'created', undefined, at)
  } else if (json === null) addEntry(copy, kind, { id, structureId }, 'deleted')
  else {
    const difference = differenceBetween(kind, JSON.parse(before), JSON.parse(json))
    if (difference.changed.length > 0) addEntry(copy, kind, { id, structureId }, 'updated', difference)
  }
}

/** When an object was made, if that was after an instant; an older one that is new to the copy was imported, or restored. */
function createdAfter(instant: number, json: string): string | undefined {
  const { created_at: createdAt } = JSON.parse(json) as { created_at?: string }
  return createdAt !== undefined && instantOf(createdAt) > instant ? createdAt : undefined
}

function currentJson({ tx, workspacePk }: CopyTransaction, kind: ChangeKind, id: string): string | null {
  if (kind === 'record') {
    const row = findRecord(tx, id)
    return row ? recordJson(row) : null
  }
  const json = new CurrentObjects(tx, { workspacePk }).jsonOf(kind, id, null)
  return json === 'null' ? null : json
}

function addEntry(
  { tx, stage }: CopyTransaction,
  kind: ChangeKind,
  { id, structureId }: Pick<StagedObject, 'id' | 'structureId'>,
  op: 'created' | 'updated' | 'deleted',
  { changed, previous }: Difference = { changed: [], previous: {} },
  at: string = isoTimestamp(tx.now),
): void {
  stage.addEntry({
    transaction: 'copied anew',
    at,
    kind,
    op,
    id: kind === 'tag' ? Number(id) : id,
    structure_id: kind === 'structure' ? id : structureId,
    changed,
    previous,
    actor: SYSTEM,
  })
}

function differenceBetween(kind: ChangeKind, before: RemoteObject, after: RemoteObject): Difference {
  if (kind === 'record') return differenceOfData(before.data as RecordData, after.data as RecordData)
  const { changed, previous } = differenceOf(before, after, DERIVED[kind])
  if (kind !== 'note') return { changed, previous }
  const { content: _, properties, ...old } = previous
  if (properties === undefined) return { changed, previous: old }
  return { changed, previous: { ...old, properties: changedValues(before.properties, after.properties) } }
}

function differenceOfData(before: RecordData, after: RecordData): Difference {
  const changed = changedKeys(before, after)
  return { changed, previous: Object.fromEntries(changed.map((key) => [key, valueIn(before, key) ?? null])) }
}

/** The old values of the properties that changed, null where there was none. */
function changedValues(before: unknown, after: unknown): Record<string, unknown> {
  const [old, now] = [Object(before) as Record<string, unknown>, Object(after) as Record<string, unknown>]
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  const changed = keys.filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]))
  return Object.fromEntries(changed.map((key) => [key, old[key] ?? null]))
}
