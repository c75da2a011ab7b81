import { type ChangeAuthor, systemAuthor } from '../changes/log.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import { inChunks } from '../db/writes/chunks.ts'
import { completing } from '../db/writes/requester.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { markAllForSearch } from '../notes/search/indexing.ts'
import { touchNotes } from '../notes/store.ts'
import { logAttribute } from '../notes/writing/log-update.ts'
import {
  addToTagCount,
  MAX_TAGS,
  nameOfTag,
  refuseTooManyLinked,
  refuseTooManyTags,
  tagNamesOfNotes,
  withLinkedTags,
} from '../notes/writing/tags.ts'
import { refused } from '../refusal.ts'
import { getTagRow, logTagUpdate, type TagRow, tagKind } from './service.ts'
import { replaceLinks, unknownTag } from './store.ts'

/*
 * Linking tags to a tag puts them on the notes that carry it. Few pairs of a note and a tag are written in the
 * transaction of the request. Many are written in chunks while the request waits: a note gets all its tags at once, and
 * the job, which is stored in the first transaction, goes on after a crash where it was.
 */

/** How many pairs of a note and a tag one transaction writes. */
const PAIRS_AT_ONCE = 2_000

/** Replaces the tags that come along with a tag, and adds them to the notes that carry it. */
export async function setTagLinks(ctx: AppContext, caller: Caller, id: string, linked: readonly number[]) {
  const { tag, job } = await ctx.db.write((tx) => {
    const found = getTagRow(tx, caller, id)
    const before = broughtAlong(tx, found.id)
    // Looking up very many takes long.
    const count = new Set(linked).size
    if (count > before.length) refuseTooManyTags(count, 'A tag brings along')
    replaceLinks(tx, found.id, checkedLinks(tx, caller, found, linked))
    const linkedTag = getTagRow(tx, caller, id)
    logTagUpdate(tx, caller, found, linkedTag)
    const started = startLinking(tx, caller, found.id, before)
    return { tag: tagKind.present(getTagRow(tx, caller, id), tx), job: started }
  })
  if (job !== undefined) await completing(() => runJob(ctx.db, job, () => caller))
  return tag
}

function checkedLinks(tx: Tx, { workspacePk }: Caller, tag: TagRow, linked: readonly number[]): number[] {
  const wanted = [...new Set(linked)]
  if (wanted.includes(tag.id))
    throw refused('A tag cannot be linked to itself; leave its own id out of linked_tag_ids.')
  const unknown = unknownTag(tx, workspacePk, wanted)
  if (unknown === undefined) return wanted
  throw refused(`linked_tag_ids names ${unknown}, and there is no such tag in this workspace.`)
}

/** The tags that a tag puts on a note beside itself. */
const broughtAlong = (tx: Tx, tag: number): number[] =>
  withLinkedTags(tx, [tag]).filter((other) => other !== tag)

/**
 * Adds the linked tags at once when they are few, else stores a job and returns its pk. `before` are the tags that were
 * linked until now: of more than a tag may bring along, some can be taken away.
 */
function startLinking(
  tx: Tx,
  author: ChangeAuthor,
  tag: number,
  before: readonly number[],
): number | undefined {
  const linked = broughtAlong(tx, tag)
  if (before.length <= MAX_TAGS || new Set(linked).difference(new Set(before)).size > 0) {
    refuseTooManyTags(linked.length, 'A tag brings along')
    refuseTooManyLinked(tx, author.workspacePk, tag, linked)
  }
  if (linked.length === 0) return undefined
  const notes = tx.sql.column<number>('SELECT note FROM note_tags WHERE tag = ?', tag)
  if (notes.length * linked.length <= PAIRS_AT_ONCE) {
    addToNotes(tx, author, notes, linked)
    return undefined
  }
  return tx.sql.run(
    'INSERT INTO tag_link_jobs (tag, linked, notes) VALUES (?, ?, ?)',
    tag,
    JSON.stringify(linked),
    JSON.stringify(notes),
  ).lastInsertRowid
}

/** Finishes jobs that were interrupted, for example by a crash. */
export async function finishTagLinks(db: Db): Promise<void> {
  for (const pk of db.sql.column<number>('SELECT pk FROM tag_link_jobs ORDER BY pk'))
    await runJob(db, pk, systemAuthor)
}

/** Who goes on with a job in a workspace: the caller who began it, or the server itself. */
type AuthorIn = (workspace: number) => ChangeAuthor

