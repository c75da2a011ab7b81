import type { Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { codePointLength, fold } from '../../lib/text.ts'
import { fail, notFound, refused } from '../../refusal.ts'
import { indexLinks } from '../links/links.ts'
import { MAX_CONTENT } from '../schema.ts'
import { markForSearch } from '../search/pending.ts'
import { findNote, type HeadChanges, type NoteRow, updateContent, updateHead } from '../store.ts'

/** The active note as this transaction sees it; refuses one that is not there. */
export const getNoteIn = (tx: Tx, { workspacePk }: Caller, id: string): NoteRow =>
  findNote(tx, workspacePk, id) ?? fail(notFound('note'))

/**
 * The one way a note's title or body changes: keeps a revision of what is replaced, and keeps links and
 * search in step. What changes nothing writes nothing, and `updated_at` stays.
 */
export function changeNote(
  tx: Tx,
  caller: Caller,
  note: NoteRow,
  text: { title: string; content: string },
  changes: HeadChanges = {},
  tagsAdded = false,
): NoteRow {
  const { workspacePk } = caller
  const newTitle = text.title !== note.title
  const newContent = text.content !== note.content
  if (newTitle || newContent) keepRevision(tx, caller, note)
  if (newContent) {
    updateContent(tx, note.pk, text.content)
    indexLinks(tx, workspacePk, note.pk, text.content)
  }
  const head = newTitle ? { ...changes, title: text.title, titleFold: fold(text.title) } : changes
  if (!newContent && !tagsAdded && Object.keys(head).length === 0) return note
  if (newTitle || newContent || tagsAdded) markForSearch(tx, workspacePk, note.pk)
  updateHead(tx, note.pk, head, tx.now)
  return getNoteIn(tx, caller, note.id)
}

/** Keeps the version that a change of title or content is about to replace. */
export const keepRevision = (tx: Tx, caller: Caller, note: Pick<NoteRow, 'pk' | 'title' | 'content'>) =>
  tx.sql.run(
    'INSERT INTO revisions (id, note, created_at, surface, title, content) VALUES (?, ?, ?, ?, ?, ?)',
    tx.newId(),
    note.pk,
    tx.now,
    caller.surface,
    note.title,
    note.content,
  )

/** Whether a body is longer than that of a note may be. */
export const isTooLong = (content: string): boolean =>
  content.length > MAX_CONTENT && codePointLength(content) > MAX_CONTENT

/** Refuses a body that a write would make too long. */
export function checkedLength(content: string): string {
  if (!isTooLong(content)) return content
  throw refused(
    `The note would be longer than ${MAX_CONTENT.toLocaleString('en-US')} characters; start another note.`,
  )
}
