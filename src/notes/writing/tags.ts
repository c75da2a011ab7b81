import type { Caller } from '../../context.ts'
import { fail, notFound, refuseDotName, refused } from '../../lib/refusal.ts'
import { fold, withCommas } from '../../lib/text.ts'
import { type ChangeAuthor, logChange } from '../../log/log.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { logNoteUpdate } from '../events.ts'
import { indexTagName, markForSearch } from '../search/indexing.ts'
import { getNote, type NoteRow, touchNote } from '../store.ts'

/** Finds a tag, ignoring case and blanks around the name. */
export const findTagByName = ({ sql }: Reader, workspace: number, name: string): { id: number } | undefined =>
  sql.get('SELECT id FROM tags WHERE workspace = ? AND name_fold = ?', workspace, fold(name.trim()))

export const nameOfTag = ({ sql }: Reader, tag: number): string =>
  sql.scalar('SELECT name FROM tags WHERE id = ?', tag)

/** The distinct ids of the tags with these names; creates missing tags. */
export function ensureTags(tx: Tx, author: ChangeAuthor, names: readonly string[]): number[] {
  const ids = new Set<number>()
  for (const name of names) {
    const trimmed = name.trim()
    const known = findTagByName(tx, author.workspacePk, trimmed)
    // Existing tags with such a name, left by an import or an older version, remain usable.
    if (!known) refuseDotName(trimmed, 'tag')
    ids.add(known?.id ?? insertTag(tx, author, trimmed))
  }
  return [...ids]
}

/** Whether no tag has the id, and no note, tag or search entry may still refer to a deleted tag with it. */
export const isFreeTagId = ({ sql }: Reader, id: number): boolean =>
  sql.get(
    `SELECT 1 FROM tags WHERE id = ?1 UNION ALL SELECT 1 FROM note_tags WHERE tag = ?1
     UNION ALL SELECT 1 FROM tag_links WHERE tag = ?1 OR linked = ?1
     UNION ALL SELECT 1 FROM search_pending WHERE can_wait = 1`,
    id,
  ) === undefined

/** Creates a tag; by default with the next id. */
export function insertTag(
  tx: Tx,
  author: ChangeAuthor,
  name: string,
  {
    id = null,
    color = null,
    isPinned = false,
  }: { id?: number | null; color?: string | null; isPinned?: boolean } = {},
): number {
  const { workspacePk: workspace } = author
  const insert =
    'INSERT INTO tags (id, workspace, name, name_fold, color, is_pinned) VALUES (?, ?, ?, ?, ?, ?)'
  const pinned = Number(isPinned)
  const { lastInsertRowid } = tx.sql.run(insert, id, workspace, name, fold(name), color, pinned)
  indexTagName(tx, workspace, lastInsertRowid, name)
  logChange(tx, author, { kind: 'tag', id: lastInsertRowid }, 'created')
  return lastInsertRowid
}

const LINKED = `SELECT linked FROM tag_links
  WHERE tag = ? AND (SELECT 1 FROM tags WHERE id = linked)`

/** These tags and all tags linked to them, transitively; cycles are harmless. */
export function withLinkedTags({ sql }: Reader, tags: readonly number[]): number[] {
  const all = new Set(tags)
  // Iterating over a set also visits members that are added meanwhile.
  for (const tag of all) {
    for (const linked of sql.column<number>(LINKED, tag)) all.add(linked)
  }
  return [...all]
}

/** Every read and write of a note returns the names of all its tags. */
export const MAX_TAGS = 5_000

/** Refuses more tags than a note may have; `what` would have them, or add them. */
export function refuseTooManyTags(count: number, subject: string): void {
  if (count > MAX_TAGS) throw tooManyTags(subject)
}

const tooManyTags = (subject: string) =>
  refused(
    `${subject} at most ${withCommas(MAX_TAGS)} tags, linked ones included; leave some out or link fewer.`,
  )

/** Notes may still have a deleted tag. */
const REMAINS = '(SELECT 1 FROM tags WHERE id = tag)'

const countTagsOf = ({ sql }: Reader, note: number): number =>
  sql.scalar(`SELECT count(*) FROM note_tags WHERE note = ? AND ${REMAINS}`, note)

const MORE_TAGS = 'SELECT 1 FROM tags WHERE workspace = ? LIMIT 1 OFFSET ?'
const WOULD_PASS = `WITH linked AS MATERIALIZED (SELECT value FROM json_each(?2)),
  remaining AS (SELECT (SELECT count(*) FROM note_tags WHERE note = carrying.note AND ${REMAINS}) AS tags,
    (SELECT count(*) FROM note_tags WHERE note = carrying.note AND +tag IN (SELECT value FROM linked)) AS linked
    FROM note_tags carrying WHERE carrying.tag = ?1)
  SELECT 1 FROM remaining WHERE linked < ?3 AND tags + ?3 - linked > ?4 LIMIT 1`