interface Job {
  readonly tag: number
  readonly linked: readonly number[]
  readonly notes: readonly number[]
}

async function runJob(db: Db, pk: number, authorIn: AuthorIn): Promise<void> {
  let job: Job | undefined
  const next = (tx: Tx): boolean => {
    job ??= findJob(tx, pk)
    return job !== undefined && doSome(tx, pk, job, authorIn)
  }
  await inChunks(db, next)
}

function findJob({ sql }: Tx, pk: number): Job | undefined {
  const row = sql.get<{ tag: number; linked: string; notes: string }>(
    'SELECT tag, linked, notes FROM tag_link_jobs WHERE pk = ?',
    pk,
  )
  return row && { tag: row.tag, linked: JSON.parse(row.linked), notes: JSON.parse(row.notes) }
}

/** Writes a chunk; returns whether there is more. Another process may have finished the job in the meantime. */
function doSome(tx: Tx, pk: number, { tag, linked, notes }: Job, authorIn: AuthorIn): boolean {
  const { sql } = tx
  const state = sql.get<{ done: number; workspace: number | null }>(
    `SELECT done, (SELECT workspace FROM tags WHERE id = tag AND is_removed = 0) AS workspace
     FROM tag_link_jobs WHERE pk = ?`,
    pk,
  )
  if (!state) return false
  const { done, workspace } = state
  if (workspace === null || done >= notes.length * linked.length) {
    sql.run('DELETE FROM tag_link_jobs WHERE pk = ?', pk)
    return false
  }
  const chunk = chunkAt(done, notes, linked)
  addToNotes(tx, authorIn(workspace), stillTagged(tx, tag, chunk.notes), remaining(tx, chunk.linked))
  sql.run(
    'UPDATE tag_link_jobs SET done = ? WHERE pk = ?',
    done + chunk.notes.length * chunk.linked.length,
    pk,
  )
  return true
}

/** The next pairs: some notes with all their tags, or one note with some of very many tags. */
function chunkAt(done: number, notes: readonly number[], linked: readonly number[]) {
  const note = Math.floor(done / linked.length)
  const count = Math.max(1, Math.floor(PAIRS_AT_ONCE / linked.length))
  const from = done % linked.length
  return { notes: notes.slice(note, note + count), linked: linked.slice(from, from + PAIRS_AT_ONCE) }
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
  const added = addPairs(tx, notes, tags)
  for (const [tag, count] of finishNotes(tx, author, added)) addToTagCount(tx, tag, count)
}

/** The tags that were added to notes, by note. */
type AddedTags = Map<number, number[]>

/** One statement for each: before one of several rows SQLite would save every page, because it may break a reference. */
function addPairs({ sql }: Tx, notes: readonly number[], tags: readonly number[]): AddedTags {
  const added: AddedTags = new Map()
  for (const tag of tags) {
    for (const note of notes) {
      const { changes } = sql.run('INSERT OR IGNORE INTO note_tags (tag, note) VALUES (?, ?)', tag, note)
      if (changes === 1) added.set(note, [...(added.get(note) ?? []), tag])
    }
  }
  return added
}

/** What follows from added tags for their notes; returns how many active notes got each. */
function finishNotes(tx: Tx, author: ChangeAuthor, added: AddedTags): Map<number, number> {
  const counts = new Map<number, number>()
  const changed = JSON.stringify([...added.keys()])
  const active = tx.sql.column<number>(
    'SELECT pk FROM notes WHERE pk IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL',
    changed,
  )
  for (const note of active)
    for (const tag of added.get(note) ?? []) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  touchNotes(tx, changed)
  markAllForSearch(tx, author.workspacePk, changed, { canWait: false })
  logAdded(tx, author, changed, added)
  return counts
}

/** Logs an update of every changed note; its tags before are those it has now without the added ones. */
function logAdded(tx: Tx, author: ChangeAuthor, changed: string, added: AddedTags): void {
  const names = new Map<number, string>()
  const nameOf = (tag: number) => {
    const name = names.get(tag) ?? nameOfTag(tx, tag)
    names.set(tag, name)
    return name
  }
  for (const { pk, id, tags } of tagNamesOfNotes(tx, changed)) {
    const addedNames = new Set(added.get(pk)?.map(nameOf))
    const before = tags.filter((name) => !addedNames.has(name))
    logAttribute(tx, author, id, 'tags', before)
  }
}
