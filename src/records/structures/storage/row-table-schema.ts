import {
  columnValue,
  type FieldKind,
  rulesOf,
  searchText,
  valueTypeOf,
} from '../../../filter/record/field-types.ts'
import { type FieldValue, type RecordData, valueIn } from '../../../lib/record-data.ts'
import { refused } from '../../../lib/refusal.ts'
import { scanOf } from '../../../lib/scan.ts'
import { fold, quoteList } from '../../../lib/text.ts'
import { isUniqueViolation } from '../../../storage/errors.ts'
import type { Reader } from '../../../storage/reader.ts'
import {
  companionColumn,
  liveRows,
  type RowPlace,
  rowTable,
  valueColumn,
} from '../../../storage/row-table-names.ts'
import type { SqlValue } from '../../../storage/sql.ts'
import type { Definition, FieldDefinition, UniqueSet } from '../store.ts'
import { createRowIndex, dropRowIndex, type RowIndex } from './row-index.ts'
import { dropTextIndex } from './text-index.ts'

/*
 * A structure that is not small (`live-rows.ts`) has its own table of live rows: typed, indexed, derived from
 * `records`, and rebuilt from it when needed. Short columns come first, so a scan over them rarely reads past the first
 * page of a row. The table is not STRICT, because SQLite would check every row again for each added column.
 */

/** Whether values of the field have a companion column (`storage/row-table-names.ts`). */
export const hasCompanion = (field: FieldKind): boolean => rulesOf(field).companion !== undefined

const columnNames = (field: FieldDefinition): string[] => {
  const { column } = field
  return hasCompanion(field) ? [valueColumn(column), companionColumn(column)] : [valueColumn(column)]
}

export const fieldColumns = (fields: readonly FieldDefinition[]): string[] => fields.flatMap(columnNames)

export const rowTableColumns = ({ fields }: Pick<Definition, 'fields'>): string[] => [
  'pk',
  'created_at',
  'updated_at',
  ...fieldColumns(fields),
]

function companionOf(value: FieldValue): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? null : JSON.stringify(value)
  return typeof value === 'object' ? searchText(value) : differentFold(String(value))
}

const MAY_FOLD = /[A-Z\u0080-\uffff]/

/** The folded form if it differs. Most texts equal theirs, and testing that is faster than folding. */
function differentFold(text: string): string | null {
  if (!MAY_FOLD.test(text)) return null
  const folded = fold(text)
  return folded === text ? null : folded
}

/**
 * The contents of these fields' columns, appended to others. A plain loop, because every written row passes through it.
 */
export function columnValues(
  fields: readonly FieldDefinition[],
  data: RecordData,
  values: SqlValue[] = [],
): SqlValue[] {
  for (const field of fields) {
    const value = valueIn(data, field.key)
    values.push(value === undefined ? null : columnValue(value))
    if (hasCompanion(field)) values.push(value === undefined ? null : companionOf(value))
  }
  return values
}

export interface LiveRow {
  readonly pk: number
  readonly data: RecordData
  readonly createdAt: number
  readonly updatedAt: number
}

/** The contents of all columns of a row (`rowTableColumns`). */
export const rowValues = ({ fields }: Definition, { pk, createdAt, updatedAt, data }: LiveRow): SqlValue[] =>
  columnValues(fields, data, [pk, createdAt, updatedAt])

const columnsOf = (field: FieldDefinition): string[] => {
  const { column } = field
  const value = `${valueColumn(column)} ${rulesOf(field).storage}`
  return hasCompanion(field) ? [value, `${companionColumn(column)} TEXT`] : [value]
}

const isText = (field: FieldDefinition) => valueTypeOf(field) === 'text'

export function createRowTable({ sql }: Reader, structurePk: number, fields: readonly FieldDefinition[]) {
  const ordered = [...fields.filter((field) => !isText(field)), ...fields.filter(isText)]
  const columns = [
    'pk INTEGER PRIMARY KEY',
    'created_at INTEGER NOT NULL',
    'updated_at INTEGER NOT NULL',
    ...ordered.flatMap(columnsOf),
  ]
  sql.script(`CREATE TABLE ${rowTable(structurePk)} (${columns.join(', ')})`)
}

