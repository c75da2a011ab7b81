import type { Static, TSchema } from '@sinclair/typebox'
import { Value, type ValueError } from '@sinclair/typebox/value'
import { getTableName } from 'drizzle-orm'
import type { Caller } from '../../context.ts'
import { shownMimeType } from '../../files/extraction/kinds.ts'
import { insertWholeFile } from '../../files/new-file.ts'
import { checkedFileName } from '../../files/service.ts'
import type { FileRow } from '../../files/store.ts'
import { rulesOf } from '../../filter/record/field-types.ts'
import type { RuleSchema } from '../../http/schema/types.ts'
import { validationRefusal } from '../../http/validation.ts'
import { isoTimestamp, parseInstant } from '../../lib/dates.ts'
import { isId } from '../../lib/ids.ts'
import { isObject } from '../../lib/json.ts'
import { type RecordData, type RecordState, valueIn } from '../../lib/record-data.ts'
import { fail, refused } from '../../lib/refusal.ts'
import { checkStorable } from '../../lib/storable-json.ts'
import { isInvisibleName } from '../../lib/text.ts'
import { logChange, logCreatedRecords } from '../../log/log.ts'
import type { ObjectTable } from '../../log/objects/statements.ts'
import { publishNote } from '../../notes/events.ts'
import { CreateBody, PatchBody, TAGS_PER_REQUEST, TagsBody } from '../../notes/schema.ts'
import { loadNotes, presentEdited, presentNote } from '../../notes/store.ts'
import { insertNote } from '../../notes/writing/create.ts'
import { importProperties, readProperties } from '../../notes/writing/properties.ts'
import { ensureTags } from '../../notes/writing/tags.ts'
import { putRecords } from '../../records/rows/store.ts'
import { freeRowIds } from '../../records/structures/deletion.ts'
import { CreateStructureBody } from '../../records/structures/schema.ts'
import { createStructure, type NewStructure } from '../../records/structures/service.ts'
import {
  type Definition,
  definitionOf,
  listStructureRows,
  presentStructure,
  type StructureRow,
} from '../../records/structures/store.ts'
import type { Reader } from '../../storage/reader.ts'
import { structures } from '../../storage/schema/structures.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { splitFrontMatter } from '../front-matter.ts'

