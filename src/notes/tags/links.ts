import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { begin, defineJob } from '../../kernel/jobs.ts'
import { write } from '../../kernel/operation.ts'
import { atPlace, refused } from '../../lib/refusal.ts'
import { authorOf, type ChangeAuthor } from '../../log/log.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { logAttribute } from '../events.ts'
import { markAllForSearch } from '../search/indexing.ts'
import { touchNotes } from '../store.ts'
import {
  addToTagCount,
  attachTags,
  MAX_TAGS,
  refuseTooManyLinked,
  refuseTooManyTags,
  tagNamesOfNotes,
  withLinkedTags,
} from '../writing/tags.ts'
import type { TagLinksBody } from './schema.ts'
import { getTagRow, listNotesTagged, logTagUpdate, replaceLinks, type TagRow, tagKind } from './service.ts'

/*
 * Linking tags to a tag adds them to the notes with that tag. A note gets all its tags at once. The first notes get
 * them in the transaction that links the tags, the others in a job.
 */

function checkedLinks(tx: Tx, { workspacePk }: Caller, tag: TagRow, linked: readonly number[]): number[] {
  const wanted = [...new Set(linked)]
  if (wanted.includes(tag.id))
    throw refused(
      'A tag cannot be linked to itself; leave its own id out of linked_tag_ids.',
      atPlace('linked_tag_ids'),
    )
  const [unknown] = tx.sql.column<number>(
    `SELECT value FROM json_each(?)
     WHERE value NOT IN (SELECT id FROM tags WHERE workspace = ?) ORDER BY key LIMIT 1`,
    JSON.stringify(wanted),
    workspacePk,
  )
  if (unknown === undefined) return wanted
  throw refused(
    `linked_tag_ids names ${unknown}, and there is no such tag in this workspace.`,
    atPlace('linked_tag_ids'),
  )
}

/** The tags that a tag adds to its notes. */
const broughtAlong = (tx: Tx, tag: number): number[] =>
  withLinkedTags(tx, [tag]).filter((other) => other !== tag)

/** Linked tags to add to the notes that had the tag when they were linked to it. */
interface Linking {
  readonly author: ChangeAuthor
  readonly tag: number
  readonly linked: readonly number[]
  /** The pks of the notes that still lack them. */
  readonly notes: readonly number[]
}

/** Approximate number of tags that one step adds to notes. */
const PAIRS_AT_ONCE = 1_000

/** Adds linked tags to notes. Its key is a new id each time, because a tag may be linked again meanwhile. */
export const tagLinking = defineJob<string, Linking>('tag.link', (tx, _, linking) => {
  const { author, tag, linked, notes } = linking
  if (!tagKind.findById(tx, author.workspacePk, tag)) return 'done'
  const count = Math.ceil(PAIRS_AT_ONCE / linked.length)
  addToNotes(tx, author, stillTagged(tx, tag, notes.slice(0, count)), remaining(tx, linked))
  const left = notes.slice(count)
  return left.length === 0 ? 'done' : { ...linking, notes: left }
})

/** Replaces the linked tags of a tag, and adds them to the notes with that tag; returns the updated tag. */
export const setTagLinks = write({
  name: 'tags.set-links',
  covers: 'notes',
  run: (tx, caller, { id, body }: { id: string; body: Static<typeof TagLinksBody> }) => {
    const { linked_tag_ids: linked } = body
    const found = getTagRow(tx, caller, id)
    const before = broughtAlong(tx, found.id)
    // Looking up very many tags takes long.
    const count = new Set(linked).size
    if (count > before.length) refuseTooManyTags(count, 'A tag brings along')
    replaceLinks(tx, found.id, checkedLinks(tx, caller, found, linked))
    const after = getTagRow(tx, caller, id)
    logTagUpdate(tx, caller, found, after)
    addLinked(tx, caller, found.id, before)
    return { tag: tagKind.present(after, tx) }
  },
  settles: [tagLinking],
})

/**
 * Adds the linked tags to the notes with a tag. `before` are the previously linked tags. If they exceed the limit of
 * linked tags, some may still be removed.
 */
function addLinked(tx: Tx, author: ChangeAuthor, tag: number, before: readonly number[]): void {
  const linked = broughtAlong(tx, tag)
  if (before.length <= MAX_TAGS || new Set(linked).difference(new Set(before)).size > 0) {
    refuseTooManyTags(linked.length, 'A tag brings along')
    refuseTooManyLinked(tx, author.workspacePk, tag, linked)
  }
  const notes = linked.length === 0 ? [] : listNotesTagged(tx, tag)
  if (notes.length > 0) begin(tx, tagLinking, tx.newId(), { author: authorOf(author), tag, linked, notes })
}

const stillTagged = ({ sql }: Tx, tag: number, notes: readonly number[]): number[] =>
  sql.column(
    'SELECT note FROM note_tags WHERE tag = ? AND note IN (SELECT value FROM json_each(?))',
    tag,
    JSON.stringify(notes),
  )

/** The tags that still exist. */
const remaining = ({ sql }: Tx, tags: readonly number[]): number[] =>
  sql.column('SELECT id FROM tags WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(tags))

/** Adds all tags to all notes, including trashed ones, and keeps counts and search in sync. */
function addToNotes(tx: Tx, author: ChangeAuthor, notes: readonly number[], tags: readonly number[]): void {
  const counts = new Map<number, number>()
  const changed = tagNamesOfNotes(tx, JSON.stringify(notes)).filter(({ pk, isActive }) => {
    // Counted in one update: one per note would take as long as adding the tag to it.
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