/** Drops the row table of a structure with all its indexes; the rows stay in `records`. */
export function dropRowTable(reader: Reader, structurePk: number): void {
  dropTextIndex(reader, structurePk)
  reader.sql.script(`DROP TABLE IF EXISTS ${rowTable(structurePk)}`)
  reader.sql.run('DELETE FROM auto_indexes WHERE structure = ?', structurePk)
}

export function addColumns({ sql }: Reader, structurePk: number, fields: readonly FieldDefinition[]): void {
  for (const column of fields.flatMap(columnsOf))
    sql.script(`ALTER TABLE ${rowTable(structurePk)} ADD COLUMN ${column}`)
}

const columnsOfSet = (set: UniqueSet) =>
  set
    .map(({ column }) => column)
    .sort((a, b) => a - b)
    .map(valueColumn)

/**
 * The unique index of a set. Rows that lack one of its values never collide, because SQLite treats NULLs as distinct.
 */
export function uniqueIndex(structurePk: number, set: UniqueSet): RowIndex {
  const columns = columnsOfSet(set)
  const numbers = columns.map((column) => column.slice(1))
  const name = `${rowTable(structurePk)}_unique_${numbers.join('_')}`
  return { name, structurePk, expressions: columns, isUnique: true }
}

/** The unique indexes of a structure; a small one has none. */
export const uniqueIndexes = ({ pk, ownTable }: RowPlace, { uniqueSets }: Definition): RowIndex[] =>
  ownTable > 0 ? uniqueSets.map((set) => uniqueIndex(pk, set)) : []

/** Creates and drops unique indexes to match the sets of `after`; refuses if live rows collide. */
export function changeUniqueSets(
  reader: Reader,
  structurePk: number,
  before: readonly UniqueSet[],
  after: readonly UniqueSet[],
): void {
  const nameOf = (set: UniqueSet) => uniqueIndex(structurePk, set).name
  const had = new Set(before.map(nameOf))
  const wanted = new Set(after.map(nameOf))
  for (const set of after) if (!had.has(nameOf(set))) createUnique(reader, structurePk, set)
  for (const name of had) if (!wanted.has(name)) dropRowIndex(reader, name)
}

function createUnique(reader: Reader, structurePk: number, set: UniqueSet): void {
  try {
    createRowIndex(reader, uniqueIndex(structurePk, set))
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw refused(
      collisionOf(reader, { pk: structurePk, ownTable: 1 }, set) ?? collisionSentence(reader, set, []),
    )
  }
}

/** The reason why the values of a set cannot become unique, naming two colliding rows; undefined if none collide. */
export function collisionOf(reader: Reader, place: RowPlace, set: UniqueSet): string | undefined {
  const columns = columnsOfSet(set)
  const [pair] = reader.sql.rows<number[]>(
    `SELECT min(pk), max(pk) FROM ${liveRows(place)}
     WHERE ${scanOf('pk').text} AND ${columns.map((column) => `${column} IS NOT NULL`).join(' AND ')}
     GROUP BY ${columns.join(', ')} HAVING count(*) > 1 LIMIT 1`,
  )
  return pair && collisionSentence(reader, set, pair)
}

function collisionSentence({ sql }: Reader, set: UniqueSet, pks: readonly number[]): string {
  const ids = sql.column<string>(
    'SELECT id FROM records WHERE pk IN (SELECT value FROM json_each(?)) ORDER BY pk',
    JSON.stringify(pks),
  )
  const keys = set.map(({ key }) => key)
  const what = keys.length === 1 ? `The field ${quoteList(keys)}` : `The fields ${quoteList(keys)} together`
  return `${what} cannot become unique while rows collide; change or delete one of ${quoteList(ids)} first.`
}
