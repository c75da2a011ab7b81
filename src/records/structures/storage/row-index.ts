import type { Reader } from '../../../storage/reader.ts'
import { rowTable } from '../../../storage/row-table-names.ts'

/** A SQLite index on the row table of a structure. It can be copied to another thread. */
export interface RowIndex {
  readonly name: string
  readonly structurePk: number
  /** Expressions over a row. SQLite uses the index for an expression only if a query writes it identically. */
  readonly expressions: readonly string[]
  readonly isUnique?: boolean
}

const definitionText = ({ name, structurePk, expressions, isUnique = false }: RowIndex): string =>
  `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${name} ON ${rowTable(structurePk)} (${expressions.join(', ')})`

/** Builds the index; a unique index throws a constraint violation if rows collide. */
export function createRowIndex({ sql }: Reader, index: RowIndex): void {
  const rows = sql.get<{ live: number }>(
    'SELECT live FROM structure_stats WHERE structure = ?',
    index.structurePk,
  )
  sql.script(definitionText(index), rows?.live)
}

export const dropRowIndex = ({ sql }: Reader, name: string): void =>
  sql.script(`DROP INDEX IF EXISTS ${name}`)

/** The names of all indexes on the structure's row table. */
export const listRowIndexes = ({ sql }: Reader, structurePk: number): string[] =>
  sql.column(
    `SELECT name FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ?`,
    rowTable(structurePk),
  )

/** Whether the index exists exactly as defined. */
export const isIntact = ({ sql }: Reader, index: RowIndex): boolean =>
  sql.get(
    `SELECT 1 FROM main.sqlite_schema WHERE type = 'index' AND name = ? AND sql = ?`,
    index.name,
    definitionText(index),
  ) !== undefined
