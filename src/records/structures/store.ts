import { count, eq, getTableColumns, sql } from 'drizzle-orm'
import type { InWorkspace } from '../../context.ts'
import type { FieldType, TypedField } from '../../filter/record/field-types.ts'
import { type Ability, checkAbility, may } from '../../kernel/caller.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import type { ResultType } from '../../lib/formula/values.ts'
import { isId } from '../../lib/ids.ts'
import { fail, notFound } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { storedObjects } from '../../log/objects/statements.ts'
import { from, insertInto, rowBy, rowsBy, updateOf } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { structureStats, structures } from '../../storage/schema/structures.ts'
import type { FieldFormat } from './formats.ts'
import { type CompiledField, compiledFields } from './formulas.ts'
import type { Rollup } from './rollups.ts'

export type StructureRow = NonNullable<ReturnType<typeof found.findById>>

/* Subqueries, because this version of SQLite prepares a join with bound values again for every run. */
const counter = <Value>(column: string) =>
  sql<Value>`(SELECT ${sql.raw(column)} FROM structure_stats r WHERE r.structure = structures.pk)`

const whole = {
  ...getTableColumns(structures),
  live: counter<number>('live'),
  changes: counter<number>('changes'),
  inOrder: counter<number>('in_order'),
  lastCreatedAt: counter<number | null>('last_created_at'),
  lastId: counter<string | null>('last_id'),
  indexedTo: counter<number | null>('indexed_to'),
  ownTable: counter<number>('own_table'),
}

const found = storedObjects({
  table: structures,
  read: whole,
  order: [structures.pk],
  name: structures.nameFold,
})

/** The functions below find nothing of a structure that the caller may not see. */
const isSeen = ({ rights }: InWorkspace, row: StructureRow | undefined): row is StructureRow =>
  row !== undefined && (rights === undefined || may(rights, row.id, 'see'))

const seen =
  <Value>(find: (reader: Reader, workspace: number, value: Value) => StructureRow | undefined) =>
  (reader: Reader, caller: InWorkspace, value: Value): StructureRow | undefined => {
    const row = find(reader, caller.workspacePk, value)
    return isSeen(caller, row) ? row : undefined
  }

/** In creation order; the structures for which the caller has an ability. */
export const listStructureRows = (
  reader: Reader,
  caller: InWorkspace,
  ability: Ability = 'see',
): StructureRow[] => {
  const rows = found.rows(reader, caller.workspacePk)
  const { rights } = caller
  return rights === undefined ? rows : rows.filter(({ id }) => may(rights, id, ability))
}
export const findStructureById = seen(found.findById)
export const findStructureByPk = seen(found.findBy((pk: number) => eq(structures.pk, pk)))

/** Also finds a structure that the caller may not see, because its name is taken. */
export const findStructureByName = found.findByName
const findSeenByName = seen(found.findByName)

export const listAllStructureRows = rowsBy(() =>
  from(structures, whole).orderBy(structures.workspace, structures.pk),
)

/** By id, else by name ignoring case. */
export const findStructure = (
  reader: Reader,
  caller: InWorkspace,
  nameOrId: string,
): StructureRow | undefined =>
  isId(nameOrId)
    ? findStructureById(reader, caller, nameOrId)
    : findSeenByName(reader, caller, fold(nameOrId))

/** The same; refuses structures for which the caller lacks the ability. */
export function getStructure(
  reader: Reader,
  caller: InWorkspace,
  nameOrId: string,
  ability: Ability,
): StructureRow {
  const structure = findStructure(reader, caller, nameOrId) ?? fail(notFound('structure'))
  checkAbility(caller.rights, structure, ability)
  return structure
}

/** The structure of an object that belongs to one; refuses callers who lack the ability for it. */
export function structureOf(
  reader: Reader,
  caller: InWorkspace,
  { structure: pk }: { readonly structure: number },
  noun: string,
  ability: Ability,
): StructureRow {
  const structure = findStructureByPk(reader, caller, pk) ?? fail(notFound(noun))
  checkAbility(caller.rights, structure, ability)
  return structure
}

/** The objects of structures with rows that the caller may read. */
export const ofReadableStructures = <Row extends { readonly structure: number | null }>(
  reader: Reader,
  caller: InWorkspace,
  rows: readonly Row[],
): Row[] => {
  if (caller.rights === undefined) return [...rows]
  const readable = new Set(listStructureRows(reader, caller, 'read').map(({ pk }) => pk))
  return rows.filter(({ structure }) => structure !== null && readable.has(structure))
}

/** The definition of a structure of any workspace; undefined once it is deleted. */
export const findDefinitionTexts = rowBy((pk: number) =>
  from(structures, { fields: structures.fields, uniqueTogether: structures.uniqueTogether }).where(
    eq(structures.pk, pk),
  ),
)

