import { columnValue } from '../../../filter/record/values.ts'
import { memoize, memoizeByObject } from '../../../lib/bounded-cache.ts'
import { type RecordData, valueIn } from '../../../lib/record-data.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { isUniqueViolation } from '../../../storage/errors.ts'
import type { Reader } from '../../../storage/reader.ts'
import { liveRows, placeOf, type RowPlace, rowTable, valueColumn } from '../../../storage/row-table-names.ts'
import type { Definition, FieldDefinition, UniqueSet } from '../store.ts'
import {
  changeUniqueSets,
  createRowTable,
  fieldColumns,
  rowTableColumns,
  uniqueIndex,
} from './row-table-schema.ts'
import { columnValues, type LiveRow, rowValues } from './row-values.ts'
import {
  deleteSmallRows,
  hasSmallShape,
  insertSmallRow,
  isLong,
  moveToOwnTable,
  runOnSmallRow,
  type Shape,
  staysSmall,
  updateSmallRow,
} from './small-rows.ts'

/*
 * The live rows of a structure: in its own table, or in the shared table of small structures (`small-rows.ts`). Callers
 * need not know which. The write that makes a structure exceed the small size gives it its own table, which it keeps.
 */

/** The current location of a structure's rows; this transaction may have created its table since `place` was read. */
export const placeNow = (reader: Reader, place: RowPlace): RowPlace =>
  place.ownTable > 0 ? place : placeOf(reader, place.pk)

/** The same for a structure that is about to get rows. It gets its own table if these make it exceed the small size. */
function placeForRows(
  reader: Reader,
  place: RowPlace,
  definition: Definition,
  rows: readonly LiveRow[],
): RowPlace {
  const now = placeNow(reader, place)
  return now.ownTable > 0 || staysSmall(reader, now.pk, rows) ? now : makeOwnTable(reader, now.pk, definition)
}

export const setOwnTable = ({ sql }: Reader, pk: number, ownTable: 0 | 1): RowPlace => {
  sql.run('UPDATE structure_stats SET own_table = ? WHERE structure = ?', ownTable, pk)
  return { pk, ownTable }
}

/** Gives a small structure its own table with its unique indexes. */
export function makeOwnTable(reader: Reader, pk: number, definition: Shape): RowPlace {
  createRowTable(reader, pk, definition.fields)
  if (hasSmallShape(definition)) moveToOwnTable(reader, pk, definition)
  changeUniqueSets(reader, pk, [], definition.uniqueSets)
  return setOwnTable(reader, pk, 1)
}

/** Gives a structure its own table, unless it has one. Only such structures have indexes. */
export function ensureOwnTable(reader: Reader, pk: number, definition: Shape): void {
  if (placeOf(reader, pk).ownTable === 0) makeOwnTable(reader, pk, definition)
}

const insertTexts = memoizeByObject((definition: Definition) =>
  memoize((structurePk: number): string => {
    const names = rowTableColumns(definition)
    const placeholders = names.map(() => '?').join(', ')
    return `INSERT INTO ${rowTable(structurePk)} (${names.join(', ')}) VALUES (${placeholders})`
  }),
)

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

/** A small structure has no indexes. This lookup is the guarantee, because writes run one at a time. */
function refuseHeld(reader: Reader, place: RowPlace, definition: Definition, data: RecordData, pk: number) {
  if (findHolders(reader, place, definition, data).some((held) => held.pk !== pk)) throw refusalOfDuplicate()
}

/**
 * Inserts rows in this order. Refuses a row whose unique values another row has, after inserting the rows before it.
 */
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
    insertSmallRow(reader, pk, definition, row)
  }
}

/** Writes the columns of the changed fields, and `updated_at`. */
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
  updateSmallRow(reader, place.pk, changed, { pk, data, updatedAt })
}

/** Runs `UPDATE …` or `DELETE FROM …` on one row, in either table. */
function runOnRow(reader: Reader, structure: RowPlace, text: (table: string) => string, pk: number): void {
  const place = placeNow(reader, structure)
  if (place.ownTable > 0) reader.sql.run(`${text(rowTable(place.pk))} WHERE pk = ?`, pk)
  else runOnSmallRow(reader, place.pk, text, pk)
}

/** Clears the values of these fields, so they collide with no row until new values are written. */
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

export function deleteLiveRows(reader: Reader, { pk, ownTable }: RowPlace, rows: readonly number[]): void {
  const pks = JSON.stringify(rows)
  if (ownTable === 0) deleteSmallRows(reader, pk, pks)
  else reader.sql.run(`DELETE FROM ${rowTable(pk)} WHERE pk IN (SELECT value FROM json_each(?))`, pks)
}

/** The pk of any live row; the only one under `max_rows: 1`. */
export const findAnyLiveRow = (reader: Reader, structure: RowPlace): number | undefined =>
  reader.sql.column<number>(`SELECT pk FROM ${liveRows(placeNow(reader, structure))} LIMIT 1`)[0]

/** A statement that looks up rows by all unique sets at once; each value is bound once. */
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

/** `lookup` returns the source in which the rows of a unique set are looked up. */
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
 * The live rows with the same values in every field of a unique set. `among` restricts the sets; by default all are
 * used. Returns each matching set with the pk of its only such row.
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

/** Counts a change of the rows, and adds the difference to the maintained number of live rows. */
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

/** Counts inserted rows, `live` of them live. Records whether pk order still is the order of creation and of ids. */
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
