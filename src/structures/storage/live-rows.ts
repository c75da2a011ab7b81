import { type FieldValue, type RecordData, valueIn } from '../../changes/record-data.ts'
import { isUniqueViolation } from '../../db/errors.ts'
import type { Reader } from '../../db/reader.ts'
import {
  liveRows,
  placeOf,
  type RowPlace,
  rowTable,
  SMALL_ROWS,
  valueColumn,
} from '../../db/row-table-names.ts'
import { SMALL_COLUMNS } from '../../db/schema/structures.ts'
import type { SqlValue } from '../../db/sql.ts'
import { columnValue } from '../../filter/record/values.ts'
import { memoize, memoizeByObject } from '../../lib/bounded-cache.ts'
import { fold } from '../../lib/text.ts'
import { Refusal } from '../../refusal.ts'
import type { Definition, FieldDefinition, UniqueSet } from '../store.ts'
import {
  changeUniqueSets,
  createRowTable,
  fieldColumns,
  hasCompanion,
  rowTableColumns,
  uniqueIndex,
} from './row-table-schema.ts'

/*
 * Small structures have no table of their own: their live rows are in one that they share, `small_rows`, so that thousands
 * of them do not make the schema of the file grow, which every connection reads. It has the columns that their tables would
 * have, and is in the order of structures, so that reading the rows of one costs the same. They have no indexes either: of
 * unique values no two rows have the same, because every write looks at the other rows, and writes come one at a time.
 *
 * A structure gets a table for itself in the write with which it is no longer small, and keeps it.
 */

/** What a small structure may hold. `length` is of the texts of a row. */
export const MOST = { rows: 200, length: 4_096, uniqueSets: 10 }

/** What decides where rows are. */
export type Shape = Pick<Definition, 'fields' | 'uniqueSets'>

export const hasSmallShape = ({ fields, uniqueSets }: Shape): boolean =>
  uniqueSets.length <= MOST.uniqueSets && fields.every(({ column }) => column <= SMALL_COLUMNS)

function isLong(data: RecordData): boolean {
  let length = 0
  for (const value of Object.values(data)) if (typeof value === 'string') length += value.length
  return length > MOST.length
}

/** Where the rows of a structure are that was read in this transaction, which may have given it a table since. */
export const placeNow = (reader: Reader, place: RowPlace): RowPlace =>
  place.ownTable > 0 ? place : placeOf(reader, place.pk)

/** The same for a structure that is about to get rows, which gets a table if it is no longer small then. */
function placeForRows(
  reader: Reader,
  place: RowPlace,
  definition: Definition,
  rows: readonly LiveRow[],
): RowPlace {
  if (place.ownTable > 0) return place
  const { pk } = place
  const [[ownTable, held] = [0, 0]] = reader.sql.rows<[ownTable: number, held: number]>(
    `SELECT own_table, (SELECT count(*) FROM ${SMALL_ROWS} s WHERE s.structure = structure_stats.structure)
     FROM structure_stats WHERE structure = ?`,
    pk,
  )
  if (ownTable > 0) return { pk, ownTable }
  const isSmall = held + rows.length <= MOST.rows && !rows.some(({ data }) => isLong(data))
  return isSmall ? place : makeOwnTable(reader, pk, definition)
}

export const setOwnTable = ({ sql }: Reader, pk: number, ownTable: 0 | 1): RowPlace => {
  sql.run('UPDATE structure_stats SET own_table = ? WHERE structure = ?', ownTable, pk)
  return { pk, ownTable }
}

/** Gives a small structure a table for itself, and its unique indexes. */
export function makeOwnTable(reader: Reader, pk: number, definition: Shape): RowPlace {
  createRowTable(reader, pk, definition.fields)
  if (hasSmallShape(definition)) moveRows(reader, pk, definition)
  changeUniqueSets(reader, pk, [], definition.uniqueSets)
  return setOwnTable(reader, pk, 1)
}

/** Moves the rows of a small structure into its own table. */
function moveRows({ sql }: Reader, pk: number, definition: Shape): void {
  const columns = rowTableColumns(definition).join(', ')
  const own = `INSERT INTO ${rowTable(pk)} (${columns})`
  sql.run(`${own} SELECT ${columns} FROM ${SMALL_ROWS} WHERE structure = ?`, pk)
  sql.run(`DELETE FROM ${SMALL_ROWS} WHERE structure = ?`, pk)
}

/** Gives a structure a table for itself, unless it has one. Only such structures have indexes. */
export function ensureOwnTable(reader: Reader, pk: number, definition: Shape): void {
  if (placeOf(reader, pk).ownTable === 0) makeOwnTable(reader, pk, definition)
}

function companionOf(value: FieldValue): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? null : JSON.stringify(value)
  return differentFold(String(value))
}

const MAY_FOLD = /[A-Z\u0080-\uffff]/

/** The folded form if it differs; most texts equal theirs, and testing that is faster than folding them. */
function differentFold(text: string): string | null {
  if (!MAY_FOLD.test(text)) return null
  const folded = fold(text)
  return folded === text ? null : folded
}

