import type { RecordData } from '../../changes/record-data.ts'
import type { Reader } from '../../db/reader.ts'
import { placeOf, type RowPlace, rowTable, SMALL_ROWS } from '../../db/row-table-names.ts'
import { SMALL_COLUMNS } from '../../db/schema/structures.ts'
import { refused } from '../../refusal.ts'
import type { Definition, FieldDefinition } from '../store.ts'
import { dropIndexTable } from './index-table.ts'
import {
  addColumns,
  changeUniqueSets,
  collisionOf,
  createRowTable,
  dropRowTable,
  rowTableColumns,
  uniqueTable,
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
const MOST = { rows: 200, length: 4_096, uniqueSets: 10 }

type Shape = Pick<Definition, 'fields' | 'uniqueSets'>

const hasSmallShape = ({ fields, uniqueSets }: Shape): boolean =>
  uniqueSets.length <= MOST.uniqueSets && fields.every(({ column }) => column <= SMALL_COLUMNS)

export function isLong(data: RecordData): boolean {
  let length = 0
  for (const value of Object.values(data)) if (typeof value === 'string') length += value.length
  return length > MOST.length
}

/**
 * The same for a structure that was read in this transaction, which may have given it a table since; it takes none away.
 */
export const placeNow = (reader: Reader, place: RowPlace): RowPlace =>
  place.ownTable > 0 ? place : placeOf(reader, place.pk)

/** The same for a structure that is about to get a row, which gets a table if it is no longer small then. */
export function placeForRow(
  reader: Reader,
  place: RowPlace,
  definition: Definition,
  data: RecordData,
): RowPlace {
  if (place.ownTable > 0) return place
  const { pk } = place
  const [[ownTable, rows] = [0, 0]] = reader.sql.rows<[ownTable: number, rows: number]>(
    `SELECT own_table, (SELECT count(*) FROM ${SMALL_ROWS} s WHERE s.structure = structure_stats.structure)
     FROM structure_stats WHERE structure = ?`,
    pk,
  )
  if (ownTable > 0) return { pk, ownTable }
  return rows < MOST.rows && !isLong(data) ? place : makeOwnTable(reader, pk, definition)
}

const setOwnTable = ({ sql }: Reader, pk: number, ownTable: 0 | 1): RowPlace => {
  sql.run('UPDATE structure_stats SET own_table = ? WHERE structure = ?', ownTable, pk)
  return { pk, ownTable }
}

/** Gives a small structure a table for itself, and its unique indexes. */
export function makeOwnTable(reader: Reader, pk: number, definition: Shape): RowPlace {
  createRowTable(reader, pk, definition.fields)
  const isEmpty = !hasSmallShape(definition) || moveRows(reader, pk, definition) === 0
  changeUniqueSets(reader, pk, { before: [], after: definition.uniqueSets, isEmpty })
  return setOwnTable(reader, pk, 1)
}

/** Moves the rows of a small structure into its own table; returns how many there were. */
function moveRows({ sql }: Reader, pk: number, definition: Shape): number {
  const columns = rowTableColumns(definition).join(', ')
  const own = `INSERT INTO ${rowTable(pk)} (${columns})`
  sql.run(`${own} SELECT ${columns} FROM ${SMALL_ROWS} WHERE structure = ?`, pk)
  return sql.run(`DELETE FROM ${SMALL_ROWS} WHERE structure = ?`, pk).changes
}

/** The same, unless it has one. Only such structures have indexes. */
export function ensureOwnTable(reader: Reader, pk: number, definition: Shape): void {
  if (placeOf(reader, pk).ownTable === 0) makeOwnTable(reader, pk, definition)
}

/** Takes the table away from a structure that is small; returns whether it was. */
export function shareTable(reader: Reader, pk: number, definition: Definition): boolean {
  const { sql } = reader
  const table = rowTable(pk)
  const isThere = sql.get('SELECT 1 FROM pragma_table_info(?) LIMIT 1', table) !== undefined
  if (!isThere || !hasSmallShape(definition)) return false
  const columns = rowTableColumns(definition)
  const texts = columns.filter((column) => /^f/.test(column))
  const length = texts.map((text) => `coalesce(length(${text}), 0)`).join(' + ')
  const many = sql.get(`SELECT 1 FROM ${table} LIMIT 1 OFFSET ${MOST.rows}`)
  if (
    many !== undefined ||
    sql.get(`SELECT 1 FROM ${table} WHERE ${length} > ${MOST.length} LIMIT 1`) !== undefined
  )
    return false
  sql.run(
    `INSERT INTO ${SMALL_ROWS} (structure, ${columns.join(', ')}) SELECT ?, ${columns.join(', ')} FROM ${table}`,
    pk,
  )
  const hasAutoIndexes = sql.get('SELECT 1 FROM auto_indexes WHERE structure = ?', pk) !== undefined
  if (hasAutoIndexes) dropRowTable(reader, pk)
  else dropKnownTables(reader, pk, definition)
  setOwnTable(reader, pk, 0)
  return true
}

/** The same as `dropRowTable`, without a look through the schema, which is long where thousands of tables are dropped. */
function dropKnownTables(reader: Reader, pk: number, { uniqueSets }: Shape): void {
  reader.sql.script(`DROP TABLE ${rowTable(pk)}`)
  for (const set of uniqueSets) dropIndexTable(reader, uniqueTable(pk, set))
}

/** To be called for a new structure, and for one whose rows were dropped. */
export function startRows(reader: Reader, pk: number, shape: Shape): void {
  if (!hasSmallShape(shape)) makeOwnTable(reader, pk, shape)
}

/** Adds the new fields of a structure that may have rows, and changes its unique sets; refuses while live rows collide. */
export function changeRows(reader: Reader, place: RowPlace, before: Shape, after: Shape): void {
  const { pk } = place
  if (placeNow(reader, place).ownTable === 0) {
    if (hasSmallShape(after)) {
      refuseCollisions(reader, place, before, after)
      return
    }
    makeOwnTable(reader, pk, before)
  }
  const isNew = ({ column }: FieldDefinition) => !before.fields.some((old) => old.column === column)
  const added = after.fields.filter(isNew)
  addColumns(reader, pk, added)
  const newColumns = new Set(added.map(({ column }) => column))
  changeUniqueSets(reader, pk, { before: before.uniqueSets, after: after.uniqueSets, newColumns })
}

function refuseCollisions(reader: Reader, place: RowPlace, before: Shape, after: Shape): void {
  const nameOf = (set: Shape['uniqueSets'][number]) => uniqueTable(place.pk, set).name
  const had = new Set(before.uniqueSets.map(nameOf))
  for (const set of after.uniqueSets) {
    const sentence = had.has(nameOf(set)) ? undefined : collisionOf(reader, place, set)
    if (sentence !== undefined) throw refused(sentence)
  }
}

/** Removes all live rows of a structure; they stay in `records`. */
export function dropRows(reader: Reader, pk: number): void {
  dropRowTable(reader, pk)
  reader.sql.run(`DELETE FROM ${SMALL_ROWS} WHERE structure = ?`, pk)
  setOwnTable(reader, pk, 0)
}
