import { memoizeByObject } from '../../../lib/bounded-cache.ts'
import type { RecordData } from '../../../lib/record-data.ts'
import type { Reader } from '../../../storage/reader.ts'
import { rowTable, SMALL_ROWS } from '../../../storage/row-table-names.ts'
import { SMALL_COLUMNS } from '../../../storage/schema/structures.ts'
import type { Definition, FieldDefinition } from '../store.ts'
import { fieldColumns, hasCompanion, rowTableColumns } from './row-table-schema.ts'
import { columnValues, type LiveRow, rowValues } from './row-values.ts'

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
export function isLong(data: RecordData): boolean {
  let length = 0
  for (const value of Object.values(data)) if (typeof value === 'string') length += value.length
  return length > MOST.length
}

/** Whether a small structure stays small with these new rows. */
export function staysSmall({ sql }: Reader, structurePk: number, rows: readonly LiveRow[]): boolean {
  const held = sql.scalar<number>(`SELECT count(*) FROM ${SMALL_ROWS} WHERE structure = ?`, structurePk)
  return held + rows.length <= MOST.rows && !rows.some(({ data }) => isLong(data))
}

/** Numbers get the type that a table column would give them. */
const placeholders = (fields: readonly FieldDefinition[]): string[] =>
  fields.flatMap(({ type }) =>
    type === 'number' ? ['CAST(? AS REAL)', '?'] : hasCompanion(type) ? ['?', '?'] : ['?'],
  )

const insertText = memoizeByObject((definition: Definition): string => {
  const values = ['?', '?', '?', '?', ...placeholders(definition.fields)].join(', ')
  return `INSERT INTO ${SMALL_ROWS} (structure, ${rowTableColumns(definition).join(', ')}) VALUES (${values})`
})

export const insertSmallRow = ({ sql }: Reader, structurePk: number, definition: Definition, row: LiveRow) =>
  sql.run(insertText(definition), structurePk, ...rowValues(definition, row))

/** Writes the columns of the changed fields, and `updated_at`. */
export function updateSmallRow(
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
export const runOnSmallRow = (
  { sql }: Reader,
  structurePk: number,
  text: (table: string) => string,
  pk: number,
) => sql.run(`${text(SMALL_ROWS)} WHERE structure = ? AND pk = ?`, structurePk, pk)

/** `pks` is a JSON array. */
export const deleteSmallRows = ({ sql }: Reader, structurePk: number, pks: string) =>
  sql.run(
    `DELETE FROM ${SMALL_ROWS} WHERE structure = ? AND pk IN (SELECT value FROM json_each(?))`,
    structurePk,
    pks,
  )

export const deleteAllSmallRows = ({ sql }: Reader, structurePk: number) =>
  sql.run(`DELETE FROM ${SMALL_ROWS} WHERE structure = ?`, structurePk)

/** Moves the rows of a small structure into its own, empty table. */
export function moveToOwnTable(reader: Reader, structurePk: number, definition: Shape): void {
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
