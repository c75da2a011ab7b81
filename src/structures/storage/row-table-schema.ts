import type { SQLiteError } from 'bun:sqlite'
import { isUniqueViolation } from '../../db/errors.ts'
import type { Reader } from '../../db/reader.ts'
import { companionColumn, liveRows, type RowPlace, rowTable, valueColumn } from '../../db/row-table-names.ts'
import type { FieldType } from '../../filter/record/operators.ts'
import { quoteList } from '../../lib/text.ts'
import { refused } from '../../refusal.ts'
import { hasTable } from '../../search/tables.ts'
import type { Definition, FieldDefinition, UniqueSet } from '../store.ts'
import {
  changedTable,
  collisionTable,
  createEmpty,
  dropIndexTable,
  enforceUnique,
  fillAtOnce,
  type IndexTable,
  keepInStep,
  listIndexTables,
  PK,
} from './index-table.ts'
import { dropTextIndex } from './text-index.ts'

/*
 * A structure that is not small (`live-rows.ts`) has its own table of live rows: typed, indexed, derived from
 * `records`, and rebuilt from it when needed. Short columns come first, so that a scan over them seldom reads past the
 * first page of a row. The table is not STRICT, because SQLite would check every row again each time a column is added.
 */

const STORAGE: Partial<Record<FieldType, string>> = { number: 'REAL', bool: 'INTEGER' }

/** Whether values of the type have a companion column (`db/row-table-names.ts`). */
export const hasCompanion = (type: FieldType): boolean =>
  type === 'text' || type === 'select' || type === 'number'

const columnNames = ({ column, type }: FieldDefinition): string[] =>
  hasCompanion(type) ? [valueColumn(column), companionColumn(column)] : [valueColumn(column)]

export const fieldColumns = (fields: readonly FieldDefinition[]): string[] => fields.flatMap(columnNames)

export const rowTableColumns = ({ fields }: Pick<Definition, 'fields'>): string[] => [
  'pk',
  'created_at',
  'updated_at',
  ...fieldColumns(fields),
]

const columnsOf = ({ column, type }: FieldDefinition): string[] => {
  const value = `${valueColumn(column)} ${STORAGE[type] ?? 'TEXT'}`
  return hasCompanion(type) ? [value, `${companionColumn(column)} TEXT`] : [value]
}

const isLong = ({ type }: FieldDefinition) => type === 'text'

export function createRowTable({ sql }: Reader, structurePk: number, fields: readonly FieldDefinition[]) {
  const ordered = [...fields.filter((field) => !isLong(field)), ...fields.filter(isLong)]
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
  // With the row table its triggers go, which write to the index tables.
  for (const name of [rowTable(structurePk), ...listIndexTables(reader, structurePk)])
    reader.sql.script(`DROP TABLE IF EXISTS ${name}`)
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

/** The column of a unique index that holds the values of a column of the row table. */
export const uniqueColumn = (column: string): string => `k_${column}`

/** The unique index of a set: its primary key is the guarantee. Rows that lack a value collide with none. */
export function uniqueTable(structurePk: number, set: UniqueSet): IndexTable {
  const columns = columnsOfSet(set)
  const numbers = columns.map((column) => column.slice(1))
  return {
    name: `${rowTable(structurePk)}_unique_${numbers.join('_')}`,
    structurePk,
    key: columns.map((column) => ({ name: uniqueColumn(column), type: '', content: `@${column}` })),
    others: [PK],
    sources: columns,
    required: columns,
  }
}

/** Whether a write failed because a row with the same unique values exists. */
export const isCollision = (error: unknown): boolean =>
  isUniqueViolation(error) && (error as SQLiteError).message.includes('_unique_')

export interface UniqueChange {
  readonly before: readonly UniqueSet[]
  readonly after: readonly UniqueSet[]
  /** In these columns no row has a value yet. */
  readonly newColumns?: ReadonlySet<number>
  readonly isEmpty?: boolean
}

/** Drops and creates unique indexes so that they match the sets of `after`; refuses while live rows collide. */
export function changeUniqueSets(
  reader: Reader,
  structurePk: number,
  { before, after, newColumns = new Set(), isEmpty = false }: UniqueChange,
): void {
  const tableOf = (set: UniqueSet) => uniqueTable(structurePk, set)
  const had = new Set(before.map((set) => tableOf(set).name))
  const wanted = new Set(after.map((set) => tableOf(set).name))
  const added = after.filter((set) => !had.has(tableOf(set).name))
  const hasRows = (set: UniqueSet) => !isEmpty && !set.some(({ column }) => newColumns.has(column))
  const removed = before.filter((set) => !wanted.has(tableOf(set).name))
  // What may be refused comes first: creating many tables takes long.
  const enforced = added.filter(hasRows).map((set) => createUnique(reader, structurePk, set))
  for (const enforce of enforced) enforce()
  for (const set of removed) dropIndexTable(reader, tableOf(set))
  for (const set of added) if (!hasRows(set)) createEmpty(reader, tableOf(set))
}

/** Fills the index, or refuses; returns what is left to be done so that it is kept in step. */
function createUnique(reader: Reader, structurePk: number, set: UniqueSet): () => void {
  const table = uniqueTable(structurePk, set)
  const prepared = hasTable(reader, collisionTable(table)) && !hasTable(reader, changedTable(table))
  if (prepared) {
    const [pair] = reader.sql.rows<[number, number]>(`SELECT pk, other FROM ${collisionTable(table)} LIMIT 1`)
    if (pair) throw refused(collisionSentence(reader, set, pair))
    return () => enforceUnique(reader, table)
  }
  // Another request may be filling it in steps: those that are left find it gone, and do nothing.
  dropIndexTable(reader, table)
  try {
    fillAtOnce(reader, table)
    return () => keepInStep(reader, table)
  } catch (error) {
    if (!isCollision(error)) throw error
    throw refused(
      collisionOf(reader, { pk: structurePk, ownTable: 1 }, set) ?? collisionSentence(reader, set, []),
    )
  }
}

/** Why the values of a set cannot become unique: it names two rows that collide; undefined where none do. */
export function collisionOf(reader: Reader, place: RowPlace, set: UniqueSet): string | undefined {
  const columns = columnsOfSet(set)
  const [pair] = reader.sql.rows<number[]>(
    `SELECT min(pk), max(pk) FROM ${liveRows(place)}
     WHERE ${reader.sql.stopCondition('pk').text} AND ${columns.map((column) => `${column} IS NOT NULL`).join(' AND ')}
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
