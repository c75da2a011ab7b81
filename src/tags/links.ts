import { type ChangeAuthor, systemAuthor } from '../changes/log.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import { inSteps, writeInSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { logAttribute } from '../notes/events.ts'
import { markAllForSearch } from '../notes/search/indexing.ts'
import { touchNotes } from '../notes/store.ts'
import {
  addToTagCount,
  attachTags,
  MAX_TAGS,
  refuseTooManyLinked,
  refuseTooManyTags,
  tagNamesOfNotes,
  withLinkedTags,
} from '../notes/writing/tags.ts'
import { atPlace, refused } from '../refusal.ts'
import { getTagRow, listNotesTagged, logTagUpdate, replaceLinks, type TagRow, tagKind } from './service.ts'

/*
 * Linking tags to a tag puts them on the notes that carry it: a note gets all its tags at once, and the job, which is stored
 * in the first transaction, goes on after a crash where it was.
 */

/** Replaces the tags that come along with a tag, and adds them to the notes that carry it. */
export const setTagLinks = (ctx: AppContext, caller: Caller, id: string, linked: readonly number[]) =>
  writeInSteps(ctx.db, (tx) => {
    const found = getTagRow(tx, caller, id)
    const before = broughtAlong(tx, found.id)
    // Looking up very many takes long.
    const count = new Set(linked).size
    if (count > before.length) refuseTooManyTags(count, 'A tag brings along')
    replaceLinks(tx, found.id, checkedLinks(tx, caller, found, linked))
    const after = getTagRow(tx, caller, id)
    logTagUpdate(tx, caller, found, after)
    const job = storeJob(tx, caller.workspacePk, found.id, before)
    return { result: tagKind.present(after, tx), step: (next) => doSome(next, caller, job) }
  })

function checkedLinks(tx: Tx, { workspacePk }: Caller, tag: TagRow, linked: readonly number[]): number[] {
  const wanted = [...new Set(linked)]
  if (wanted.includes(tag.id))
    throw refused(
      'A tag cannot be linked to itself; leave its own id out of linked_tag_ids.',
      atPlace('linked_tag_ids'),
    )
  const [unknown] = tx.sql.column<number>(
    `SELECT value FROM json_each(?)
     WHERE value NOT IN (SELECT id FROM tags WHERE workspace = ? AND is_removed = 0) ORDER BY key LIMIT 1`,
    JSON.stringify(wanted),
    workspacePk,
  )
  if (unknown === undefined) return wanted
  throw refused(
    `linked_tag_ids names ${unknown}, and there is no such tag in this workspace.`,
    atPlace('linked_tag_ids'),
  )
}

/** The tags that a tag puts on a note beside itself. */
const broughtAlong = (tx: Tx, tag: number): number[] =>
  withLinkedTags(tx, [tag]).filter((other) => other !== tag)

/** Linked tags that are put on the notes that carried the tag when it was linked to them. */
interface Job {
  readonly pk: number
  readonly tag: number
  readonly linked: readonly number[]
  readonly notes: readonly number[]
}

/** `before` are the tags that were linked until now: of more than a tag may bring along, some can be taken away. */
function storeJob(tx: Tx, workspace: number, tag: number, before: readonly number[]): Job {
  const linked = broughtAlong(tx, tag)
  if (before.length <= MAX_TAGS || new Set(linked).difference(new Set(before)).size > 0) {
    refuseTooManyTags(linked.length, 'A tag brings along')
    refuseTooManyLinked(tx, workspace, tag, linked)
  }
  const notes = linked.length === 0 ? [] : listNotesTagged(tx, tag)
  const { lastInsertRowid: pk } = tx.sql.run(
    'INSERT INTO tag_link_jobs (tag, linked, notes) VALUES (?, ?, ?)',
    tag,
    JSON.stringify(linked),
    JSON.stringify(notes),
  )
  return { pk, tag, linked, notes }
}

/** Finishes jobs that were interrupted, for example by a crash. */
export async function finishTagLinks(db: Db): Promise<void> {
  const jobs = db.sql.all<{ pk: number; tag: number; linked: string; notes: string; workspace: number }>(
    `SELECT pk, tag, linked, notes, (SELECT workspace FROM tags WHERE id = tag) AS workspace
     FROM tag_link_jobs ORDER BY pk`,
  )
  for (const { pk, tag, linked, notes, workspace } of jobs) {
    const job = { pk, tag, linked: JSON.parse(linked), notes: JSON.parse(notes) }
    await inSteps(db, (tx) => doSome(tx, systemAuthor(workspace), job))
  }
}

/** About how many tags one step puts on notes. */
const PAIRS_AT_ONCE = 1_000

/** Adds the linked tags to the next notes; returns whether there are more. Another process may have finished the job. */
function doSome(tx: Tx, author: ChangeAuthor, { pk, tag, linked, notes }: Job): boolean {
  const { sql } = tx
  const state = sql.get<{ done: number; remains: number }>(
    `SELECT done, EXISTS (SELECT 1 FROM tags WHERE id = tag AND is_removed = 0) AS remains
     FROM tag_link_jobs WHERE pk = ?`,
    pk,
  )
  if (!state) return false
  const { done, remains } = state
  if (remains === 0 || done >= notes.length * linked.length) {
    sql.run('DELETE FROM tag_link_jobs WHERE pk = ?', pk)
    return false
  }
  // A job is stored with the number of pairs that it has written.
  const first = Math.floor(done / linked.length)
  const end = first + Math.ceil(PAIRS_AT_ONCE / linked.length)
  addToNotes(tx, author, stillTagged(tx, tag, notes.slice(first, end)), remaining(tx, linked))
  sql.run('UPDATE tag_link_jobs SET done = ? WHERE pk = ?', end * linked.length, pk)
  return true
}

const stillTagged = ({ sql }: Tx, tag: number, notes: readonly number[]): number[] =>
  sql.column(
    'SELECT note FROM note_tags WHERE tag = ? AND note IN (SELECT value FROM json_each(?))',
    tag,
    JSON.stringify(notes),
  )

/** Those of the tags that were not deleted meanwhile. */
const remaining = ({ sql }: Tx, tags: readonly number[]): number[] =>
  sql.column(
    'SELECT id FROM tags WHERE id IN (SELECT value FROM json_each(?)) AND is_removed = 0',
    JSON.stringify(tags),
  )

/** Adds every one of the tags to every one of the notes, trashed ones too, and keeps counts and search in step. */
function addToNotes(tx: Tx, author: ChangeAuthor, notes: readonly number[], tags: readonly number[]): void {
  const counts = new Map<number, number>()
  const changed = tagNamesOfNotes(tx, JSON.stringify(notes)).filter(({ pk, isActive }) => {
    // Counted together: an update for each note would take as long as putting the tag on it.
    const added = attachTags(tx, pk, tags, false)
    if (isActive) for (const tag of added) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    return added.length > 0
  })
  for (const [tag, count] of counts) addToTagCount(tx, tag, count)
  const pks = JSON.stringify(changed.map(({ pk }) => pk))
  touchNotes(tx, pks)
  markAllForSearch(tx, author.workspacePk, pks, { canWait: false })
  for (const { id, tags: before } of changed) logAttribute(tx, author, id, 'tags', before)
}