/** The contents of the columns of these fields, after others; a plain loop, because every written row passes through it. */
function columnValues(
  fields: readonly FieldDefinition[],
  data: RecordData,
  values: SqlValue[] = [],
): SqlValue[] {
  for (const { key, type } of fields) {
    const value = valueIn(data, key)
    values.push(value === undefined ? null : columnValue(value))
    if (hasCompanion(type)) values.push(value === undefined ? null : companionOf(value))
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

const insertTexts = memoizeByObject((definition: Definition) =>
  memoize((structurePk: number): string => {
    const names = rowTableColumns(definition)
    const placeholders = names.map(() => '?').join(', ')
    return `INSERT INTO ${rowTable(structurePk)} (${names.join(', ')}) VALUES (${placeholders})`
  }),
)

/** Numbers have the type that the column of a table would give them. */
const smallValues = (fields: readonly FieldDefinition[]): string[] =>
  fields.flatMap(({ type }) =>
    type === 'number' ? ['CAST(? AS REAL)', '?'] : hasCompanion(type) ? ['?', '?'] : ['?'],
  )

const smallInsertText = memoizeByObject((definition: Definition): string => {
  const values = ['?', '?', '?', '?', ...smallValues(definition.fields)].join(', ')
  return `INSERT INTO ${SMALL_ROWS} (structure, ${rowTableColumns(definition).join(', ')}) VALUES (${values})`
})

const refusalOfDuplicate = () =>
  new Refusal('unique_violation', 'A row with these unique values exists already; nothing was written.')

/** The index is the guarantee; callers name the row and the field with `findHolders`. */
function refusingDuplicates<Result>(write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    throw isUniqueViolation(error) ? refusalOfDuplicate() : error
  }
}

/** A small structure has no indexes: this look is the guarantee, as writes come one at a time. */
function refuseHeld(reader: Reader, place: RowPlace, definition: Definition, data: RecordData, pk: number) {
  if (findHolders(reader, place, definition, data).some((held) => held.pk !== pk)) throw refusalOfDuplicate()
}

/** Inserts rows in this order; a row whose unique values another one has is refused, and those before it are inserted. */
export function insertLiveRows(
  reader: Reader,
  structure: RowPlace,
  definition: Definition,
  rows: readonly LiveRow[],
): void {
  if (rows.length === 0) return
  const { sql } = reader
  const { pk, ownTable } = placeForRows(reader, structure, definition, rows)
  if (ownTable > 0) {
    refusingDuplicates(() =>
      sql.runEach(insertTexts(definition)(pk), rows, (row) => rowValues(definition, row)),
    )
    return
  }
  for (const row of rows) {
    refuseHeld(reader, { pk, ownTable }, definition, row.data, row.pk)
    sql.run(smallInsertText(definition), pk, ...rowValues(definition, row))
  }
}

/** Writes the columns of the fields that changed, and `updated_at`. */
export function updateLiveRow(
  reader: Reader,
  structure: RowPlace,
  definition: Definition,
  changed: readonly FieldDefinition[],
  { pk, data, updatedAt }: Omit<LiveRow, 'createdAt'>,
): void {
  const { sql } = reader
  const now = placeNow(reader, structure)
  const place = now.ownTable === 0 && isLong(data) ? makeOwnTable(reader, now.pk, definition) : now
  if (place.ownTable > 0) {
    const assignments = ['updated_at', ...fieldColumns(changed)].map((name) => `${name} = ?`)
    const text = `UPDATE ${rowTable(place.pk)} SET ${assignments.join(', ')} WHERE pk = ?`
    refusingDuplicates(() => sql.run(text, updatedAt, ...columnValues(changed, data), pk))
    return
  }
  refuseHeld(reader, place, definition, data, pk)
  const values = smallValues(changed)
  const assignments = fieldColumns(changed).map((name, at) => `, ${name} = ${values[at]}`)
  const text = `UPDATE ${SMALL_ROWS} SET updated_at = ?${assignments.join('')} WHERE structure = ? AND pk = ?`
  sql.run(text, updatedAt, ...columnValues(changed, data), place.pk, pk)
}

/** `UPDATE …`, `DELETE FROM …` of one row, wherever it is. */
function runOnRow(reader: Reader, structure: RowPlace, text: (table: string) => string, pk: number): void {
  const place = placeNow(reader, structure)
  if (place.ownTable > 0) reader.sql.run(`${text(rowTable(place.pk))} WHERE pk = ?`, pk)
  else reader.sql.run(`${text(SMALL_ROWS)} WHERE structure = ? AND pk = ?`, place.pk, pk)
}

/** Takes away the values of these fields, which collide with none until others are written. */
export function clearLiveValues(
  reader: Reader,
  structure: RowPlace,
  fields: readonly FieldDefinition[],
  pk: number,
): void {
  if (fields.length === 0) return
  const assignments = fields.map(({ column }) => `${valueColumn(column)} = NULL`).join(', ')
  runOnRow(reader, structure, (table) => `UPDATE ${table} SET ${assignments}`, pk)
}

export const deleteLiveRow = (reader: Reader, structure: RowPlace, pk: number): void =>
  runOnRow(reader, structure, (table) => `DELETE FROM ${table}`, pk)

export function deleteLiveRows({ sql }: Reader, { pk, ownTable }: RowPlace, rows: readonly number[]): void {
  const from = ownTable > 0 ? `${rowTable(pk)} WHERE` : `${SMALL_ROWS} WHERE structure = ${pk} AND`
  sql.run(`DELETE FROM ${from} pk IN (SELECT value FROM json_each(?))`, JSON.stringify(rows))
}

/** The pk of some live row; the only one under `max_rows: 1`. */
export const findAnyLiveRow = (reader: Reader, structure: RowPlace): number | undefined =>
  reader.sql.column<number>(`SELECT pk FROM ${liveRows(placeNow(reader, structure))} LIMIT 1`)[0]

/** A statement that looks for rows by all unique sets at once, for which it is sent each value once. */
interface HolderQuery {
  readonly text: string
  readonly fields: readonly FieldDefinition[]
}

const byIndexes = memoizeByObject((definition: Definition) =>
  memoize((pk: number) =>
    holderQuery(definition, (set) => `${rowTable(pk)} INDEXED BY ${uniqueIndex(pk, set).name}`),
  ),
)
const byRows = memoizeByObject((definition: Definition) =>
  memoize((pk: number) => holderQuery(definition, () => liveRows({ pk, ownTable: 0 }))),
)

/** `lookup` says where the rows of a unique set are looked up. */
function holderQuery(definition: Definition, lookup: (set: UniqueSet) => string): HolderQuery {
  const fields = [...new Set(definition.uniqueSets.flat())]
  const numbers = new Map(fields.map((field, at) => [field, at + 1]))
  const lookups = definition.uniqueSets.map((set) => {
    const tests = set.map((field) => `${valueColumn(field.column)} = ?${numbers.get(field)}`)
    return `(SELECT pk FROM ${lookup(set)} WHERE ${tests.join(' AND ')})`
  })
  return { text: `SELECT ${lookups.join(', ')}`, fields }
}

/**
 * The live rows that have the same values in every field of one of the unique sets `among`, which are all by default:
 * with each set the pk of the row, which is the only one.
 */
export function findHolders(
  reader: Reader,
  structure: RowPlace,
  definition: Definition,
  data: RecordData,
  among: readonly UniqueSet[] = definition.uniqueSets,
): { readonly set: UniqueSet; readonly pk: number }[] {
  if (among.length === 0) return []
  const { pk, ownTable } = placeNow(reader, structure)
  const { text, fields } = (ownTable > 0 ? byIndexes : byRows)(definition)(pk)
  const isAsked = among === definition.uniqueSets ? undefined : new Set(among.flat())
  const values = fields.map((field) => {
    const value = isAsked?.has(field) === false ? undefined : valueIn(data, field.key)
    return value === undefined ? null : columnValue(value)
  })
  const [pks = []] = reader.sql.rows<(number | null)[]>(text, ...values)
  return definition.uniqueSets.flatMap((set, at) => {
    const pk = pks[at] ?? null
    return pk !== null && among.includes(set) ? [{ set, pk }] : []
  })
}

/** Counts a change of the rows, which adds to the maintained count of live ones. */
export const countChange = ({ sql }: Reader, structurePk: number, difference: number) =>
  sql.run(
    'UPDATE structure_stats SET live = live + ?, changes = changes + 1 WHERE structure = ?',
    difference,
    structurePk,
  )

interface Inserted {
  readonly id: string
  readonly createdAt: number
}

/** Counts inserted rows, of which `live` are live, and records whether pks still have the order of creation and of ids. */
export function countInserts(
  { sql }: Reader,
  structurePk: number,
  live: number,
  rows: readonly Inserted[],
): void {
  const [first] = rows
  if (!first) return
  let isInOrder = true
  let last = first
  for (const row of rows.slice(1)) {
    const follows = last.createdAt <= row.createdAt && last.id < row.id
    isInOrder &&= follows
    last = follows ? row : { id: greater(last.id, row.id), createdAt: greater(last.createdAt, row.createdAt) }
  }
  sql.run(
    `UPDATE structure_stats SET live = live + ?1, changes = changes + 1,
       in_order = in_order AND ?2 AND (last_id IS NULL OR (last_created_at <= ?3 AND last_id < ?4)),
       last_created_at = max(?5, coalesce(last_created_at, ?5)), last_id = max(?6, coalesce(last_id, ?6))
     WHERE structure = ?7`,
    live,
    Number(isInOrder),
    first.createdAt,
    first.id,
    last.createdAt,
    last.id,
    structurePk,
  )
}

const greater = <Value extends string | number>(one: Value, other: Value): Value =>
  one > other ? one : other
