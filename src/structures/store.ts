import type { InWorkspace } from '../context.ts'
import { insertRow, updateRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { structures } from '../db/schema/structures.ts'
import type { FieldType, TypedField } from '../filter/record/operators.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { isId } from '../lib/ids.ts'
import { fold } from '../lib/text.ts'
import { fail, notFound } from '../refusal.ts'

/** The columns of a definition. */
export interface StructureColumns {
  name: string
  nameFold: string
  description: string | null
  /** JSON array of `FieldDefinition`. */
  fields: string
  labelField: string | null
  /** JSON array of arrays of keys. */
  uniqueTogether: string
  maxRows: number | null
  immutable: number
}

export interface StructureRow extends Omit<StructureColumns, 'nameFold'> {
  pk: number
  id: string
  createdAt: number
  updatedAt: number
  /** The version of its enabled subscriptions (`delivery/outbox.ts`); null if there are none. */
  subscriptionsVersion: string | null
  live: number
  /** Increases with every write of a row; totals are cached by it. */
  changes: number
  /** 1 while the order of pks is that of creation and of ids. */
  inOrder: number
  lastCreatedAt: number | null
  /** Null if there never was a row. */
  lastId: string | null
  /** The highest pk in the text index (`storage/text-index.ts`); null if there is no text index. */
  indexedTo: number | null
}

const counter = (column: string) => `(SELECT ${column} FROM structure_stats r WHERE r.structure = s.pk)`

/* A subquery, because this version of SQLite prepares a join with bound values again at every run. */
const COLUMNS = `s.pk, s.id, s.name, s.description, s.fields, s.label_field AS labelField,
  s.unique_together AS uniqueTogether, s.max_rows AS maxRows, s.immutable, s.created_at AS createdAt,
  s.updated_at AS updatedAt, s.subscriptions_version AS subscriptionsVersion, ${counter('live')} AS live,
  ${counter('changes')} AS changes, ${counter('in_order')} AS inOrder,
  ${counter('last_created_at')} AS lastCreatedAt, ${counter('last_id')} AS lastId,
  ${counter('indexed_to')} AS indexedTo`
const FROM = 'FROM structures s'

/** By creation. */
export const listStructureRows = ({ sql }: Reader, workspace: number): StructureRow[] =>
  sql.all(
    `SELECT ${COLUMNS} ${FROM} WHERE s.workspace = ? AND s.name_fold IS NOT NULL ORDER BY s.pk`,
    workspace,
  )

/** Of every workspace. */
export const listAllStructureRows = ({ sql }: Reader): StructureRow[] =>
  sql.all(`SELECT ${COLUMNS} ${FROM} WHERE s.name_fold IS NOT NULL ORDER BY s.workspace, s.pk`)

/** This and the functions below do not find a structure that is being deleted. */
export const findStructureById = ({ sql }: Reader, workspace: number, id: string): StructureRow | undefined =>
  sql.get(
    `SELECT ${COLUMNS} ${FROM} WHERE s.id = ? AND s.workspace = ? AND s.name_fold IS NOT NULL`,
    id,
    workspace,
  )

export const findStructureByName = (
  { sql }: Reader,
  workspace: number,
  nameFold: string,
): StructureRow | undefined =>
  sql.get(`SELECT ${COLUMNS} ${FROM} WHERE s.workspace = ? AND s.name_fold = ?`, workspace, nameFold)

export const findStructureByPk = ({ sql }: Reader, workspace: number, pk: number): StructureRow | undefined =>
  sql.get(
    `SELECT ${COLUMNS} ${FROM} WHERE s.pk = ? AND s.workspace = ? AND s.name_fold IS NOT NULL`,
    pk,
    workspace,
  )

/** By id, else by name ignoring case. */
export const findStructure = (
  reader: Reader,
  { workspacePk }: InWorkspace,
  nameOrId: string,
): StructureRow | undefined =>
  isId(nameOrId)
    ? findStructureById(reader, workspacePk, nameOrId)
    : findStructureByName(reader, workspacePk, fold(nameOrId))

export const getStructure = (reader: Reader, caller: InWorkspace, nameOrId: string): StructureRow =>
  findStructure(reader, caller, nameOrId) ?? fail(notFound('structure'))

/** The definition of a structure of any workspace; undefined while it is being deleted. */
export const findDefinitionTexts = (
  { sql }: Reader,
  pk: number,
): Pick<StructureRow, 'fields' | 'uniqueTogether'> | undefined =>
  sql.get(
    'SELECT fields, unique_together AS uniqueTogether FROM structures WHERE pk = ? AND name_fold IS NOT NULL',
    pk,
  )

/** How many structures and live records the workspace has. */
export const countStructures = (
  { sql }: Reader,
  workspace: number,
): { structures: number; records: number } =>
  sql.get(
    `SELECT count(*) AS structures, coalesce(sum(${counter('live')}), 0) AS records ${FROM}
     WHERE s.workspace = ? AND s.name_fold IS NOT NULL`,
    workspace,
  ) ?? { structures: 0, records: 0 }

/** Inserts a structure that has no row table yet; returns its pk. */
export function insertStructure(
  reader: Reader,
  row: StructureColumns & Pick<StructureRow, 'id' | 'createdAt' | 'updatedAt'> & { workspace: number },
): number {
  const pk = insertRow(reader, structures, row)
  reader.sql.run('INSERT INTO structure_stats (structure) VALUES (?)', pk)
  return pk
}

/** Writes the definition and increases `updated_at`. */
export const updateStructure = (reader: Reader, pk: number, row: StructureColumns, now: number) =>
  updateRow(reader, structures, pk, row, now)

/** A field as it is stored: what responses show, and the number of its columns. */
export interface FieldDefinition extends TypedField {
  readonly key: string
  readonly type: FieldType
  /** Null if it equals the key. */
  readonly label: string | null
  readonly required: boolean
  readonly unit: string | null
  readonly hidden: boolean
  readonly unique: boolean
  readonly min: number | string | null
  readonly max: number | string | null
  readonly options: readonly string[] | null
  /** The id of the structure whose rows a `record` field points to; null for any. */
  readonly structure: string | null
  readonly column: number
}

/** One rule of uniqueness: a unique field alone, or the fields of a `unique_together` set. */
export type UniqueSet = readonly FieldDefinition[]

/** A parsed definition. */
export interface Definition {
  readonly fields: readonly FieldDefinition[]
  readonly byKey: ReadonlyMap<string, FieldDefinition>
  readonly uniqueSets: readonly UniqueSet[]
}

type Source = Pick<StructureRow, 'fields' | 'uniqueTogether'>

const MAX_DEFINITIONS = 500
const definitions = new BoundedCache<string, Definition>(MAX_DEFINITIONS)
/** The one asked for last: comparing two texts takes less time than finding one in a map. */
let last: (Source & { readonly definition: Definition }) | undefined

/** The unique fields, each as a set of its own, and the `unique_together` sets. */
export function uniqueSetsOf(
  fields: readonly FieldDefinition[],
  together: readonly (readonly string[])[],
): UniqueSet[] {
  const single = fields.filter(({ unique }) => unique).map((field) => [field])
  const sets = together.map((keys) => fields.filter(({ key }) => keys.includes(key)))
  return [...single, ...sets]
}

function build({ fields: text, uniqueTogether }: Source): Definition {
  const fields = JSON.parse(text) as FieldDefinition[]
  const together = JSON.parse(uniqueTogether) as string[][]
  return {
    fields,
    byKey: new Map(fields.map((field) => [field.key, field])),
    uniqueSets: uniqueSetsOf(fields, together),
  }
}

/** The parsed definition, cached by its text, so that a change by any process is seen. */
export function definitionOf({ fields, uniqueTogether }: Source): Definition {
  if (last?.fields === fields && last.uniqueTogether === uniqueTogether) return last.definition
  const definition = cachedDefinition({ fields, uniqueTogether })
  last = { fields, uniqueTogether, definition }
  return definition
}

function cachedDefinition(row: Source): Definition {
  const text = `${row.fields}${row.uniqueTogether}`
  const found = definitions.get(text)
  if (found) return found
  const definition = build(row)
  definitions.set(text, definition)
  return definition
}
