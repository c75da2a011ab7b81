import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import type { Page, PageRequest } from '../../http/page.ts'
import { fold } from '../../lib/text.ts'
import { fail, notFound } from '../../refusal.ts'
import { forgetInSearch, markForSearch } from '../search/pending.ts'
import { findByAlias, findHead, findTrashedHead, type NoteRow, updateHead } from '../store.ts'
import { getNoteIn } from './change.ts'
import { countInTags } from './tagging.ts'

export interface TrashRow {
  id: string
  title: string
  deletedAt: number
}

/** Puts a note into the trash, from where it can be restored for 30 days. */
export const trashNote = (ctx: AppContext, caller: Caller, id: string): Promise<void> =>
  ctx.db.write((tx) => {
    const note = findHead(tx, caller.workspacePk, id) ?? fail(notFound('note'))
    tx.sql.run('UPDATE notes SET deleted_at = ? WHERE pk = ?', tx.now, note.pk)
    countInTags(tx, note.pk, -1)
    forgetInSearch(tx, caller.workspacePk, note.pk)
    ctx.usage.onNoteTrashed(tx, caller.workspacePk, note.pk)
    moveCounters(tx, caller.workspacePk, { live: -1, trashed: 1 })
  })

/** Moves how many notes the workspace counts, active ones and those in the trash. */
export const moveCounters = (
  { sql }: Tx,
  workspace: number,
  { live, trashed }: { live: number; trashed: number },
) =>
  sql.run(
    'UPDATE workspaces SET live_notes = live_notes + ?, trashed_notes = trashed_notes + ? WHERE pk = ?',
    live,
    trashed,
    workspace,
  )

/**
 * Takes a note out of the trash as it was, `updated_at` included. Its place in Quick Access does not come back, and
 * its alias is lost when another note claimed it meanwhile.
 */
export const restoreNote = (ctx: AppContext, caller: Caller, id: string): Promise<NoteRow> =>
  ctx.db.write((tx) => {
    const { workspacePk } = caller
    const note = findTrashedHead(tx, workspacePk, id) ?? fail(notFound('trashed note'))
    const aliasClaimed = note.alias !== null && findByAlias(tx, workspacePk, fold(note.alias)) !== undefined
    if (aliasClaimed) updateHead(tx, note.pk, { alias: null, aliasFold: null }, tx.now)
    tx.sql.run('UPDATE notes SET deleted_at = NULL WHERE pk = ?', note.pk)
    countInTags(tx, note.pk, 1)
    markForSearch(tx, workspacePk, note.pk)
    moveCounters(tx, workspacePk, { live: 1, trashed: -1 })
    return getNoteIn(tx, caller, id)
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

/** Removes for good the notes trashed before `before`, at most `most` of them; answers how many. */
export function removeTrashedBefore({ sql }: Tx, before: number, most: number): number {
  const rows = sql.all<{ pk: number; workspace: number }>(
    'SELECT pk, workspace FROM notes WHERE deleted_at < ? LIMIT ?',
    before,
    most,
  )
  for (const { pk, workspace } of rows) {
    sql.run('DELETE FROM notes WHERE pk = ?', pk)
    sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, pk)
    sql.run('UPDATE workspaces SET trashed_notes = trashed_notes - 1 WHERE pk = ?', workspace)
  }
  return rows.length
}
