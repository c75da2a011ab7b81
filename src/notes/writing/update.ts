import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { hides } from '../../kernel/caller.ts'
import { fold } from '../../lib/text.ts'
import { expectedInstant, refuseStale } from '../../log/if-unchanged.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { logNoteUpdate } from '../events.ts'
import { refuseNewFileLinks } from '../links/file-links.ts'
import { indexLinks } from '../links/indexing.ts'
import type { PatchBody } from '../schema.ts'
import { markForSearch } from '../search/indexing.ts'
import {
  aliasColumns,
  getNote,
  type NoteChanges,
  type NoteRow,
  saveRevision,
  updateContent,
  updateNote,
} from '../store.ts'
import { aliasesJson, indexAliases, refuseAliases } from './aliases.ts'
import type { PropertyValues } from './properties.ts'
import { addTags, ensureTags, refuseTooManyTags, replaceTags } from './tags.ts'

export interface NotePatch extends Omit<Static<typeof PatchBody>, 'rewrite_links' | 'aliases'> {
  /** Null where an undo takes them all away. */
  readonly aliases?: readonly string[] | null
}

/** Changes the patched attributes; its tags are added. With `if_unchanged`, refuses if the note has changed since. */
export const patchNote = (tx: Tx, caller: Caller, id: string, patch: NotePatch): NoteRow =>
  applyPatch(tx, caller, getPatchable(tx, caller, id, patch), patch)

/** The note; refuses if the patch cannot be applied to it. */
export function getPatchable(
  tx: Tx,
  caller: Caller,
  id: string,
  { if_unchanged, alias, aliases }: NotePatch,
): NoteRow {
  const expected = expectedInstant(if_unchanged)
  const note = getNote(tx, caller, id)
  refuseStale('note', expected, note.updatedAt)
  if (alias !== undefined || aliases) refuseAliases(tx, caller.workspacePk, { alias, aliases }, note)
  return note
}

/** Changes the patched attributes; its tags are added. */
export function applyPatch(tx: Tx, caller: Caller, note: NoteRow, patch: NotePatch): NoteRow {
  const text = { title: patch.title ?? note.title, content: patch.content ?? note.content }
  const added = patch.tags ? addTags(tx, note.pk, ensureTags(tx, caller, patch.tags)) : []
  return changeText(tx, caller, note, text, {
    changes: changesOf(note, patch),
    tagsAdded: added.length > 0,
  })
}

/**
 * Changes the patched attributes; its tags replace those of the note. `previousProperties` are the old values of
 * properties that this transaction changed.
 */
export function replaceParts(
  tx: Tx,
  caller: Caller,
  note: NoteRow,
  { tags, ...patch }: NotePatch,
  previousProperties: PropertyValues,
): NoteRow {
  const { title = note.title, content = note.content } = patch
  if (patch.alias !== undefined || patch.aliases) refuseAliases(tx, caller.workspacePk, patch, note)
  if (tags) refuseTooManyTags(tags.length, 'A note carries')
  const tagsAdded = tags !== undefined && replaceTags(tx, note.pk, ensureTags(tx, caller, tags))
  const others = { changes: changesOf(note, patch), tagsAdded, previousProperties }
  return changeText(tx, caller, note, { title, content }, others)
}

/** The columns, except the title, that the patch changes. */
export function changesOf(note: NoteRow, patch: NotePatch): NoteChanges {
  const changes: NoteChanges = {}
  const alias = patch.alias?.trim() ?? patch.alias
  if (alias !== undefined && alias !== note.alias) {
    Object.assign(changes, aliasColumns(alias))
  }
  const aliases = patch.aliases ? aliasesJson(patch.aliases) : patch.aliases
  if (aliases !== undefined && aliases !== note.aliases) changes.aliases = aliases
  if (patch.pinned !== undefined && patch.pinned !== (note.pinned === 1))
    changes.pinned = patch.pinned ? 1 : 0
  if (patch.pin_label !== undefined && patch.pin_label !== note.pinLabel) changes.pinLabel = patch.pin_label
  if (patch.cover_url !== undefined && patch.cover_url !== note.coverUrl) changes.coverUrl = patch.cover_url
  return changes
}

interface OtherChanges {
  readonly changes?: NoteChanges
  /** Whether this transaction added or removed tags. */
  readonly tagsAdded?: boolean
  /** The old values of properties that this transaction changed. */
  readonly previousProperties?: PropertyValues
}

/**
 * Sets title and body of a note together with the other `changes`. Saves the replaced version as a revision and keeps
 * links and search in sync. Writes nothing without a difference, and `updated_at` stays.
 */
export function changeText(
  tx: Tx,
  caller: Caller,
  note: NoteRow,
  { title, content }: { title: string; content: string },
  { changes = {}, tagsAdded = false, previousProperties = {} }: OtherChanges = {},
): NoteRow {
  const { workspacePk } = caller
  const newTitle = title !== note.title
  const newContent = content !== note.content
  const revision = newTitle || newContent ? saveRevision(tx, caller, note) : undefined
  if (newContent) {
    if (hides(caller.rights, 'files')) refuseNewFileLinks(content, note.content)
    updateContent(tx, note.pk, content)
    indexLinks(tx, { workspace: workspacePk, note: note.pk }, content)
  }
  const columns = newTitle ? { ...changes, title, titleFold: fold(title) } : changes
  const hasOthers = tagsAdded || Object.keys(previousProperties).length > 0
  if (!newContent && !hasOthers && Object.keys(columns).length === 0) return note
  const newAliases = 'alias' in columns || 'aliases' in columns
  if (newTitle || newContent || tagsAdded || newAliases) markForSearch(tx, workspacePk, note.pk)
  updateNote(tx, note.pk, columns, newTitle || newContent || hasOthers || newAliases)
  if ('aliases' in columns) indexAliases(tx, workspacePk, note.pk)
  const after = getNote(tx, caller, note.id)
  const replaced = newContent && revision !== undefined ? { revision } : {}
  logNoteUpdate(tx, caller, note, after, { ...replaced, previousProperties })
  return after
}
