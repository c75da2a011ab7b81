import { columnValue, rulesOf } from '../../../filter/record/field-types.ts'
import { memoize, memoizeByObject } from '../../../lib/bounded-cache.ts'
import { type RecordData, valueIn } from '../../../lib/record-data.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { isUniqueViolation } from '../../../storage/errors.ts'
import type { Reader } from '../../../storage/reader.ts'
import {
  liveRows,
  placeOf,
  type RowPlace,
  rowTable,
  SMALL_ROWS,
  valueColumn,
} from '../../../storage/row-table-names.ts'
import { SMALL_COLUMNS } from '../../../storage/schema/structures.ts'
import type { Definition, FieldDefinition, UniqueSet } from '../store.ts'
import {
  changeUniqueSets,
  columnValues,
  createRowTable,
  fieldColumns,
  hasCompanion,
  type LiveRow,
  rowTableColumns,
  rowValues,
  uniqueIndex,
} from './row-table-schema.ts'
/*
 * The live rows of a structure: in its own table, or in the shared table of small structures. Callers
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
function refuseSmallDuplicate(
  reader: Reader,
  place: RowPlace,
  definition: Definition,
  data: RecordData,
  pk: number,
) {
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
    refuseSmallDuplicate(reader, { pk, ownTable }, definition, row.data, row.pk)
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
  const place = now.ownTable === 0 && hasMuchText(data) ? makeOwnTable(reader, now.pk, definition) : now
  if (place.ownTable > 0) {
    const assignments = ['updated_at', ...fieldColumns(changed)].map((name) => `${name} = ?`)
    const text = `UPDATE ${rowTable(place.pk)} SET ${assignments.join(', ')} WHERE pk = ?`
    refusingDuplicates(() => sql.run(text, updatedAt, ...columnValues(changed, data), pk))
    return
  }
  refuseSmallDuplicate(reader, place, definition, data, pk)
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
  readonly row: { readonly id: string; readonly createdAt: number }
}

/** Counts inserted rows, `live` of them live. Records whether pk order still is the order of creation and of ids. */
export function countInserts(
  { sql }: Reader,
  structurePk: number,
  live: number,
  rows: readonly Inserted[],
): void {
  const first = rows[0]?.row
  if (!first) return
  let isInOrder = true
  let last = first
  for (const { row } of rows) {
    const follows = row === first || (last.createdAt <= row.createdAt && last.id < row.id)
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

/*
 * Small structures share one table of live rows, `small_rows`. Thousands of them therefore do not enlarge the schema of
 * the file, which every connection reads. The table has the columns that their own tables would have. It is ordered by
 * structure, so reading the rows of one costs the same. Small structures have no indexes. Unique values stay unique
 * because every write checks the other rows, and writes run one at a time.
 */

/** The limits of a small structure. `length` limits the texts of a row. */
const MOST = { rows: 200, length: 4_096, uniqueSets: 10 }

/** The attributes that determine the location of rows. */
export type Shape = Pick<Definition, 'fields' | 'uniqueSets'>

export const hasSmallShape = ({ fields, uniqueSets }: Shape): boolean =>
  uniqueSets.length <= MOST.uniqueSets && fields.every(({ column }) => column <= SMALL_COLUMNS)

/** Whether a row has too much text for a small structure. */
function hasMuchText(data: RecordData): boolean {
  let length = 0
  for (const value of Object.values(data)) {
    if (typeof value === 'string') length += value.length
    else if (typeof value === 'object') for (const one of value) length += 2 * one.length
  }
  return length > MOST.length
}

/** Whether a small structure stays small with these new rows. */
function staysSmall({ sql }: Reader, structurePk: number, rows: readonly LiveRow[]): boolean {
  const held = sql.scalar<number>(`SELECT count(*) FROM ${SMALL_ROWS} WHERE structure = ?`, structurePk)
  return held + rows.length <= MOST.rows && !rows.some(({ data }) => hasMuchText(data))
}

/** Numbers get the type that a table column would give them. */
const placeholders = (fields: readonly FieldDefinition[]): string[] =>
  fields.flatMap((field) => {
    const value = rulesOf(field).storage === 'REAL' ? 'CAST(? AS REAL)' : '?'
    return hasCompanion(field) ? [value, '?'] : [value]
  })

const insertSmallText = memoizeByObject((definition: Definition): string => {
  const values = ['?', '?', '?', '?', ...placeholders(definition.fields)].join(', ')
  return `INSERT INTO ${SMALL_ROWS} (structure, ${rowTableColumns(definition).join(', ')}) VALUES (${values})`
})

const insertSmallRow = ({ sql }: Reader, structurePk: number, definition: Definition, row: LiveRow) =>
  sql.run(insertSmallText(definition), structurePk, ...rowValues(definition, row))

/** Writes the columns of the changed fields, and `updated_at`. */
function updateSmallRow(
  { sql }: Reader,
  structurePk: number,
  changed: readonly FieldDefinition[],
  { pk, data, updatedAt }: Omit<LiveRow, 'createdAt'>,
): void {
  const values = placeholders(changed)
  const assignments = fieldColumns(changed).map((name, at) => `, ${name} = ${values[at]}`)
  const text = `UPDATE ${SMALL_ROWS} SET updated_at = ?${assignments.join('')} WHERE structure = ? AND pk = ?`
  sql.run(text, updatedAt, ...columnValues(changed, data), structurePk, pk)
}

/** Runs `UPDATE …` or `DELETE FROM …` on one row. */
const runOnSmallRow = ({ sql }: Reader, structurePk: number, text: (table: string) => string, pk: number) =>
  sql.run(`${text(SMALL_ROWS)} WHERE structure = ? AND pk = ?`, structurePk, pk)

/** `pks` is a JSON array. */
const deleteSmallRows = ({ sql }: Reader, structurePk: number, pks: string) =>
  sql.run(
    `DELETE FROM ${SMALL_ROWS} WHERE structure = ? AND pk IN (SELECT value FROM json_each(?))`,
    structurePk,
    pks,
  )

export const deleteAllSmallRows = ({ sql }: Reader, structurePk: number) =>
  sql.run(`DELETE FROM ${SMALL_ROWS} WHERE structure = ?`, structurePk)

/** Moves the rows of a small structure into its own, empty table. */
function moveToOwnTable(reader: Reader, structurePk: number, definition: Shape): void {
  const columns = rowTableColumns(definition).join(', ')
  const own = `INSERT INTO ${rowTable(structurePk)} (${columns})`
  reader.sql.run(`${own} SELECT ${columns} FROM ${SMALL_ROWS} WHERE structure = ?`, structurePk)
  deleteAllSmallRows(reader, structurePk)
}

/** Copies the rows of a structure from its own table if it is small; returns whether it is. */
export function copyFromOwnTable({ sql }: Reader, structurePk: number, definition: Definition): boolean {
  const table = rowTable(structurePk)
  const isThere = sql.get('SELECT 1 FROM pragma_table_info(?) LIMIT 1', table) !== undefined
  if (!isThere || !hasSmallShape(definition)) return false
  const columns = rowTableColumns(definition)
  const texts = columns.filter((column) => /^f/.test(column))
  const length = texts.map((text) => `coalesce(length(${text}), 0)`).join(' + ')
  const hasMany = sql.get(`SELECT 1 FROM ${table} LIMIT 1 OFFSET ${MOST.rows}`) !== undefined
  if (hasMany || sql.get(`SELECT 1 FROM ${table} WHERE ${length} > ${MOST.length} LIMIT 1`) !== undefined)
    return false
  sql.run(
    `INSERT INTO ${SMALL_ROWS} (structure, ${columns.join(', ')}) SELECT ?, ${columns.join(', ')} FROM ${table}`,
    structurePk,
  )
  return true
}

/**
 * Table entries other than live rows of a small structure, with the id of their record, if any. Rows of the structures
 * that the query `deleted` returns are skipped.
 */
export const smallStrays = (
  { sql }: Reader,
  deleted: string,
): [structure: number, pk: number, id: string | null][] =>
  sql.rows(
    `SELECT structure, pk, (SELECT id FROM records r WHERE r.pk = held.pk) FROM ${SMALL_ROWS} AS held
     WHERE NOT EXISTS
         (SELECT 1 FROM records r WHERE r.pk = held.pk AND r.structure = held.structure AND r.deleted_at IS NULL)
       OR NOT EXISTS (SELECT 1 FROM structure_stats s WHERE s.structure = held.structure AND s.own_table = 0)
         AND held.structure NOT IN (${deleted})`,
  )

/** Removes all rows except the rows of the structures that a query returns. */
export const deleteOtherSmallRows = ({ sql }: Reader, structures: string) =>
  sql.run(`DELETE FROM ${SMALL_ROWS} WHERE structure NOT IN (${structures})`)
