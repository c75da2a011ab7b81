import { type Static, Type } from '@sinclair/typebox'
import { strict, text } from '../../../http/schema/types.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { KEY_FORM, once, savedFor, signed } from '../../../kernel/once.ts'
import { invalid, refused } from '../../../lib/refusal.ts'
import { transactionCursor } from '../../../log/cursors.ts'
import { presetOf } from '../../../notes/presets/apply.ts'
import { AppendBody, CreateBody, EditBody, PatchBody, tagList } from '../../../notes/schema.ts'
import { getNote, type NoteRow, presentNote } from '../../../notes/store.ts'
import { appendText, editPassages } from '../../../notes/writing/append-and-edit.ts'
import { createNote, presentCreated } from '../../../notes/writing/create.ts'
import { changeProperties, readProperties } from '../../../notes/writing/properties.ts'
import { takeOffTags } from '../../../notes/writing/tags.ts'
import { applyPatch, getPatchable } from '../../../notes/writing/update.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { changedNoteId } from '../names.ts'
import { dryRun, ifUnchanged, name, object, optional, output, transaction, values } from '../schema.ts'
import { cutFor, isShortened, shorten, shortenAll, shortenSentence, shortenValues } from '../text/fit.ts'
import { given, inline, writtenAs } from '../text/markdown.ts'
import { noteLink, writeTool } from '../tool.ts'

/** The maximum number of tokens for the description of a note. */
const TOKENS_OF_HEAD = 1_500

/** The note without its body; long lists of tags are shortened. */
function headOf(row: NoteRow) {
  const { content: _, ...head } = presentNote(row)
  const written = (cut: number) => shortenAll(head, cut) as typeof head
  return written(cutFor(TOKENS_OF_HEAD, (cut) => ({ text: noteText(written(cut)), data: written(cut) })))
}

type Head = Omit<ReturnType<typeof presentNote>, 'content'>

const noteText = ({ id, title, tags, updated_at }: Head) =>
  `${inline(title)} [${id}]${tags.length === 0 ? '' : `, tags ${tags.join(', ')}`}, updated_at ${updated_at}`

/** Long values are shortened, because the writer already knows them. In characters. */
const SHOWN_VALUE = 120

/** Property values, each shortened; omits some if there are very many. */
function shortValues(values: Readonly<Record<string, unknown>>) {
  const written = (cut: number) => shortenValues(values, Math.min(cut, SHOWN_VALUE))
  return written(cutFor(2 * TOKENS_OF_HEAD, (cut) => ({ text: '', data: written(cut) })))
}

interface Created {
  readonly note: Head
  readonly properties: Record<string, unknown>
  readonly properties_error: { error: string; code: string } | null
  readonly properties_unanswered?: readonly string[]
  readonly transaction: string | null
}

const {
  title: titleSchema,
  content: contentSchema,
  tags: tagsSchema,
  aliases: aliasesSchema,
} = CreateBody.properties

const CreateNote = strict({
  title: titleSchema,
  content: contentSchema,
  tags: tagsSchema,
  aliases: aliasesSchema,
  properties: optional(values('by key')),
  preset: optional(name('id or name')),
  answers: optional(values('by key')),
  idempotency_key: optional(text({ pattern: KEY_FORM.source, says: '1 to 255 printable ASCII characters' })),
})

type CreateInput = Omit<Static<typeof CreateNote>, 'idempotency_key'>

function create(tx: Tx, caller: Caller, input: CreateInput): Created {
  const created = createNote(tx, caller, input, { preset: presetOf(tx, caller, input) })
  const { properties_error: refusal } = presentCreated(created)
  return {
    note: headOf(created.note),
    properties: shortValues(created.properties),
    properties_error: refusal && { ...refusal, error: shortenSentence(refusal.error) },
    ...(input.preset !== undefined && { properties_unanswered: created.unanswered }),
    transaction: transactionCursor(tx, caller.workspacePk),
  }
}

/** Creates a note, or returns the answer to an equal earlier call with this key. */
function createOrRepeat(tx: Tx, caller: Caller, key: string | undefined, input: CreateInput) {
  if (key === undefined) return { created: create(tx, caller, input), replayed: false }
  const { title, content, tags, aliases, properties, preset, answers } = input
  const body = JSON.stringify({ title, content, tags, aliases, properties, preset, answers })
  const identity = { keyId: savedFor(caller), target: 'MCP create_note', idempotencyKey: key }
  const { text: created, replayed } = once(tx, signed(identity, body), () => create(tx, caller, input))
  return { created: JSON.parse(created) as Created, replayed }
}

export const createNoteTool = writeTool({
  name: 'create_note',
  covers: 'notes',
  creates: true,
  description:
    'Create a note in Markdown; link with [[title]]. preset writes tags and property values, answers those it asks for. The same idempotency_key creates nothing twice.',
  input: CreateNote,
  output: output({
    note: object(),
    properties: object(),
    properties_error: Type.Union([object(), Type.Null()]),
    properties_unanswered: optional(Type.Array(Type.String())),
    transaction: transaction(),
  }),
  run: (tx, caller, { idempotency_key: key, ...input }) => {
    if (input.answers !== undefined && input.preset === undefined)
      throw invalid('"answers" go with "preset"; name the preset that asks for them.')
    const { created, replayed } = createOrRepeat(tx, caller, key, input)
    const { note, properties_error: error, properties_unanswered: unanswered = [] } = created
    return {
      text: given(
        `${replayed ? 'Created before' : 'Created'} ${noteText(note)}, ${writtenAs(created.transaction)}`,
        error !== null && `The properties were not written: ${error.error}`,
        unanswered.length > 0 && `Not answered: ${unanswered.join(', ')}`,
      ).join('\n'),
      data: created,
      links: [noteLink(note)],
    }
  },
})