/** Attributes that the service assigned to an object and that an import keeps. */
export interface Identity {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Parses an object of an exported file. Refuses it if `input`, the part that a caller would send, does not match the
 * schema of the API.
 */
export function parseExported<Input>(value: unknown, schema: TSchema): Identity & { readonly input: Input } {
  const { id, created_at, updated_at, ...input } = asObject(value)
  const createdAt = instantOf(created_at, 'created_at')
  const updatedAt = updated_at === undefined ? createdAt : instantOf(updated_at, 'updated_at')
  checkInput(schema, input)
  return { id: idOf(id), createdAt, updatedAt, input: input as Input }
}

export function asObject(value: unknown): Fields {
  if (isObject(value)) return value
  throw refused('it must be a JSON object.')
}

export function checkInput(schema: TSchema, input: unknown): void {
  if (Value.Check(schema, input) || errorsIn(schema, input).next().done) return
  throw validationRefusal('body', errorsIn(schema, input))
}

/** All schema errors except invisible names, which earlier versions allowed. */
function* errorsIn(schema: TSchema, input: unknown): Generator<ValueError> {
  for (const error of Value.Errors(schema, input))
    if (!isInvisibleName((error.schema as Partial<RuleSchema>).rules ?? {}, error.value)) yield error
}

export function idOf(value: unknown): string {
  if (typeof value === 'string' && isId(value)) return value
  throw refused('"id" must be an id in the format that this service generates.')
}

/** A timestamp with an offset may fall outside the four-digit years, and could not be written back. */
const MIN_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
const INSTANT_LIMIT = Date.parse('9999-12-31T23:59:59.999Z') + 1

export function instantOf(value: unknown, name: string): number {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  if (instant !== undefined && instant >= MIN_INSTANT && instant < INSTANT_LIMIT) return Math.floor(instant)
  throw refused(`"${name}" must be a timestamp such as 2026-11-21T09:30:00.000Z.`)
}

export const instantOrNull = (value: unknown, name: string): number | null =>
  value === null || value === undefined ? null : instantOf(value, name)

/** A transaction that gives the objects created in it this id and creation time. */
export const txForOriginal = (tx: Tx, { id, createdAt }: Pick<Identity, 'id' | 'createdAt'>): Tx => ({
  ...tx,
  now: createdAt,
  newId: () => id,
})

/** Sets `updated_at` to its exported value. */
export function restoreUpdatedAt({ sql }: Tx, table: ObjectTable, { id, updatedAt }: Identity): void {
  if (table.updatedAt) sql.run(`UPDATE ${getTableName(table)} SET updated_at = ? WHERE id = ?`, updatedAt, id)
}

/** The definition of a structure, without its rows. */
export function exportStructure(row: StructureRow): object {
  const { record_count: _, fields, ...structure } = presentStructure(row)
  return { ...structure, fields }
}

/** Oldest first. */
export const listStructures = (reader: Reader, caller: Caller): StructureRow[] =>
  listStructureRows(reader, caller).sort(
    (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
  )

/** A record field may refer to a structure that is imported later, or that no longer exists. */
const anyStructure = (nameOrId: string) => (isId(nameOrId) ? nameOrId : undefined)

export function importStructure(tx: Tx, caller: Caller, value: unknown): StructureRow {
  const original = parseExported<NewStructure>(value, CreateStructureBody)
  const row = createStructure(txForOriginal(tx, original), caller, original.input, anyStructure)
  restoreUpdatedAt(tx, structures, original)
  return row
}

/**
 * Inserts rows with their ids and times, without events. Values must match the types of their fields, and be unique
 * where required. Other rules are not applied, because they may be newer than the rows.
 */
export function importRows(
  tx: Tx,
  caller: Caller,
  structure: StructureRow,
  values: readonly unknown[],
): void {
  const definition = definitionOf(structure)
  const records = values.map((value) => readRow(definition, asObject(value)))
  freeRowIds(
    tx,
    records.map(({ id }) => id),
  )
  putRecords(tx, structure, records)
  const created: string[] = []
  for (const { id, deletedAt } of records) {
    created.push(id)
    if (deletedAt === null) continue
    logCreatedRecords(tx, caller, structure.id, created.splice(0))
    logChange(tx, caller, { kind: 'record', id, structureId: structure.id }, 'deleted')
  }
  logCreatedRecords(tx, caller, structure.id, created)
}

const readRow = (definition: Definition, sent: Fields): RecordState => ({
  id: idOf(sent.id),
  data: checkedData(definition, asObject(sent.data)),
  createdAt: instantOf(sent.created_at, 'created_at'),
  updatedAt: instantOf(sent.updated_at, 'updated_at'),
  deletedAt: instantOrNull(sent.deleted_at, 'deleted_at'),
})

function checkedData({ fields, byKey }: Definition, sent: Readonly<Record<string, unknown>>): RecordData {
  const unknown = Object.keys(sent).find((key) => !byKey.has(key))
  if (unknown !== undefined)
    throw refused(`"data" names "${unknown}", which is not a field of the structure.`)
  const data: RecordData = {}
  for (const field of fields) {
    const { key, type } = field
    const value = valueIn(sent as RecordData, key)
    if (value === undefined) continue
    const stored = rulesOf(field).normalise(value)
    if (stored === undefined) throw refused(`The field "${key}" does not hold a value of type "${type}".`)
    data[key] = stored
  }
  return data
}

/** All notes, including trashed ones, oldest first. */
export const listNotes = ({ sql }: Reader, { workspacePk }: Caller) =>
  sql.all<{ pk: number; deletedAt: number | null }>(
    'SELECT pk, deleted_at AS deletedAt FROM notes WHERE workspace = ? ORDER BY created_at, id',
    workspacePk,
  )

/** A note as a Markdown file. Every value in the front matter is JSON, which is valid YAML. */
export function exportNote(reader: Reader, pk: number, deletedAt: number | null) {
  const [row] = loadNotes(reader, [pk])
  if (!row) throw new Error('a note disappeared during the export')
  const { content, title, ...head } = presentNote(row)
  const properties = readProperties(reader, pk)
  const lines = Object.entries({
    title,
    ...head,
    ...(row.editedAt !== row.updatedAt && presentEdited(row)),
    ...(deletedAt !== null && { deleted_at: isoTimestamp(deletedAt) }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return { title, text: `---\n${lines.join('\n')}\n---\n${content}` }
}

/** Inserts a note with its id and times, in the trash or not, without a revision. */
export function importNote(tx: Tx, caller: Caller, text: string): void {
  const { frontMatter, body: content } = splitFrontMatter(text)
  if (!frontMatter) throw refused('it has no front matter; it must begin with a line of three dashes.')
  checkStorable([frontMatter, content], 'The note')
  const { id: written, created_at, updated_at, edited_at, deleted_at, properties, ...head } = frontMatter
  const { tags = [], pinned = false, pin_label = null, ...input } = head
  checkInput(CreateBody, { ...input, content })
  checkInput(PatchBody, { pinned, pin_label })
  const { title, alias = null, cover_url: coverUrl = null } = input as Static<typeof CreateBody>
  const tagNames = checkedTags(tags)
  const id = idOf(written)
  const pk = insertNote(tx, caller, {
    ...{ id, title, content, alias, coverUrl },
    tagIds: ensureTags(tx, caller, tagNames),
    pinned: pinned === true,
    pinLabel: pin_label as string | null,
    createdAt: instantOf(created_at, 'created_at'),
    updatedAt: instantOf(updated_at, 'updated_at'),
    editedAt: instantOrNull(edited_at, 'edited_at') ?? undefined,
    deletedAt: instantOrNull(deleted_at, 'deleted_at'),
  })
  importProperties(tx, caller.workspacePk, pk, properties === undefined ? {} : asObject(properties))
  publishNote(tx, caller, 'note.created', id)
}

/** A note may have more tags than one request can add. */
function checkedTags(tags: unknown): string[] {
  if (!Array.isArray(tags)) throw refused('"tags" must be a list of the names of tags.')
  for (let at = 0; at < tags.length; at += TAGS_PER_REQUEST)
    checkInput(TagsBody, { tags: tags.slice(at, at + TAGS_PER_REQUEST) })
  return tags
}

/** The metadata of a file; `stored` is the name of the original in the folder. The extracted text is not exported. */
export const exportFile = ({ sql }: Reader, row: FileRow, stored: string) => ({
  id: row.id,
  file_name: row.fileName,
  // Unlike the API, an export also has the id of a trashed note.
  note_id: sql.scalar<string | null>(
    'SELECT (SELECT id FROM notes n WHERE n.pk = f.note) FROM files f WHERE f.pk = ?',
    row.pk,
  ),
  mime_type: shownMimeType(row),
  created_at: isoTimestamp(row.createdAt),
  stored,
})

/** Adds a file; the next server that runs extracts its text. `read` returns the bytes of the original, or refuses. */
export function importFile(
  tx: Tx,
  caller: Caller,
  value: unknown,
  read: (stored: string) => Uint8Array,
): void {
  const { id, file_name, note_id, mime_type, created_at, stored } = asObject(value)
  const bytes = read(textOf(stored, 'stored'))
  const original = { id: idOf(id), createdAt: instantOf(created_at, 'created_at') }
  const fileName = checkedFileName(textOf(file_name, 'file_name'))
  const row = {
    id: original.id,
    workspace: caller.workspacePk,
    note: note_id === null ? null : notePk(tx, caller.workspacePk, textOf(note_id, 'note_id')),
    fileName,
    mimeType: shownMimeType({ fileName, mimeType: textOf(mime_type, 'mime_type') }),
    size: bytes.length,
  }
  insertWholeFile(txForOriginal(tx, original), caller, row, bytes)
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && !value.includes('\0')) return value
  throw refused(`"${name}" must be a text.`)
}

const notePk = ({ sql }: Reader, workspace: number, id: string): number =>
  sql.get<{ pk: number }>('SELECT pk FROM notes WHERE id = ? AND workspace = ?', id, workspace)?.pk ??
  fail(refused(`"note_id" names ${id}, and there is no such note.`))
