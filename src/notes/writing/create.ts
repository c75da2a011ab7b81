import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { hides } from '../../kernel/caller.ts'
import { Refusal } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { type ChangeAuthor, logChange } from '../../log/log.ts'
import { insertInto } from '../../storage/query.ts'
import { notes } from '../../storage/schema/notes.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { publishNote } from '../events.ts'
import { refuseNewFileLinks } from '../links/file-links.ts'
import { indexLinks } from '../links/indexing.ts'
import type { CreateBody } from '../schema.ts'
import { type Indexable, indexNote, markForSearch } from '../search/indexing.ts'
import { addToCounters, aliasColumns, getNote, presentNote } from '../store.ts'
import { aliasesJson, indexAliases, refuseAliases } from './aliases.ts'
import { type PropertyValues, readProperties, writeSentProperties } from './properties.ts'
import { attachTags, ensureTags, refuseTooManyTags, withLinkedTags } from './tags.ts'

export type CreateInput = Static<typeof CreateBody> & { pinned?: boolean; pin_label?: string | null }

/** The effect of a preset on the properties of a note, by key. */
export interface PresetPlan {
  readonly values: Readonly<Record<string, unknown>>
  readonly kept: string[]
  readonly unanswered: string[]
}

/** A preset with its input. */
export interface OpenedPreset {
  readonly tagIds: readonly number[]
  /** Its text for a note of this title, with the placeholders filled in; empty if it has no text. */
  contentFor(title: string): string
  /** The effect on a note with these values; refuses answers to prompts that the preset does not have. */
  plan(noteValues: Readonly<Record<string, unknown>>, overwrite?: boolean): PresetPlan
}

interface CreateOptions extends Pick<NewNote, 'createdAt' | 'updatedAt'> {
  readonly id?: string
  readonly preset?: OpenedPreset | undefined
}

/**
 * Creates a note in the caller's transaction, with the additions of a preset. Invalid properties do not prevent the
 * creation. In that case none of the sent properties is written, and the refusal is returned with the note.
 */
export function createNote(
  tx: Tx,
  caller: Caller,
  input: CreateInput,
  { id = tx.newId(), preset, ...instants }: CreateOptions = {},
) {
  const sentTags = input.tags && ensureTags(tx, caller, input.tags)
  const tagIds = (sentTags || preset) && withLinkedTags(tx, [...(sentTags ?? []), ...(preset?.tagIds ?? [])])
  if (tagIds) refuseTooManyTags(tagIds.length, 'A note carries')
  const content = input.content ?? preset?.contentFor(input.title) ?? ''
  if (hides(caller.rights, 'files')) refuseNewFileLinks(content)
  const pk = insertNote(tx, caller, {
    id,
    title: input.title,
    content,
    tagIds,
    alias: input.alias?.trim(),
    aliases: input.aliases,
    coverUrl: input.cover_url,
    pinned: input.pinned,
    pinLabel: input.pin_label,
    ...instants,
  })
  const propertiesError = tryProperties(tx, caller, { pk, id }, input.properties ?? {})
  const plan = preset?.plan(readProperties(tx, pk))
  if (plan) writeSentProperties(tx, caller, { pk, id }, plan.values)
  publishNote(tx, caller, 'note.created', id)
  const note = getNote(tx, caller, id)
  return { note, properties: readProperties(tx, pk), propertiesError, unanswered: plan?.unanswered ?? [] }
}

export const presentCreated = ({ note, properties, propertiesError }: ReturnType<typeof createNote>) => ({
  note: presentNote(note),
  properties,
  properties_error: propertiesError ? { error: propertiesError.message, code: propertiesError.code } : null,
})

function tryProperties(
  tx: Tx,
  caller: Caller,
  note: { pk: number; id: string },
  values: PropertyValues,
): Refusal | undefined {
  try {
    writeSentProperties(tx, caller, note, values)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

export interface NewNote {
  id: string
  title: string
  /** If undefined, `addContent` must follow in the same transaction. */
  content?: string
  /** The complete list of tags; linked tags are not added. */
  tagIds?: readonly number[]
  alias?: string | null
  /** Further aliases; undefined if none were given. */
  aliases?: readonly string[] | undefined
  coverUrl?: string | null
  pinned?: boolean
  pinLabel?: string | null
  /** By default the instant of the transaction; the same applies to `updatedAt`. */
  createdAt?: number
  updatedAt?: number
  /** By default `updatedAt`. */
  editedAt?: number
  /** Set for a trashed note. */
  deletedAt?: number | null
}

/**
 * Inserts a note and returns its pk. Every insertion of a note must use it: it keeps counters, tags, links and search
 * in sync. Refuses an alias that another active note has. The caller publishes the note once it is complete.
 */
export function insertNote(tx: Tx, author: ChangeAuthor, note: NewNote): number {
  const { workspacePk: workspace } = author
  const { content, tagIds = [], deletedAt = null } = note
  const isActive = deletedAt === null
  if (isActive && (note.alias || note.aliases)) refuseAliases(tx, workspace, note)
  const pk = insertHead(tx, workspace, note)
  if (isActive && note.aliases) indexAliases(tx, workspace, pk)
  addToCounters(tx, workspace, isActive ? 1 : 0, isActive ? 0 : 1)
  attachTags(tx, pk, tagIds, isActive)
  logChange(tx, author, { kind: 'note', id: note.id }, 'created')
  if (!isActive) logChange(tx, author, { kind: 'note', id: note.id }, 'deleted')
  if (content === undefined) return pk
  insertBody(tx, workspace, pk, content)
  if (isActive) markForSearch(tx, workspace, pk)
  return pk
}

/**
 * Adds the body of an active note that was inserted without one. Indexes the note immediately instead of when the
 * server is idle. `tagIds` are all tags of the note.
 */
export function addContent(
  tx: Tx,
  workspace: number,
  { tagIds, ...note }: Omit<Indexable, 'workspace' | 'tags'> & { readonly tagIds: readonly number[] },
): void {
  insertBody(tx, workspace, note.pk, note.content)
  indexNote(tx, { ...note, workspace, tags: JSON.stringify(tagIds) })
}

const insertRow = insertInto(notes)

function insertHead(tx: Tx, workspace: number, note: NewNote): number {
  const { id, title, alias = null, coverUrl = null, pinned = false, pinLabel = null, deletedAt = null } = note
  const { createdAt = tx.now, updatedAt = tx.now, editedAt = updatedAt } = note
  checkOrder(tx, id)
  const names = {
    title,
    titleFold: fold(title),
    ...aliasColumns(alias),
    ...(note.aliases && { aliases: aliasesJson(note.aliases) }),
  }
  const looks = { pinned: pinned ? 1 : 0, pinLabel, coverUrl }
  const instants = { createdAt, updatedAt, editedAt, deletedAt }
  return insertRow(tx, { id, workspace, ...names, ...looks, ...instants })
}

/**
 * Clears `notes_in_order` if an id is not greater than that of the previous note, as after a clock was set back or an
 * import. The order of pks then no longer is the order of ids.
 */
function checkOrder({ sql }: Tx, id: string): void {
  const last = sql.get<{ id: string }>('SELECT id FROM notes ORDER BY pk DESC LIMIT 1')
  if (last && last.id > id) sql.run('UPDATE workspaces SET notes_in_order = 0')
}

function insertBody(tx: Tx, workspace: number, pk: number, content: string): void {
  tx.sql.run('INSERT INTO note_bodies (note, content) VALUES (?, ?)', pk, content)
  indexLinks(tx, { workspace, note: pk }, content, true)
}