const counts = rowBy((workspace: number) =>
  from(structures, { structures: count(), records: sql<number>`coalesce(sum(${counter('live')}), 0)` }).where(
    eq(structures.workspace, workspace),
  ),
)

/** The number of structures and live records of the workspace that are visible to the caller. */
export function countStructures(
  reader: Reader,
  caller: InWorkspace,
): { structures: number; records: number } {
  const { workspacePk, rights } = caller
  if (rights === undefined) return counts(reader, workspacePk) ?? { structures: 0, records: 0 }
  const seen = listStructureRows(reader, caller)
  const read = seen.filter(({ id }) => may(rights, id, 'read'))
  return { structures: seen.length, records: read.reduce((sum, { live }) => sum + live, 0) }
}

const insert = insertInto(structures)
const insertStats = insertInto(structureStats)

/** Inserts a structure without a row table; returns its pk. */
export function insertStructure(reader: Reader, row: Parameters<typeof insert>[1]): number {
  const pk = insert(reader, row)
  insertStats(reader, { structure: pk })
  return pk
}

/** Writes columns of the definition, and with an instant increases `updated_at`. */
export const updateStructure = updateOf(structures, structures.pk)

/** A stored field: everything that responses show, and the number of its columns. */
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
  /** The id of the structure that a `record` field references; null for any. */
  readonly structure: string | null
  /** Absent without one. */
  readonly format?: FieldFormat
  readonly rollup?: Rollup
  /** For formulas. */
  readonly expression?: string
  readonly result?: ResultType
  /** Whether a job still computes the values of existing rows. */
  readonly computing?: true
  readonly column: number
}

/** One uniqueness rule: a unique field alone, or the fields of a `unique_together` set. */
export type UniqueSet = readonly FieldDefinition[]

export interface Definition {
  readonly fields: readonly FieldDefinition[]
  readonly byKey: ReadonlyMap<string, FieldDefinition>
  /** The indexes of the fields, by key. */
  readonly positions: ReadonlyMap<string, number>
  readonly uniqueSets: readonly UniqueSet[]
  readonly formulas: readonly CompiledField[]
  readonly rollups: readonly FieldDefinition[]
}

type Source = Pick<StructureRow, 'fields' | 'uniqueTogether'>

const MAX_DEFINITIONS = 500

/** The unique fields, each as a separate set, and the `unique_together` sets. */
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
    positions: new Map(fields.map(({ key }, at) => [key, at])),
    uniqueSets: uniqueSetsOf(fields, together),
    formulas: fields.some(isFormula) ? compiledFields(fields) : [],
    rollups: fields.filter(({ rollup }) => rollup !== undefined),
  }
}

const isFormula = ({ expression }: FieldDefinition): boolean => expression !== undefined

const definitionsOf = memoize(
  (fields: string) => memoize((uniqueTogether: string) => build({ fields, uniqueTogether })),
  MAX_DEFINITIONS,
)

/** The parsed definition, cached by its texts, so changes by any process take effect. */
export const definitionOf = ({ fields, uniqueTogether }: Source): Definition =>
  definitionsOf(fields)(uniqueTogether)

/* The presented form of structures. */

export const presentField = (field: FieldDefinition) => ({
  key: field.key,
  type: field.type,
  label: field.label ?? field.key,
  required: field.required,
  unit: field.unit,
  hidden: field.hidden,
  unique: field.unique,
  min: field.min,
  max: field.max,
  options: field.options === null ? null : [...field.options],
  structure: field.structure,
  ...(field.format && { format: { ...field.format } }),
  ...(field.expression !== undefined && { expression: field.expression, result: field.result }),
  ...(field.rollup && { ...field.rollup, via: { ...field.rollup.via } }),
  ...(field.computing && { computing: field.computing }),
  ...(field.multiple && { multiple: true as const }),
})

export const presentStructure = (row: StructureRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  fields: definitionOf(row).fields.map(presentField),
  label_field: row.labelField,
  unique_together: JSON.parse(row.uniqueTogether) as string[][],
  max_rows: row.maxRows,
  immutable: row.immutable === 1,
  icon: row.icon ?? undefined,
  color: row.color ?? undefined,
  record_count: row.live,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

type Shown = ReturnType<typeof presentStructure>

/** The same for a caller; callers who may not read the rows do not see their number. */
export function presentStructureTo({ rights }: InWorkspace, row: StructureRow) {
  const { record_count, ...definition } = presentStructure(row)
  return { ...definition, ...(may(rights, row.id, 'read') && { record_count }) } as Shown
}
