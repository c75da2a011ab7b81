import { logChange, systemAuthor } from '../../changes/log.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { fold } from '../../lib/text.ts'
import { fail, notFound } from '../../refusal.ts'
import { publishNote } from '../events.ts'
import { indexLinks, removeSomeLinks } from '../links/indexing.ts'
import { markForSearch } from '../search/indexing.ts'
import { removeFromSearch } from '../search/tables.ts'
import {
  addToCounters,
  aliasColumns,
  findByAlias,
  findTrashedNote,
  getNote,
  getNoteSummary,
  type NoteRow,
  type TrashRow,
  updateNote,
} from '../store.ts'
import { countInItsTags } from './tags.ts'

/** Moves a note to the trash, from where it can be restored for 30 days. */
export const trashNote = (ctx: AppContext, caller: Caller, id: string): Promise<void> =>
  ctx.db.write((tx) => putInTrash(ctx, tx, caller, id))

interface Trashing {
  /** What its alias is to be in the trash, where that differs: the one that a restore took from it. */
  readonly alias?: string | null
  /** Gets the pk of the note if the caller removes it from the search tables (`removeAllFromSearch`). */
  readonly removed?: number[]
}

/** Moves a note to the trash in the caller's transaction. */
export function putInTrash(
  ctx: Pick<AppContext, 'features'>,
  tx: Tx,
  caller: Caller,
  id: string,
  { alias, removed }: Trashing = {},
): void {
  const note = getNoteSummary(tx, caller, id)
  publishNote(tx, caller, 'note.deleted', id)
  tx.sql.run('UPDATE notes SET deleted_at = ? WHERE pk = ?', tx.now, note.pk)
  if (alias !== undefined) setAliasInTrash(tx, note.pk, alias)
  countInItsTags(tx, note.pk, -1)
  if (removed) removed.push(note.pk)
  else removeFromSearch(tx, caller.workspacePk, note.pk)
  addToCounters(tx, caller.workspacePk, -1, 1)
  logChange(tx, caller, { kind: 'note', id }, 'deleted', alias === undefined ? {} : hiddenAlias(note.alias))
  ctx.features.onNoteTrashed(tx, caller, note.pk)
}

/** What taking back a change of the alias in the trash, which the feed does not show, needs. */
const hiddenAlias = (alias: string | null) => ({ hidden: { alias } })

const setAliasInTrash = (tx: Tx, pk: number, alias: string | null): void =>
  updateNote(tx, pk, aliasColumns(alias))

/**
 * Restores a note from the trash as it was, including `updated_at`. It does not return to Quick Access, and it loses its
 * alias if another note has taken it meanwhile.
 */
export const restoreNote = (ctx: AppContext, caller: Caller, id: string): Promise<NoteRow> =>
  ctx.db.write((tx) => takeOutOfTrash(tx, caller, id))

/** Restores a note from the trash in the caller's transaction; `wanted` is the alias that it is to have, if not its own. */
export function takeOutOfTrash(tx: Tx, caller: Caller, id: string, wanted?: string | null): NoteRow {
  const { workspacePk } = caller
  const note = findTrashedNote(tx, workspacePk, id) ?? fail(notFound('trashed note'))
  const isTaken = note.alias !== null && findByAlias(tx, workspacePk, fold(note.alias)) !== undefined
  const alias = wanted === undefined && isTaken ? null : wanted
  if (alias !== undefined) setAliasInTrash(tx, note.pk, alias)
  tx.sql.run('UPDATE notes SET deleted_at = NULL WHERE pk = ?', note.pk)
  countInItsTags(tx, note.pk, 1)
  markForSearch(tx, workspacePk, note.pk)
  const restored = getNote(tx, caller, id)
  indexLinks(tx, { workspace: workspacePk, note: note.pk }, restored.content)
  addToCounters(tx, workspacePk, 1, -1)
  logChange(tx, caller, { kind: 'note', id }, 'restored', alias === undefined ? {} : hiddenAlias(note.alias))
  publishNote(tx, caller, 'note.restored', id)
  return restored
}

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

/** Deletes a note that was trashed before `before`, or some of its links; returns what. */
export function removeSomeTrashedBefore(tx: Tx, before: number): 'note' | 'links' | 'nothing' {
  const { sql } = tx
  const note = sql.get<{ pk: number; id: string; workspace: number }>(
    `SELECT n.pk, n.id, n.workspace FROM workspaces w
     CROSS JOIN notes n ON n.workspace = w.pk AND n.deleted_at IS NOT NULL AND n.deleted_at < ? LIMIT 1`,
    before,
  )
  if (!note) return 'nothing'
  const { pk, id, workspace } = note
  if (removeSomeLinks(tx, pk)) return 'links'
  sql.run('DELETE FROM notes WHERE pk = ?', pk)
  sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, pk)
  addToCounters(tx, workspace, 0, -1)
  logChange(tx, systemAuthor(workspace), { kind: 'note', id }, 'purged')
  return 'note'
}