/**
 * Refuses linked tags that would give a note with the tag too many tags. A note that already has all of them is
 * unaffected.
 */
export function refuseTooManyLinked(
  { sql }: Reader,
  workspace: number,
  tag: number,
  linked: readonly number[],
): void {
  if (!sql.get(MORE_TAGS, workspace, MAX_TAGS)) return
  if (sql.get(WOULD_PASS, tag, JSON.stringify(linked), linked.length, MAX_TAGS))
    throw tooManyTags('A note carries')
}

const hasTag = ({ sql }: Reader, note: number, tag: number): boolean =>
  sql.get('SELECT 1 FROM note_tags WHERE tag = ? AND note = ?', tag, note) !== undefined

/** Adds tags to a note, and the linked tags of the newly added ones. Returns the ids that are new on the note. */
export function addTags(tx: Tx, note: number, tags: readonly number[]): number[] {
  const missing = tags.filter((tag) => !hasTag(tx, note, tag))
  if (missing.length === 0) return []
  const wanted = withLinkedTags(tx, missing).filter((tag) => !hasTag(tx, note, tag))
  refuseTooManyTags(countTagsOf(tx, note) + wanted.length, 'A note carries')
  return attachTags(tx, note, wanted)
}

/** Adds exactly these tags to a note; the tags count only active notes. Returns the ids that are new on the note. */
export const attachTags = (tx: Tx, note: number, tags: readonly number[], isActive = true): number[] =>
  tags.filter((tag) => {
    const { changes } = tx.sql.run('INSERT OR IGNORE INTO note_tags (tag, note) VALUES (?, ?)', tag, note)
    if (changes === 1 && isActive) addToTagCount(tx, tag, 1)
    return changes === 1
  })

/** Removes tags from an active note. Returns whether it had any of them. */
export function detachTags(tx: Tx, note: number, tags: readonly number[]): boolean {
  const removed = tags.filter(
    (tag) => tx.sql.run('DELETE FROM note_tags WHERE tag = ? AND note = ?', tag, note).changes === 1,
  )
  for (const tag of removed) addToTagCount(tx, tag, -1)
  return removed.length > 0
}

/** Sets exactly these tags on an active note. Returns whether that changed anything. */
export function replaceTags(tx: Tx, note: number, tags: readonly number[]): boolean {
  const remaining = tx.sql.column<number>(`SELECT tag FROM note_tags WHERE note = ? AND ${REMAINS}`, note)
  const surplus = remaining.filter((tag) => !tags.includes(tag))
  const isDetached = detachTags(tx, note, surplus)
  return attachTags(tx, note, tags).length > 0 || isDetached
}

/** Removes tags from a note. Tags that the note does not have are ignored; unknown tags are refused. */
export function takeOffTags(tx: Tx, caller: Caller, note: NoteRow, names: readonly string[]): NoteRow {
  const tags = names.map((name) => findTagByName(tx, caller.workspacePk, name) ?? fail(notFound('tag')))
  const isChanged = detachTags(
    tx,
    note.pk,
    tags.map(({ id }) => id),
  )
  if (!isChanged) return note
  markForSearch(tx, caller.workspacePk, note.pk)
  touchNote(tx, note.pk)
  const after = getNote(tx, caller, note.id)
  logNoteUpdate(tx, caller, note, after)
  return after
}

export const addToTagCount = ({ sql }: Tx, tag: number, notes: number) =>
  sql.run('UPDATE tags SET note_count = note_count + ? WHERE id = ?', notes, tag)

/** Adds a note to the counts of its tags (`1`) or subtracts it (`-1`), when it leaves or enters the trash. */
export function countInItsTags({ sql }: Tx, note: number, step: 1 | -1): void {
  // An UPDATE of several rows makes SQLite begin a savepoint, at which search tables flush their collected changes.
  for (const tag of sql.column<number>('SELECT tag FROM note_tags WHERE note = ?', note))
    sql.run('UPDATE tags SET note_count = note_count + ? WHERE id = ?', step, tag)
}

interface TaggedNote {
  readonly pk: number
  readonly id: string
  readonly isActive: boolean
  /** In the order of responses. */
  readonly tags: readonly string[]
}

/** The tag names of notes, given as a JSON array of pks. */
export function tagNamesOfNotes({ sql }: Tx, notes: string): TaggedNote[] {
  const rows = sql.rows<[pk: number, id: string, isActive: number, tags: string]>(
    `SELECT n.pk, n.id, n.deleted_at IS NULL, (SELECT json_group_array(t.name ORDER BY t.name_fold, t.name)
       FROM note_tags nt CROSS JOIN tags t ON t.id = nt.tag WHERE nt.note = n.pk)
     FROM notes n WHERE n.pk IN (SELECT value FROM json_each(?))`,
    notes,
  )
  return rows.map(([pk, id, isActive, tags]) => ({
    pk,
    id,
    isActive: isActive === 1,
    tags: JSON.parse(tags),
  }))
}
