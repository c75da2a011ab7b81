import { defineJob, enqueue, runWhole } from '../../kernel/jobs.ts'
import { long, read, write } from '../../kernel/operation.ts'
import { firstWithin } from '../../lib/first-within.ts'
import { compareNames } from '../../lib/text.ts'
import { authorOf, type ChangeAuthor, logChange } from '../../log/log.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { logLoss } from '../events.ts'
import { removeTagFromPresets } from '../presets/service.ts'
import { markAllForSearch, removeTagName } from '../search/indexing.ts'
import { touchNotes } from '../store.ts'
import { type FoundUsage, refuseWhileUsed, type TagUsage, tagUsage } from '../usage.ts'
import { tagNamesOfNotes } from '../writing/tags.ts'
import { getTagRow, tagKind } from './service.ts'

/*
 * A deletion removes the tag itself at once, so no read shows it and its name is free. Notes and tags that refer to it
 * lose it in the same transaction if they are few, else in a job.
 */

/** Maximum number of notes, and of links to other tags, from which one transaction removes a tag. */
const MOST_AT_ONCE = 1_000
/** Maximum total number of tag names on these notes. */
const MOST_NAMES_AT_ONCE = 40_000

/** A deleted tag to which notes and other tags may still refer. */
interface DeletedTag {
  readonly author: ChangeAuthor
  readonly name: string
}

/** Removes a deleted tag from notes, including trashed ones, and then from the tags linked with it. */
export const tagDetachment = defineJob<number, DeletedTag>('tag.detach', (tx, tag, deleted) =>
  takeOffSome(tx, tag, deleted) || removeSomeLinks(tx, tag, deleted) ? deleted : 'done',
)

interface Named {
  readonly id: string
}

/** The tag and the objects that use it, which prevent its deletion. */
export const readTag = read({
  name: 'tags.get',
  covers: 'notes',
  run: (snapshot, caller, { id }: { id: string }) => {
    const tag = getTagRow(snapshot, caller, id)
    const { webhooks: _, ...used_by } = tagUsage.find(snapshot, caller.workspacePk, tag.id).usage
    return { tag: tagKind.present(tag, snapshot), used_by }
  },
})

/** The objects that use a tag, found before the transaction that deletes it. */
export const findTagUsage = read({
  name: 'tags.usage',
  covers: 'notes',
  run: (snapshot, caller, { id }: Named) =>
    tagUsage.find(snapshot, caller.workspacePk, getTagRow(snapshot, caller, id).id),
})

/**
 * Deletes a tag, and removes it from every preset and every note, including trashed ones. Refuses if a view or lens
 * uses it.
 */
export const deleteTag = long(
  write({
    name: 'tags.delete',
    covers: 'notes',
    run: (tx, caller, { id: idInPath, found }: Named & { readonly found: FoundUsage<TagUsage> }) => {
      const { id, name } = getTagRow(tx, caller, idInPath)
      const usage = tagUsage.now(tx, caller.workspacePk, id, found)
      refuseWhileUsed(`The tag "${name}"`, usage, 'change those first')
      removeTagFromPresets(tx, caller, id)
      removeTagName(tx, id)
      tagKind.remove(tx, id)
      logChange(tx, caller, { kind: 'tag', id }, 'deleted', { hidden: { name } })
      const deleted = { author: authorOf(caller), name }
      if (!isLittleToTakeOff(tx, id)) enqueue(tx, tagDetachment, id, deleted)
      else runWhole(tx, tagDetachment, id, deleted)
      return { deleted: true, id }
    },
    settles: [tagDetachment],
  }),
)

/** Counts only as far as needed. */
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

const AT_ONCE = 20
/** Every logged change contains the names of all tags that its note had. */
const NAMES_AT_ONCE = 1_000

/**
 * Removes a deleted tag from some notes; returns whether there were any. The search index may retain it for a while,
 * because no search looks it up.
 */
function takeOffSome(tx: Tx, tag: number, { author, name }: DeletedTag): boolean {
  const carrying = tx.sql.rows<[note: number, tags: number]>(
    `SELECT note, (SELECT count(*) FROM note_tags o WHERE o.note = nt.note) FROM note_tags nt
     WHERE tag = ? LIMIT ?`,
    tag,
    AT_ONCE,
  )
  const found = firstWithin(carrying, NAMES_AT_ONCE, ([, tags]) => tags).map(([note]) => note)
  if (found.length === 0) return false
  const notes = JSON.stringify(found)
  touchNotes(tx, notes)
  for (const { id, tags } of tagNamesOfNotes(tx, notes))
    logLoss(tx, author, id, { tags: [...tags, name].sort(compareNames) }, inWords(name))
  tx.sql.run('DELETE FROM note_tags WHERE tag = ? AND note IN (SELECT value FROM json_each(?))', tag, notes)
  markAllForSearch(tx, author.workspacePk, notes, { canWait: true })
  return true
}

const inWords = (name: string) => `the tag "${name}"`

/** Removes some links of a deleted tag; returns whether there were any. */
function removeSomeLinks(tx: Tx, tag: number, deleted: DeletedTag): boolean {
  const { sql } = tx
  const linking = sql.column<number>('SELECT tag FROM tag_links WHERE linked = ? LIMIT ?', tag, AT_ONCE)
  for (const id of linking) logLostLink(tx, id, tag, deleted)
  const listed = JSON.stringify(linking)
  const { changes } = sql.run(
    `DELETE FROM tag_links WHERE tag = ?1 AND linked IN (SELECT linked FROM tag_links WHERE tag = ?1 LIMIT ?2)`,
    tag,
    AT_ONCE,
  )
  sql.run('DELETE FROM tag_links WHERE linked = ? AND tag IN (SELECT value FROM json_each(?))', tag, listed)
  return changes + linking.length > 0
}

/** Logs that a tag is no longer linked to a deleted one. */
function logLostLink(tx: Tx, id: number, lost: number, { author, name }: DeletedTag): void {
  const tag = tagKind.findById(tx, author.workspacePk, id)
  if (!tag) return
  const { linked_tags: left } = tagKind.present(tag, tx)
  const before = [...left, { id: lost, name }].sort((one, other) => compareNames(one.name, other.name))
  const difference = { changed: ['linked_tags'], previous: { linked_tags: before }, deleted: inWords(name) }
  logChange(tx, author, { kind: 'tag', id }, 'updated', { difference })
}
