import { getTableColumns, getTableName, type InferInsertModel } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Reader } from './reader.ts'
import type { SqlValue } from './sql.ts'
import { TOUCH } from './sql-part.ts'

/*
 * Statements that the tables of most features share. Names of tables and columns come from the drizzle table, never from
 * a caller; values are bound. `pk` is the row id, whatever the column is called.
 */

/** Every column of the table for a SELECT that reads from it without an alias, named as in `$inferSelect`. */
export const columnsOf = (table: SQLiteTable): string =>
  Object.entries(getTableColumns(table))
    .map(([key, { name }]) => `${getTableName(table)}.${name} AS ${key}`)
    .join(', ')

/** The SQL names and the values of the columns that `row` has. */
function assigned(table: SQLiteTable, row: object): { names: string[]; values: SqlValue[] } {
  const columns = getTableColumns(table)
  const names = Object.keys(row).map((key) => columns[key]?.name ?? key)
  return { names, values: Object.values(row) }
}

/** Returns the pk of the new row. */
export function insertRow<Table extends SQLiteTable>(
  { sql }: Reader,
  table: Table,
  row: InferInsertModel<Table>,
): number {
  const { names, values } = assigned(table, row)
  const places = names.map(() => '?').join(', ')
  const insert = `INSERT INTO ${getTableName(table)} (${names.join(', ')}) VALUES (${places})`
  return sql.run(insert, ...values).lastInsertRowid
}

/** Changes the columns that `row` has. With `now`, also sets `updated_at`, which increases with every change. */
export function updateRow<Table extends SQLiteTable>(
  { sql }: Reader,
  table: Table,
  pk: number,
  row: Partial<InferInsertModel<Table>>,
  now?: number,
): void {
  const { names, values } = assigned(table, row)
  const changes = names.map((name) => `${name} = ?`)
  if (now !== undefined) {
    changes.push(TOUCH)
    values.push(now)
  }
  sql.run(`UPDATE ${getTableName(table)} SET ${changes.join(', ')} WHERE rowid = ?`, ...values, pk)
}

export const deleteRow = ({ sql }: Reader, table: SQLiteTable, pk: number) =>
  sql.run(`DELETE FROM ${getTableName(table)} WHERE rowid = ?`, pk)

export const countRows = ({ sql }: Reader, table: SQLiteTable, workspace: number): number =>
  sql.scalar(`SELECT count(*) FROM ${getTableName(table)} WHERE workspace = ?`, workspace)

/** Clears `is_default` of the workspace's default row, so that another row can become the default. Returns its id. */
export const clearDefault = (
  { sql }: Reader,
  table: SQLiteTable,
  workspace: number,
  now: number,
): string | undefined =>
  sql.get<{ id: string }>(
    `UPDATE ${getTableName(table)} SET is_default = 0, ${TOUCH}
     WHERE workspace = ? AND is_default = 1 RETURNING id`,
    now,
    workspace,
  )?.id
