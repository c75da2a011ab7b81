import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { repeatBriefly } from '../../kernel/repeated.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { pageRequest, presentPage } from '../../lib/pagination.ts'
import { fail, notFound } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { logRestoredComments } from '../../log/comments.ts'
import { type ChangeAuthor, logChange, systemAuthor } from '../../log/log.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { publishNote, wholeNoteJson } from '../events.ts'
import { indexAllLinks, removeSomeLinks } from '../links/indexing.ts'
import { removeFromQuickAccess } from '../pinned/service.ts'
import type { TrashQuery } from '../schema.ts'
import { markForSearch, removeFromSearch } from '../search/indexing.ts'
import {
  addToCounters,
  aliasColumns,
  findByAlias,
  findTrashedNote,
  furtherAliasesOf,
  getNote,
  getNoteSummary,
  type NoteRow,
  type NoteSummary,
  updateNote,
} from '../store.ts'
import { indexAliases } from './aliases.ts'
import { countInItsTags } from './tags.ts'

/** The aliases that a note takes into the trash or out of it; undefined for its own. */
export type HiddenAliases = Partial<Pick<NoteSummary, 'alias' | 'aliases'>>

interface Trashing {
  /** The aliases in the trash, if they differ: those that a restore removed. */
  readonly hidden?: HiddenAliases | undefined
  /** Receives the pk of the note if the caller removes it from the search tables (`removeAllFromSearch`). */
  readonly removed?: number[]
}

/** Moves a note to the trash; it can be restored for 30 days. */
export function putInTrash(
  tx: Tx,
  caller: Caller,
  id: string,
  { hidden = {}, removed }: Trashing = {},
): void {
  const note = getNoteSummary(tx, caller, id)
  publishNote(tx, caller, 'note.deleted', id)
  logChange(tx, caller, { kind: 'note', id }, 'deleted', {
    ...replacedBy(hidden, note),
    before: () => wholeNoteJson(tx, note.pk),
  })
  hideNote(tx, caller.workspacePk, note.pk, tx.now)
  setHidden(tx, note.pk, hidden)
  if (removed) removed.push(note.pk)
  else removeFromSearch(tx, caller.workspacePk, note.pk)
  removeFromQuickAccess(tx, caller, note.pk)
}

/** Removes an active note from all counts and lists; its entry in the search tables remains. */
export function hideNote(tx: Tx, workspace: number, pk: number, deletedAt: number): void {
  tx.sql.run('UPDATE notes SET deleted_at = ? WHERE pk = ?', deletedAt, pk)
  tx.sql.run('DELETE FROM note_aliases WHERE note = ?', pk)
  countInItsTags(tx, pk, -1)
  addToCounters(tx, workspace, -1, 1)
}

/** Makes a trashed note active; does not index its links. */
export function showNote(tx: Tx, workspace: number, pk: number): void {
  tx.sql.run('UPDATE notes SET deleted_at = NULL WHERE pk = ?', pk)
  indexAliases(tx, workspace, pk)
  countInItsTags(tx, pk, 1)
  addToCounters(tx, workspace, 1, -1)
  markForSearch(tx, workspace, pk)
}

/** The aliases before a change to the hidden ones; undo needs them, and the feed does not show them. */
function replacedBy(hidden: HiddenAliases, before: NoteSummary): { hidden?: HiddenAliases } {
  const replaced = {
    ...(hidden.alias !== undefined && { alias: before.alias }),
    ...(hidden.aliases !== undefined && { aliases: before.aliases }),
  }
  return Object.keys(replaced).length === 0 ? {} : { hidden: replaced }
}

function setHidden(tx: Tx, pk: number, { alias, aliases }: HiddenAliases): void {
  if (alias === undefined && aliases === undefined) return
  const columns = {
    ...(alias !== undefined && aliasColumns(alias)),
    ...(aliases !== undefined && { aliases }),
  }
  updateNote(tx, pk, columns, false)
}

/**
 * Restores a trashed note unchanged, including `updated_at`. It does not return to Quick Access, and loses the aliases
 * that other notes have taken meanwhile. `wanted` are its new aliases, if not its own.
 */
