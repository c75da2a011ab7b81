import { type ChangeAuthor, logChange, systemAuthor } from '../changes/log.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import { inSteps, writeInSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { refuseWhileUsed } from '../feature-hooks.ts'
import { compareNames } from '../lib/text.ts'
import { markAllForSearch } from '../notes/search/indexing.ts'
import { removeTagName } from '../notes/search/tables.ts'
import { touchNotes } from '../notes/store.ts'
import { logLoss } from '../notes/writing/log-update.ts'
import { nameOfTag, tagNamesOfNotes } from '../notes/writing/tags.ts'
import { getTagRow, tagKind } from './service.ts'

/*
 * A deletion first hides the tag from every read and frees its name; then the tag is taken off the notes. After a crash in
 * between nothing of the tag is visible, and the next start finishes the deletion.
 */

/**
 * Deletes a tag, and takes it off every note, trashed ones too, and every preset; refused while a view or lens uses it.
 * Returns its id.
 */
export async function deleteTag(ctx: AppContext, caller: Caller, idInPath: string): Promise<number> {
  const { db, features } = ctx
  const { workspacePk } = caller
  const found = await features.usageOfTag.find(ctx, caller, getTagRow(db, caller, idInPath).id)
  return writeInSteps(db, (tx) => {
    const { id, name } = getTagRow(tx, caller, idInPath)
    const usage = features.usageOfTag.now(tx, workspacePk, id, found)
    refuseWhileUsed(`The tag "${name}"`, usage, 'change those first')
    features.onTagDeleted(tx, caller, id)
    removeTagName(tx, workspacePk, id)
    tx.sql.run('UPDATE tags SET is_removed = 1 WHERE id = ?', id)
    logChange(tx, caller, { kind: 'tag', id }, 'deleted', { hidden: { name } })
    return { result: id, step: (next) => removeSome(next, caller, id) }
  })
}

/** Finishes deletions that were interrupted, for example by a crash. */
export async function finishTagDeletions(db: Db): Promise<void> {
  const removed = db.sql.all<{ id: number; workspace: number }>(
    'SELECT id, workspace FROM tags WHERE is_removed = 1',
  )
  for (const { id, workspace } of removed)
    await inSteps(db, (tx) => removeSome(tx, systemAuthor(workspace), id))
}

/** Takes a removed tag off some notes, then away from some other tags, and then removes it; returns whether there may be more. */
const removeSome = (tx: Tx, author: ChangeAuthor, tag: number): boolean =>
  takeOffSome(tx, author, tag) || removeSomeLinks(tx, author, tag)

/** Few: each change holds the names of all tags that its note had. */
const AT_ONCE = 5

/** The search index may keep the tag for a while: nothing looks it up. */
function takeOffSome(tx: Tx, author: ChangeAuthor, tag: number): boolean {
  const found = tx.sql.column<number>('SELECT note FROM note_tags WHERE tag = ? LIMIT ?', tag, AT_ONCE)
  if (found.length === 0) return false
  const notes = JSON.stringify(found)
  const deleted = inWords(nameOfTag(tx, tag))
  for (const { id, tags } of tagNamesOfNotes(tx, notes, tag)) logLoss(tx, author, id, { tags }, deleted)
  tx.sql.run('DELETE FROM note_tags WHERE tag = ? AND note IN (SELECT value FROM json_each(?))', tag, notes)
  touchNotes(tx, notes)
  markAllForSearch(tx, author.workspacePk, notes, { canWait: true })
  return true
}

const inWords = (name: string) => `the tag "${name}"`

function removeSomeLinks(tx: Tx, author: ChangeAuthor, tag: number): boolean {
  const { sql } = tx
  const linked = 'SELECT linked FROM tag_links WHERE tag = ?1 LIMIT ?2'
  const linking = 'SELECT tag FROM tag_links WHERE linked = ?1 LIMIT ?2'
  logLostLinks(tx, author, tag, sql.column<number>(linking, tag, AT_ONCE))
  const removed =
    sql.run(`DELETE FROM tag_links WHERE tag = ?1 AND linked IN (${linked})`, tag, AT_ONCE).changes +
    sql.run(`DELETE FROM tag_links WHERE linked = ?1 AND tag IN (${linking})`, tag, AT_ONCE).changes
  if (removed > 0) return true
  sql.run('DELETE FROM tags WHERE id = ? AND is_removed = 1', tag)
  return false
}

/** Logs that these tags are no longer linked to a removed one. */
function logLostLinks(tx: Tx, author: ChangeAuthor, removed: number, linking: readonly number[]): void {
  if (linking.length === 0) return
  const lost = { id: removed, name: nameOfTag(tx, removed) }
  for (const id of linking) {
    const tag = tagKind.findById(tx, author.workspacePk, id)
    if (!tag) continue
    const { linked_tags: left } = tagKind.present(tag, tx)
    const before = [...left, lost].sort((one, other) => compareNames(one.name, other.name))
    const difference = {
      changed: ['linked_tags'],
      previous: { linked_tags: before },
      deleted: inWords(lost.name),
    }
    logChange(tx, author, { kind: 'tag', id }, 'updated', { difference })
  }
}
