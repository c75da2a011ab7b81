import { expectedInstant, refuseStale } from '../../changes/if-unchanged.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { codePointLength, fold } from '../../lib/text.ts'
import { refused } from '../../refusal.ts'
import { indexLinks } from '../links/links.ts'
import { MAX_CONTENT } from '../schema.ts'
import { markForSearch } from '../search/indexing.ts'
import { getNote, type NoteChanges, type NoteRow, updateContent, updateNote } from '../store.ts'
import { refuseTakenAlias } from './create.ts'
import { addTags, ensureTags } from './tags.ts'

export interface NotePatch {
  title?: string
  content?: string
  alias?: string | null
  pinned?: boolean
  pin_label?: string | null
  cover_url?: string | null
  tags?: readonly string[]
  if_unchanged?: string
}

/** Changes what the patch names; its tags are added. With `if_unchanged`, only when the note was not changed since. */
export function patchNote(ctx: AppContext, caller: Caller, id: string, patch: NotePatch): Promise<NoteRow> {
  const expected = expectedInstant(patch.if_unchanged)
  return ctx.db.write((tx) => {
    const note = getNote(tx, caller, id)
    refuseStale('note', expected, note.updatedAt)
    if (patch.alias) refuseTakenAlias(tx, caller.workspacePk, patch.alias.trim(), note.pk)
    const text = { title: patch.title ?? note.title, content: patch.content ?? note.content }
    const added = patch.tags ? addTags(tx, note.pk, ensureTags(tx, caller, patch.tags)) : []
    return changeText(tx, caller, note, text, {
      changes: changesOf(note, patch),
      tagsAdded: added.length > 0,
    })
  })
}

/** The columns other than the title that the patch changes. */
function changesOf(note: NoteRow, patch: NotePatch): NoteChanges {
  const changes: NoteChanges = {}
  const alias = patch.alias?.trim() ?? patch.alias
  if (alias !== undefined && alias !== note.alias) {
    changes.alias = alias
    changes.aliasFold = alias === null ? null : fold(alias)
  }
  if (patch.pinned !== undefined && patch.pinned !== (note.pinned === 1))
    changes.pinned = patch.pinned ? 1 : 0
  if (patch.pin_label !== undefined && patch.pin_label !== note.pinLabel) changes.pinLabel = patch.pin_label
  if (patch.cover_url !== undefined && patch.cover_url !== note.coverUrl) changes.coverUrl = patch.cover_url
  return changes
}

/**
 * Sets title and body of a note, and with them the other `changes`. Saves the replaced version as a revision and keeps
 * links and search in step. Without any difference nothing is written, and `updated_at` stays.
 */
export function changeText(
  tx: Tx,
  caller: Caller,
  note: NoteRow,
  { title, content }: { title: string; content: string },
  { changes = {}, tagsAdded = false }: { changes?: NoteChanges; tagsAdded?: boolean } = {},
): NoteRow {
  const { workspacePk } = caller
  const newTitle = title !== note.title
  const newContent = content !== note.content
  if (newTitle || newContent) saveRevision(tx, caller, note)
  if (newContent) {
    updateContent(tx, note.pk, content)
    indexLinks(tx, workspacePk, note.pk, content)
  }
  const columns = newTitle ? { ...changes, title, titleFold: fold(title) } : changes
  if (!newContent && !tagsAdded && Object.keys(columns).length === 0) return note
  if (newTitle || newContent || tagsAdded) markForSearch(tx, workspacePk, note.pk)
  updateNote(tx, note.pk, columns)
  return getNote(tx, caller, note.id)
}

/** Saves the version that a change of title or body is about to replace. */
export const saveRevision = (tx: Tx, caller: Caller, note: Pick<NoteRow, 'pk' | 'title' | 'content'>) =>
  tx.sql.run(
    'INSERT INTO revisions (id, note, created_at, surface, title, content) VALUES (?, ?, ?, ?, ?, ?)',
    tx.newId(),
    note.pk,
    tx.now,
    caller.surface,
    note.title,
    note.content,
  )

/** Whether a body is longer than a note allows. */
export const isTooLong = (content: string): boolean =>
  content.length > MAX_CONTENT && codePointLength(content) > MAX_CONTENT

/** Returns the body; refuses one that is too long. */
export function checkedLength(content: string): string {
  if (!isTooLong(content)) return content
  throw refused(
    `The note would be longer than ${MAX_CONTENT.toLocaleString('en-US')} characters; start another note.`,
  )
}
