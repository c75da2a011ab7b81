import type { Reader } from '../../db/reader.ts'
import { rowTable, SMALL_ROWS } from '../../db/row-table-names.ts'
import { type Definition, definitionOf, findDefinitionTexts, listAllStructureRows } from '../store.ts'
import { autoIndexTable, indexTargets, listIndexTableNames } from './auto-index.ts'
import { buildAtOnce, dropIndexTable, isIntact } from './index-table.ts'
import { hasSmallShape, MOST, type Shape, setOwnTable } from './live-rows.ts'
import { dropRowTable, rowTableColumns, uniqueTable } from './row-table-schema.ts'

/**
 * Older programs had SQLite's own indexes on row tables instead of index tables. The unique ones are built as tables;
 * the automatic ones are dropped, and return by themselves where they are of use.
 */
export function replaceOldIndexes(reader: Reader): void {
  const { sql } = reader
  const names = sql.column<string>(
    `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name GLOB 'rows_[0-9]*'
     AND (name GLOB 'rows_[0-9]*_auto_*' OR name GLOB 'rows_[0-9]*_unique_*')`,
  )
  for (const name of names) sql.script(`DROP INDEX ${name}`)
  for (const row of listAllStructureRows(reader)) {
    if (row.ownTable === 0) continue
    const definition = definitionOf(row)
    for (const set of definition.uniqueSets) {
      const table = uniqueTable(row.pk, set)
      if (!isIntact(reader, table)) buildAtOnce(reader, table)
    }
    for (const [name] of listIndexTableNames(reader, row.pk)) {
      const targets = indexTargets(definition, name)
      if (targets && isIntact(reader, autoIndexTable(row.pk, targets))) continue
      sql.run('DELETE FROM auto_indexes WHERE structure = ? AND "column" = ?', row.pk, name)
    }
  }
}

/** Older programs had text indexes of another form, which are no longer on record; they return where they are of use. */
export function dropOldTextIndexes({ sql }: Reader): void {
  const names = sql.column<string>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'rows_[0-9]*_search' AND sql LIKE 'CREATE VIRTUAL %'`,
  )
  for (const name of names) sql.script(`DROP TABLE ${name}`)
}

/** How many structures an older program gave a table that has not been looked at since. */
export const countOldRowTables = ({ sql }: Reader): number =>
  sql.scalar('SELECT count(*) FROM structure_stats WHERE own_table = 2')

const AT_ONCE = 100

/** Takes their tables away from the small ones among some of these structures. */
export function shareSomeRowTables(reader: Reader): void {
  const { sql } = reader
  const old = sql.column<number>(
    'SELECT structure FROM structure_stats WHERE own_table = 2 ORDER BY structure LIMIT ?',
    AT_ONCE,
  )
  for (const structure of old) {
    const texts = findDefinitionTexts(reader, structure)
    if (texts && shareTable(reader, structure, definitionOf(texts))) continue
    sql.run('UPDATE structure_stats SET own_table = 1 WHERE structure = ?', structure)
  }
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