export function restoreFromTrash(tx: Tx, caller: Caller, id: string, wanted: HiddenAliases = {}): NoteRow {
  const { workspacePk } = caller
  const note = getTrashedNote(tx, caller, id)
  const hidden = { ...withoutTaken(tx, workspacePk, note), ...wanted }
  setHidden(tx, note.pk, hidden)
  showNote(tx, workspacePk, note.pk)
  const restored = getNote(tx, caller, id)
  indexAllLinks(tx, { workspace: workspacePk, note: note.pk }, restored.content)
  logChange(tx, caller, { kind: 'note', id }, 'restored', replacedBy(hidden, note))
  logRestoredComments(tx, caller, 'note', note.pk)
  publishNote(tx, caller, 'note.restored', id)
  return restored
}

/** The aliases of a trashed note, where other notes have taken some meanwhile. */
function withoutTaken(tx: Tx, workspace: number, note: NoteRow): HiddenAliases {
  const isTaken = (name: string) => findByAlias(tx, workspace, fold(name)) !== undefined
  const further = furtherAliasesOf(note)
  const free = further.filter((name) => !isTaken(name))
  return {
    ...(note.alias !== null && isTaken(note.alias) && { alias: null }),
    ...(free.length < further.length && { aliases: JSON.stringify(free) }),
  }
}

/** Trashed notes, most recently deleted first. */
export function listTrash({ sql }: Reader, { workspacePk }: Caller, query: Static<typeof TrashQuery>) {
  const { limit, offset } = pageRequest(query)
  const rows = sql.all<{ id: string; title: string; deletedAt: number }>(
    `SELECT id, title, deleted_at AS deletedAt FROM notes WHERE workspace = ? AND deleted_at IS NOT NULL
     ORDER BY deleted_at DESC, id DESC LIMIT ? OFFSET ?`,
    workspacePk,
    limit,
    offset,
  )
  const [total = 0] = sql.column<number>('SELECT trashed_notes FROM workspaces WHERE pk = ?', workspacePk)
  const notes = rows.map(({ id, title, deletedAt }) => ({ id, title, deleted_at: isoTimestamp(deletedAt) }))
  return { notes, ...presentPage(query, { items: rows, total }) }
}

interface Trashed {
  readonly pk: number
  readonly id: string
  readonly workspace: number
}

/** Purges a trashed note, or removes some of its links, because it may have many; returns whether it is purged. */
function purgeSome(tx: Tx, author: ChangeAuthor, { pk, id, workspace }: Trashed): boolean {
  const { sql } = tx
  if (removeSomeLinks(tx, pk)) return false
  sql.run('DELETE FROM notes WHERE pk = ?', pk)
  sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, pk)
  addToCounters(tx, workspace, 0, -1)
  logChange(tx, author, { kind: 'note', id }, 'purged')
  return true
}

/** Purges a note of any workspace that was trashed before an instant, or removes some of its links; returns which. */
export function removeSomeTrashedBefore(tx: Tx, before: number): 'note' | 'links' | 'nothing' {
  const note = tx.sql.get<Trashed>(
    `SELECT n.pk, n.id, n.workspace FROM workspaces w
     CROSS JOIN notes n ON n.workspace = w.pk AND n.deleted_at IS NOT NULL AND n.deleted_at < ? LIMIT 1`,
    before,
  )
  if (!note) return 'nothing'
  return purgeSome(tx, systemAuthor(note.workspace), note) ? 'note' : 'links'
}

/** Purges a trashed note, or removes its links for some milliseconds; returns whether it is purged. */
export function purgeNote(tx: Tx, caller: Caller, id: string): boolean {
  const { workspacePk: workspace } = caller
  const { pk } = getTrashedNote(tx, caller, id)
  return !repeatBriefly(() => !purgeSome(tx, caller, { pk, id, workspace }))
}

/** Purges notes trashed by an instant, for some milliseconds; returns their number, and whether all are purged. */
export function purgeTrash(tx: Tx, caller: Caller, end: number): { purged: number; isEmpty: boolean } {
  let purged = 0
  const hasMore = repeatBriefly(() => {
    const note = tx.sql.get<Trashed>(
      'SELECT pk, id, workspace FROM notes WHERE workspace = ? AND deleted_at <= ? LIMIT 1',
      caller.workspacePk,
      end,
    )
    if (note && purgeSome(tx, caller, note)) purged += 1
    return note !== undefined
  })
  return { purged, isEmpty: !hasMore }
}

export const getTrashedNote = (reader: Reader, { workspacePk }: Caller, id: string): NoteRow =>
  findTrashedNote(reader, workspacePk, id) ?? fail(notFound('trashed note'))
