import type { Check } from '../../db/check.ts'
import type { Reader } from '../../db/reader.ts'
import { rowSearchTable, rowTable } from '../../db/row-tables.ts'
import { scanByPk } from '../../db/scan-by-pk.ts'
import { rowText } from '../../filter/record/sql.ts'
import { createExpected, expectedName, hasTable, searchTableFaults } from '../../search/tables.ts'
import { definitionOf } from '../definition.ts'
import { findDefinitionTexts } from '../store.ts'
import { areFilled, fillRowSearches } from './fill.ts'
import { listSearched, ROW_SEARCH, runsOf } from './text-index.ts'

const ROWS_AT_ONCE = 500

const areThere = (reader: Reader): boolean =>
  listSearched(reader).every(
    ({ pk }) => hasTable(reader, rowTable(pk)) && hasTable(reader, rowSearchTable(pk)),
  )

/** Fills the temporary table with what stands in the structure's rows. */
function fillExpected(reader: Reader, structurePk: number): void {
  const { sql } = reader
  const table = rowSearchTable(structurePk)
  createExpected(reader, table, ROW_SEARCH)
  const texts = findDefinitionTexts(reader, structurePk)
  const text = rowText(texts ? definitionOf(texts).fields : [])
  const rows = scanByPk((after) =>
    sql.all<{ pk: number; held: string }>(
      `SELECT pk, ${text} AS held FROM ${rowTable(structurePk)} WHERE pk > ? ORDER BY pk LIMIT ?`,
      after,
      ROWS_AT_ONCE,
    ),
  )
  for (const { pk, held } of rows)
    sql.run(`INSERT INTO temp.${expectedName(table)} (rowid, runs) VALUES (?, ?)`, pk, runsOf(held))
}

/** The search tables of rows hold exactly what the rows do; the repair of the rows' own tables takes them away. */
export const rowSearchCheck: Check = {
  settle: async (db) => {
    if (areThere(db)) await fillRowSearches(db)
  },
  isSettled: (reader) => !areThere(reader) || areFilled(reader),
  *faults(reader) {
    for (const { pk } of listSearched(reader)) {
      const table = rowSearchTable(pk)
      if (!hasTable(reader, table)) yield `The search table ${table} is missing.`
      else if (hasTable(reader, rowTable(pk))) {
        fillExpected(reader, pk)
        yield* searchTableFaults(reader, table)
      }
    }
  },
}