const MAX_EDITS = 100
const SHOWN_LINES = 3
const SHOWN_TEXT = 1_500

/** The part of the new text that differs from the old one, with a few lines around it. */
function changedPassage(before: string, after: string): string {
  if (before === after) return ''
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  const from = lineBefore(after, start)
  const to = lineAfter(after, after.length - end)
  return shorten(after.slice(from, to), SHOWN_TEXT)
}

/** The maximum number of characters shown on each side of a change. */
const AROUND = 300

function lineBefore(text: string, at: number): number {
  let start = at
  for (let line = 0; line < SHOWN_LINES && start > 0; line++) start = text.lastIndexOf('\n', start - 1)
  return Math.max(start <= 0 ? 0 : start + 1, at - AROUND)
}

function lineAfter(text: string, at: number): number {
  let end = at
  for (let line = 0; line < SHOWN_LINES && end !== -1; line++) end = text.indexOf('\n', end + 1)
  return Math.min(end === -1 ? text.length : end, at + AROUND)
}

const editSchema = strict({
  old_str: EditBody.properties.old_str,
  new_str: EditBody.properties.new_str,
})

export const editNoteTool = writeTool({
  name: 'edit_note',
  covers: 'notes',
  description:
    'Replace exact passages (each old_str occurs exactly once, all or none), or append text at the end, under "## heading" if given. Nothing else in the note changes.',
  input: strict({
    note: name('id, title or alias'),
    edits: optional(Type.Array(editSchema, { minItems: 1, maxItems: MAX_EDITS })),
    append: optional(strict({ text: AppendBody.properties.text, heading: AppendBody.properties.heading })),
    if_unchanged: ifUnchanged(),
    dry_run: dryRun(),
  }),
  output: output({ note: object(), passage: Type.String(), transaction: transaction() }),
  isTrial: ({ dry_run: isDryRun = false }) => isDryRun,
  run: (tx, caller, { note: named, edits, append, if_unchanged, dry_run: isDryRun = false }) => {
    if ((edits === undefined) === (append === undefined))
      throw invalid('Give exactly one of "edits", passages to replace, and "append", text for the end.')
    const before = getPatchable(tx, caller, changedNoteId(tx, caller, named), { if_unchanged })
    const after = append
      ? appendText(tx, caller, before, append)
      : editPassages(tx, caller, before, edits ?? [])
    const note = headOf(isDryRun ? before : after)
    const passage = changedPassage(before.content, after.content)
    const id = isDryRun ? null : transactionCursor(tx, caller.workspacePk)
    return {
      text: given(`${noteText(note)}, ${writtenAs(id, isDryRun)}`, passage !== '' && ['---', passage]).join(
        '\n',
      ),
      data: { note, passage, transaction: id },
      links: [noteLink(note)],
    }
  },
})

/** Refuses values that were shortened when they were read, because they would replace the complete ones. */
function refuseShortened(given: Readonly<Record<string, unknown>>): void {
  const key = Object.keys(given).find((one) => isShortened(given[one]))
  if (key !== undefined)
    throw refused(`"${key}" is a value that was shortened when it was read; read it whole, or leave it out.`)
}

export const updateNoteTool = writeTool({
  name: 'update_note',
  covers: 'notes',
  description:
    'Change title, tags, aliases or properties of a note, all or none; its text stays. A property of null is cleared.',
  input: strict({
    note: name('id, title or alias'),
    title: PatchBody.properties.title,
    add_tags: optional(tagList('')),
    remove_tags: optional(tagList('')),
    aliases: PatchBody.properties.aliases,
    properties: optional(values('by key')),
    if_unchanged: ifUnchanged(),
  }),
  output: output({ note: object(), properties: object(), transaction: transaction() }),
  run: (tx, caller, { note: named, title, add_tags, remove_tags, aliases, properties, if_unchanged }) => {
    refuseShortened({ title, add_tags, aliases, ...properties })
    const before = getPatchable(tx, caller, changedNoteId(tx, caller, named), { aliases, if_unchanged })
    const patched = applyPatch(tx, caller, before, { title, tags: add_tags, aliases })
    const untagged = remove_tags ? takeOffTags(tx, caller, patched, remove_tags) : patched
    if (properties) changeProperties(tx, caller, untagged, properties)
    const after = getNote(tx, caller, before.id)
    const note = headOf(after)
    const values = readProperties(tx, after.pk)
    const id = transactionCursor(tx, caller.workspacePk)
    return {
      text: `${noteText(note)}, ${writtenAs(id)}`,
      data: { note, properties: shortValues(values), transaction: id },
      links: [noteLink(note)],
    }
  },
})
