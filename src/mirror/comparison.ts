import { CurrentObjects } from '../change-feed/objects.ts'
import { listVisibleIds } from '../change-feed/snapshot.ts'
import type { ChangeKind } from '../changes/entries.ts'
import { wholeWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { liveRows, type RowPlace } from '../db/row-table-names.ts'
import { recordJson } from '../records/present.ts'
import { findRecord } from '../records/store.ts'
import { listStructureRows } from '../structures/store.ts'
import type { Stage, StagedObject } from './stage.ts'

/** Attributes that follow from others or count something else, and change without an entry in the log. */
export const DERIVED: Partial<Record<ChangeKind, readonly string[]>> = {
  note: ['edited_at'],
  tag: ['note_count'],
  property: ['notes_with_value'],
  structure: ['record_count'],
  view: ['filter_summary', 'display'],
  quick_access_item: ['title'],
  file: ['note_id', 'outline'],
  webhook: ['structure', 'status'],
  source: ['structure', 'url', 'counts', 'last_event_at'],
  row_view: ['owner'],
}

/** An object as it is staged, and as the copy has it now. */
export interface Compared extends StagedObject {
  /** Null for one that the copy does not have. */
  readonly current: string | null
}

/**
 * Compares a stage that holds the whole workspace with the copy: all objects of a kind that either has. Those that the
 * stage lacks are staged as gone.
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
    yield { ...staged, current: currentJson(reader, workspacePk, kind, staged.id) }
}

type Id = readonly [id: string, structureId: string | null]

function* idsInCopy(reader: Reader, workspacePk: number, stage: Stage, kind: ChangeKind): Generator<Id> {
  if (kind !== 'record') {
    for (const id of listVisibleIds(reader, workspacePk, kind)) yield [id, kind === 'structure' ? id : null]
    return
  }
  // The records of a structure that is gone go with it.
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

function currentJson(reader: Reader, workspacePk: number, kind: ChangeKind, id: string): string | null {
  if (kind === 'record') {
    const row = findRecord(reader, id)
    return row ? recordJson(row) : null
  }
  const whole = { ...wholeWorkspace(workspacePk), isEdited: true }
  const json = new CurrentObjects(reader, whole).jsonOf(kind, id, null)
  return json === 'null' ? null : json
}
