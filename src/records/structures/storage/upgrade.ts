import type { Reader } from '../../../storage/reader.ts'
import { rowTable } from '../../../storage/row-table-names.ts'
import { type Definition, definitionOf, findDefinitionTexts } from '../store.ts'
import { createIndexNamed, listAutoIndexes } from './auto-index.ts'
import { copyFromOwnTable, setOwnTable } from './live-rows.ts'
import { dropRowIndex, listRowIndexes } from './row-index.ts'
import { changeUniqueSets, dropRowTable } from './row-table-schema.ts'

/*
 * Older programs stored indexes in separate tables with triggers, and had text indexes in other formats. Structures
 * whose row tables may be in that format have 2 in `own_table`; they are converted in batches.
 */

/** The number of structures with a row table of an older program. */
export const countOldRowTables = ({ sql }: Reader): number =>
  sql.scalar('SELECT count(*) FROM structure_stats WHERE own_table = 2')

const STRUCTURES_AT_ONCE = 100
const ROWS_AT_ONCE = 20_000

/** Converts the row tables of some structures: many if they are small. */
export function convertSomeRowTables(reader: Reader): void {
  const old = reader.sql.rows<[pk: number, live: number]>(
    'SELECT structure, live FROM structure_stats WHERE own_table = 2 ORDER BY live LIMIT ?',
    STRUCTURES_AT_ONCE,
  )
  let rows = 0
  for (const [pk, live] of old) {
    convertRowTable(reader, pk)
    rows += live
    if (rows >= ROWS_AT_ONCE) return
  }
}

/** Converts the row table of a structure, or removes it if the structure is small. */
function convertRowTable(reader: Reader, pk: number): void {
  const { sql } = reader
  const texts = findDefinitionTexts(reader, pk)
  const definition = texts && definitionOf(texts)
  dropOldIndexes(reader, pk)
  if (definition && shareTable(reader, pk, definition)) return
  if (!definition) {
    // A job removes the rows of a deleted structure.
    sql.run('DELETE FROM structure_stats WHERE structure = ?', pk)
    return
  }
  setOwnTable(reader, pk, 1)
  changeUniqueSets(reader, pk, [], definition.uniqueSets)
  for (const name of listAutoIndexes(reader, pk))
    if (!createIndexNamed(reader, pk, definition, name))
      sql.run('DELETE FROM auto_indexes WHERE structure = ? AND "column" = ?', pk, name)
}

/** Drops every index of the structure, in any format. */
function dropOldIndexes(reader: Reader, pk: number): void {
  const { sql } = reader
  const table = rowTable(pk)
  const triggers = sql.column<string>(
    "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
    table,
  )
  for (const name of triggers) sql.script(`DROP TRIGGER ${name}`)
  const tables = sql.column<string>(
    `SELECT name FROM main.sqlite_schema WHERE type = 'table'
     AND (name GLOB ?1 || '_by_*' OR name GLOB ?1 || '_unique_*' OR name IN (?1 || '_search', ?1 || '_text', ?1 || '_vocabulary', ?1 || '_vocabulary_parts'))`,
    table,
  )
  for (const name of tables) sql.script(`DROP TABLE ${name}`)
  for (const name of listRowIndexes(reader, pk)) dropRowIndex(reader, name)
  sql.run('DELETE FROM row_search_pending WHERE structure = ?', pk)
  sql.run('UPDATE structure_stats SET indexed_to = NULL WHERE structure = ?', pk)
}

/** Moves a small structure from its own table to the shared one; returns whether it was small. */
export function shareTable(reader: Reader, pk: number, definition: Definition): boolean {
  if (!copyFromOwnTable(reader, pk, definition)) return false
  dropRowTable(reader, pk)
  setOwnTable(reader, pk, 0)
  return true
}
