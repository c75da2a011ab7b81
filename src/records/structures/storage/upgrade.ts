import { defineUpgradeJob } from '../../../kernel/jobs.ts'
import type { Reader } from '../../../storage/reader.ts'
import { type Definition, definitionOf, findDefinitionTexts } from '../store.ts'
import { createIndexNamed, listAutoIndexes } from './auto-index.ts'
import { copyFromOwnTable, setOwnTable } from './live-rows.ts'
import { dropRowIndex } from './row-index.ts'
import { changeUniqueSets, dropRowTable } from './row-table-schema.ts'

/*
 * Older programs stored indexes in separate tables with triggers, and had text indexes in other formats. Structures
 * whose row tables may be in that format have 2 in `own_table`; they are converted in batches.
 */

/** The number of structures with a row table of an older program. */
const countOldRowTables = ({ sql }: Reader): number =>
  sql.scalar('SELECT count(*) FROM structure_stats WHERE own_table = 2')

const STRUCTURES_AT_ONCE = 100
const ROWS_AT_ONCE = 20_000

/** Converts the row tables of some structures, many if they are small; returns whether there were any. */
function convertSome(reader: Reader): boolean {
  const old = reader.sql.rows<[pk: number, live: number]>(
    'SELECT structure, live FROM structure_stats WHERE own_table = 2 ORDER BY live LIMIT ?',
    STRUCTURES_AT_ONCE,
  )
  const indexes = oldIndexes(reader)
  let rows = 0
  for (const [pk, live] of old) {
    convertRowTable(reader, pk, indexes.get(pk) ?? [])
    rows += live
    if (rows >= ROWS_AT_ONCE) break
  }
  return old.length > 0
}

export const rowTableConversion = defineUpgradeJob('structure.convert', countOldRowTables, convertSome)

/** Converts the row table of a structure, or removes it if the structure is small. */
function convertRowTable(reader: Reader, pk: number, indexes: readonly OldIndex[]): void {
  const { sql } = reader
  const texts = findDefinitionTexts(reader, pk)
  const definition = texts && definitionOf(texts)
  dropOldIndexes(reader, pk, indexes)
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

type OldIndex = readonly [type: 'trigger' | 'table' | 'index', name: string]

/** The tables that are indexes of a row table, and the row tables. */
const INDEX_TABLE = /^rows_(\d+)_(?:by_.*|unique_.*|search|text|vocabulary|vocabulary_parts)$/
const ROW_TABLE = /^rows_(\d+)$/

/**
 * The triggers, tables and indexes that are indexes of row tables, by structure, in any format and in the order in
 * which they must be dropped. SQLite searches its whole schema at each lookup, so a batch reads it once.
 */
function oldIndexes({ sql }: Reader): Map<number, OldIndex[]> {
  const byStructure = new Map<number, OldIndex[]>()
  const objects = sql.rows<[...OldIndex, table: string]>(
    `SELECT type, name, tbl_name FROM main.sqlite_schema
     WHERE tbl_name GLOB 'rows_[0-9]*' AND type <> 'view' ORDER BY type DESC`,
  )
  for (const [type, name, table] of objects) {
    const pk = (type === 'table' ? INDEX_TABLE : ROW_TABLE).exec(table)?.[1]
    if (pk === undefined) continue
    const known = byStructure.get(Number(pk))
    if (known) known.push([type, name])
    else byStructure.set(Number(pk), [[type, name]])
  }
  return byStructure
}

function dropOldIndexes(reader: Reader, pk: number, indexes: readonly OldIndex[]): void {
  const { sql } = reader
  for (const [type, name] of indexes)
    if (type === 'index') dropRowIndex(reader, name)
    else sql.script(`DROP ${type} ${name}`)
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
