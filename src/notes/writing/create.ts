import type { AppContext, Caller } from '../../context.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { parseInstant } from '../../lib/dates.ts'
import { fold } from '../../lib/text.ts'
import { invalid, nameTaken, Refusal } from '../../refusal.ts'
import { indexLinks } from '../links/links.ts'
import { markForSearch } from '../search/pending.ts'
import { findByAlias, type HeadChanges, insertNote, type NoteRow } from '../store.ts'
import { changeNote, getNoteIn } from './change.ts'
import { type PropertyValues, readProperties, writeProperties } from './property-values.ts'
import { ensureTags, putTagsOn } from './tagging.ts'

export interface NewNote {
  title: string
  content?: string
  tags?: string[]
  alias?: string | null
  cover_url?: string | null
  properties?: PropertyValues
}

export interface CreatedNote {
  note: NoteRow
  properties: PropertyValues
  propertiesError: Refusal | undefined
}

/**
 * Makes a note; joins the caller's transaction. Properties that are refused do not stop it: the refusal
 * comes back beside the note.
 */
export function createNote(tx: Tx, caller: Caller, input: NewNote): CreatedNote {
  const { workspacePk } = caller
  const alias = input.alias?.trim() ?? null
  if (alias !== null) refuseTakenAlias(tx, workspacePk, alias)
  const id = tx.newId()
  const content = input.content ?? ''
  const pk = insertNote(tx, {
    id,
    workspace: workspacePk,
    title: input.title,
    titleFold: fold(input.title),
    alias,
    aliasFold: alias === null ? null : fold(alias),
    coverUrl: input.cover_url ?? null,
    content,
    now: tx.now,
  })
  if (input.tags) putTagsOn(tx, pk, ensureTags(tx, caller, input.tags))
  indexLinks(tx, workspacePk, pk, content, true)
  markForSearch(tx, workspacePk, pk)
  const propertiesError = tryProperties(tx, caller, pk, input.properties ?? {})
  return { note: getNoteIn(tx, caller, id), properties: readProperties(tx, pk), propertiesError }
}

function tryProperties(tx: Tx, caller: Caller, pk: number, values: PropertyValues): Refusal | undefined {
  try {
    writeProperties(tx, caller, pk, values)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function refuseTakenAlias(tx: Tx, workspace: number, alias: string, except?: number): void {
  const holder = findByAlias(tx, workspace, fold(alias))
  if (!holder || holder.pk === except) return
  throw nameTaken(`The alias "${alias}" belongs to the note "${holder.title}" already; choose another.`)
}

export interface NotePatch {
  title?: string
  content?: string
  alias?: string | null
  pinned?: boolean
  pin_label?: string | null
  cover_url?: string | null
  tags?: string[]
  if_unchanged?: string
}

/** Changes what the patch names. With `if_unchanged`, only when the note is still at that instant. */
export function patchNote(ctx: AppContext, caller: Caller, id: string, patch: NotePatch): Promise<NoteRow> {
  const expected = patch.if_unchanged === undefined ? undefined : instantOf(patch.if_unchanged)
  return ctx.db.write((tx) => {
    const note = getNoteIn(tx, caller, id)
    if (expected !== undefined && expected !== note.updatedAt) throw stale()
    if (patch.alias) refuseTakenAlias(tx, caller.workspacePk, patch.alias.trim(), note.pk)
    const text = { title: patch.title ?? note.title, content: patch.content ?? note.content }
    const added = patch.tags ? putTagsOn(tx, note.pk, ensureTags(tx, caller, patch.tags)) : []
    return changeNote(tx, caller, note, text, headChanges(note, patch), added.length > 0)
  })
}

function instantOf(text: string): number {
  const instant = parseInstant(text)
  if (instant !== undefined) return instant
  throw invalid('"if_unchanged" must be the "updated_at" that was read, such as 2026-11-21T09:30:00.000Z.')
}

const stale = () =>
  new Refusal(
    'stale',
    'The note was changed after that "updated_at"; read it again and repeat the change on what it holds now.',
  )

/** Title, alias and the like that the patch really changes. */
function headChanges(note: NoteRow, patch: NotePatch): HeadChanges {
  const changes: HeadChanges = {}
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
