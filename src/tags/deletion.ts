import { type ChangeAuthor, logChange, systemAuthor } from '../changes/log.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { WorkerTask } from '../db/worker/client.ts'
import { firstWithin, inSteps } from '../db/writes/chunks.ts'
import { completing } from '../db/writes/requester.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { type FeatureHooks, type FoundUsage, refuseWhileUsed, type TagUsage } from '../feature-hooks.ts'
import { compareNames } from '../lib/text.ts'
import { logLoss } from '../notes/events.ts'
import { markAllForSearch } from '../notes/search/indexing.ts'
import { removeTagName } from '../notes/search/tables.ts'
import { touchNotes } from '../notes/store.ts'
import { nameOfTag, tagNamesOfNotes } from '../notes/writing/tags.ts'
import { getTagRow, tagKind } from './service.ts'

/*
 * A deletion is one transaction if it is little to write. Else the first transaction hides the tag from every read and
 * frees its name, and only then it is taken off the notes, in chunks, so that nothing waits. After a crash in between
 * nothing of the tag is visible, and the next start finishes the deletion.
 */

/** How many notes, and links to other tags, a single transaction takes a tag off. */
const MOST_AT_ONCE = 1_000
/** How many names of tags these notes may have in all. */
const MOST_NAMES_AT_ONCE = 40_000

/** Deletes a tag; takes it off every note where these are few. */
export const tagDeletion = (
  features: FeatureHooks,
): WorkerTask<
  { caller: Caller; idInPath: string; found: FoundUsage<TagUsage> },
  { readonly id: number; readonly isWhole: boolean }
> => ({
  name: 'features.deleteTag',
  run: (tx, { caller, idInPath, found }) => {
    const { workspacePk } = caller
    const tag = getTagRow(tx, caller, idInPath)
    refuseWhileUsed(
      `The tag "${tag.name}"`,
      features.usageOfTag.now(tx, workspacePk, tag.id, found),
      'change those first',
    )
    features.onTagDeleted(tx, caller, tag.id)
    removeTagName(tx, workspacePk, tag.id)
    tx.sql.run('UPDATE tags SET is_removed = 1 WHERE id = ?', tag.id)
    logChange(tx, caller, { kind: 'tag', id: tag.id }, 'deleted', { hidden: { name: tag.name } })
    const isWhole = isLittleToTakeOff(tx, tag.id)
    if (isWhole) while (takeOffSome(tx, caller, tag.id) || removeSomeLinks(tx, caller, tag.id));
    return { id: tag.id, isWhole }
  },
})

/**
 * Deletes a tag, and takes it off every note, trashed ones too, and every preset; refused while a view or lens uses it.
 * Returns its id.
 */
export async function deleteTag(ctx: AppContext, caller: Caller, idInPath: string): Promise<number> {
  const { id: named } = getTagRow(ctx.db, caller, idInPath)
  const found = await ctx.features.usageOfTag.find(ctx, caller, named)
  const { signal: _, ...author } = caller
  const { id, isWhole } = await ctx.worker.write(tagDeletion(ctx.features), {
    caller: author,
    idInPath,
    found,
  })
  if (!isWhole) await completing(() => takeOffNotes(ctx.db, author, id))
  return id
}

/** Counts no further than it must. */
function isLittleToTakeOff({ sql }: Tx, tag: number): boolean {
  const carrying = 'SELECT note FROM note_tags WHERE tag = ?1 LIMIT ?2'
  const links = `SELECT 1 FROM (SELECT 1 FROM tag_links WHERE linked = ?1 UNION ALL SELECT 1 FROM tag_links WHERE tag = ?1) LIMIT ?2`
  const names = `SELECT 1 FROM (${carrying}) c CROSS JOIN note_tags o ON o.note = c.note LIMIT ?3`
  const count = (rows: string, ...values: number[]) =>
    sql.scalar<number>(`SELECT count(*) FROM (${rows})`, tag, ...values)
  const most = MOST_AT_ONCE + 1
  return (
    count(carrying, most) < most &&
    count(links, most) < most &&
    count(names, most, MOST_NAMES_AT_ONCE + 1) <= MOST_NAMES_AT_ONCE
  )
}

/** Finishes deletions that were interrupted, for example by a crash. */
export async function finishTagDeletions(db: Db): Promise<void> {
  const removed = db.sql.all<{ id: number; workspace: number }>(
    'SELECT id, workspace FROM tags WHERE is_removed = 1',
  )
  for (const { id, workspace } of removed) await takeOffNotes(db, systemAuthor(workspace), id)
}

const takeOffNotes = (db: Db, author: ChangeAuthor, tag: number): Promise<void> =>
  inSteps(db, (tx) => takeOffSome(tx, author, tag) || removeSomeLinks(tx, author, tag))

const AT_ONCE = 20
/** Every change holds the names of all tags that its note had. */
const NAMES_AT_ONCE = 1_000

/**
 * Takes a removed tag off some notes; returns whether there were any. The search index may keep it for a while:
 * nothing looks it up.
 */
function takeOffSome(tx: Tx, author: ChangeAuthor, tag: number): boolean {
  const carrying = tx.sql.rows<[note: number, tags: number]>(
    `SELECT note, (SELECT count(*) FROM note_tags o WHERE o.note = nt.note) FROM note_tags nt
     WHERE tag = ? LIMIT ?`,
    tag,
    AT_ONCE,
  )
  const found = firstWithin(carrying, NAMES_AT_ONCE, ([, tags]) => tags).map(([note]) => note)
  if (found.length === 0) return false
  const notes = JSON.stringify(found)
  const deleted = inWords(nameOfTag(tx, tag))
  touchNotes(tx, notes)
  for (const { id, tags } of tagNamesOfNotes(tx, notes, tag)) logLoss(tx, author, id, { tags }, deleted)
  tx.sql.run('DELETE FROM note_tags WHERE tag = ? AND note IN (SELECT value FROM json_each(?))', tag, notes)
  markAllForSearch(tx, author.workspacePk, notes, { canWait: true })
  return true
}

const inWords = (name: string) => `the tag "${name}"`

/** Removes some links of a removed tag, and then the tag itself; returns whether there may be more. */
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
  const deleted = inWords(lost.name)
  for (const id of linking) {
    const tag = tagKind.findById(tx, author.workspacePk, id)
    if (!tag) continue
    const { linked_tags: left } = tagKind.present(tag, tx)
    const before = [...left, lost].sort((one, other) => compareNames(one.name, other.name))
    const difference = { changed: ['linked_tags'], previous: { linked_tags: before }, deleted }
    logChange(tx, author, { kind: 'tag', id }, 'updated', { difference })
  }
}
