import { CurrentObjects } from '../../change-feed/objects.ts'
import { wholeWorkspace } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { wholeNoteJson } from '../../notes/writing/log-update.ts'
import { recordJson } from '../../records/present.ts'
import { findRecord } from '../../records/store.ts'
import type { OverlayRow } from './store.ts'

/** An object as it was changed here; it may be held back from the tables. */
export interface LocalState {
  /** Null where there is nothing, also of what was deleted. */
  readonly json: string | null
  /** Of what was deleted and can be restored. */
  readonly deletedAt: number | null
}

export function localState(reader: Reader, row: OverlayRow, workspacePk: number): LocalState {
  if (row.held !== null) return { json: row.held, deletedAt: null }
  const { kind, id } = row
  if (kind === 'record') {
    const record = findRecord(reader, id)
    return stateOf(record && recordJson(record), record?.deletedAt)
  }
  if (kind === 'note') {
    const note = findNoteKey(reader, id)
    return stateOf(note && (wholeNoteJson(reader, note.pk) ?? undefined), note?.deletedAt)
  }
  const json = new CurrentObjects(reader, { ...wholeWorkspace(workspacePk), isEdited: true }).jsonOf(
    kind,
    id,
    null,
  )
  return stateOf(json === 'null' ? undefined : json, null)
}

const stateOf = (json: string | undefined, deletedAt: number | null = null): LocalState => ({
  json: deletedAt === null ? (json ?? null) : null,
  deletedAt,
})

/** A note, also in the trash. */
export const findNoteKey = (
  { sql }: Reader,
  id: string,
): { readonly pk: number; readonly deletedAt: number | null } | undefined =>
  sql.get('SELECT pk, deleted_at AS deletedAt FROM notes WHERE id = ?', id)
