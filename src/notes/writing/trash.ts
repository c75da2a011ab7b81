import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import type { Page, PageRequest } from '../../http/page.ts'
import { fold } from '../../lib/text.ts'
import { fail, notFound } from '../../refusal.ts'
import { markForSearch, removeFromSearch } from '../search/indexing.ts'
import {
  addToCounters,
  findByAlias,
  findTrashedNote,
  getNote,
  getNoteSummary,
  type NoteRow,
  updateNote,
} from '../store.ts'
import { countInItsTags } from './tags.ts'

export interface TrashRow {
  id: string
  title: string
  deletedAt: number
}

/** Moves a note to the trash, from where it can be restored for 30 days. */
export const trashNote = (ctx: AppContext, caller: Caller, id: string): Promise<void> =>
  ctx.db.write((tx) => {
    const note = getNoteSummary(tx, caller, id)
    tx.sql.run('UPDATE notes SET deleted_at = ? WHERE pk = ?', tx.now, note.pk)
    countInItsTags(tx, note.pk, -1)
    removeFromSearch(tx, caller.workspacePk, note.pk)
    ctx.features.onNoteTrashed(tx, caller.workspacePk, note.pk)
    addToCounters(tx, caller.workspacePk, -1, 1)
  })

/**
 * Restores a note from the trash as it was, including `updated_at`. It does not return to Quick Access, and it loses its
 * alias if another note has taken it meanwhile.
 */
export const restoreNote = (ctx: AppContext, caller: Caller, id: string): Promise<NoteRow> =>
  ctx.db.write((tx) => {
    const { workspacePk } = caller
    const note = findTrashedNote(tx, workspacePk, id) ?? fail(notFound('trashed note'))
    const isAliasTaken = note.alias !== null && findByAlias(tx, workspacePk, fold(note.alias)) !== undefined
    if (isAliasTaken) updateNote(tx, note.pk, { alias: null, aliasFold: null })
    tx.sql.run('UPDATE notes SET deleted_at = NULL WHERE pk = ?', note.pk)
    countInItsTags(tx, note.pk, 1)
    markForSearch(tx, workspacePk, note.pk)
    addToCounters(tx, workspacePk, 1, -1)
    return getNote(tx, caller, id)
  })

/** Trashed notes, most recently deleted first. */
export function listTrash({ sql }: Reader, { workspacePk }: Caller, page: PageRequest): Page<TrashRow> {
  const items = sql.all<TrashRow>(
    `SELECT id, title, deleted_at AS deletedAt FROM notes WHERE workspace = ? AND deleted_at IS NOT NULL
     ORDER BY deleted_at DESC, id DESC LIMIT ? OFFSET ?`,
    workspacePk,
    page.limit,
    page.offset,
  )
  const total = sql.scalar<number>('SELECT trashed_notes FROM workspaces WHERE pk = ?', workspacePk)
  return { items, total }
}

/** Deletes up to `limit` notes that were trashed before `before`; returns how many. */
export function removeTrashedBefore(tx: Tx, before: number, limit: number): number {
  const { sql } = tx
  const rows = sql.all<{ pk: number; workspace: number }>(
    'SELECT pk, workspace FROM notes WHERE deleted_at < ? LIMIT ?',
    before,
    limit,
  )
  for (const { pk, workspace } of rows) {
    sql.run('DELETE FROM notes WHERE pk = ?', pk)
    sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, pk)
    addToCounters(tx, workspace, 0, -1)
  }
  return rows.length
}
