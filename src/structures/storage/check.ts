import type { Check } from '../../db/check.ts'
import type { Reader } from '../../db/reader.ts'
import { rowTable } from '../../db/row-tables.ts'
import { scanByPk } from '../../db/scan-by-pk.ts'
import { listWorkspacePks } from '../../db/workspaces.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { dataOf, insertLive, liveColumns, type RecordRow } from '../../records/store.ts'
import { type Definition, definitionOf } from '../definition.ts'
import { listStructureRows, type StructureRow } from '../store.ts'
import { autoIndexName, findAutoIndexes } from './auto-index.ts'
import { changeUniqueSets, createRowTable, dropRowTable } from './row-table.ts'
import { SEARCH_COLUMN } from './text-index.ts'

/** A structure, and what its records say that is kept of them. */
interface Checked {
  readonly row: StructureRow
  readonly definition: Definition
  live: number
  inOrder: boolean
  lastCreatedAt: number | null
  lastId: string | null
}

/** Every structure that is in sight, by its pk; one that is being deleted is in no state to be judged. */
function allStructures(reader: Reader): Map<number, Checked> {
  const rows = listWorkspacePks(reader).flatMap((workspace) => listStructureRows(reader, workspace))
  const start = { live: 0, inOrder: true, lastCreatedAt: null, lastId: null }
  return new Map(rows.map((row) => [row.pk, { row, definition: definitionOf(row), ...start }]))
}

const RECORDS_AT_ONCE = 500

/** Every record, deleted ones too, in the order of their pks. */
const allRecords = ({ sql }: Reader) =>
  scanByPk((after) =>
    sql.all<RecordRow>(
      `SELECT pk, id, structure, data, created_at AS createdAt, updated_at AS updatedAt, deleted_at AS deletedAt
       FROM records WHERE pk > ? ORDER BY pk LIMIT ?`,
      after,
      RECORDS_AT_ONCE,
    ),
  )

/** Counts a record in, which comes after all of lower pk. */
function count(checked: Checked, { id, createdAt, deletedAt }: RecordRow): void {
  const { lastCreatedAt, lastId } = checked
  if (deletedAt === null) checked.live += 1
  if ((lastCreatedAt ?? createdAt) > createdAt || (lastId ?? '') >= id) checked.inOrder = false
  checked.lastCreatedAt = Math.max(createdAt, lastCreatedAt ?? createdAt)
  checked.lastId = lastId !== null && lastId > id ? lastId : id
}

/** Goes once through all records: counts them, and puts the live ones into the tables of their structures. */
function fillTables(reader: Reader, structures: ReadonlyMap<number, Checked>): void {
  for (const record of allRecords(reader)) {
    const checked = structures.get(record.structure)
    if (!checked) continue
    count(checked, record)
    if (record.deletedAt !== null) continue
    insertLive(reader, record.structure, checked.definition, { ...record, data: dataOf(record) })
  }
}

/** What keeps the table from being compared at all. */
function formFault(reader: Reader, { row, definition }: Checked): string | undefined {
  const { sql } = reader
  const table = rowTable(row.pk)
  const columns = sql.column<string>('SELECT name FROM pragma_table_info(?, ?)', table, 'main')
  if (columns.length === 0) return `The table of the rows of the structure "${row.name}" is missing.`
  if (columns.sort().join() !== liveColumns(definition).sort().join()) {
    return `The table of the rows of the structure "${row.name}" has other columns than its fields.`
  }
  const list = `SELECT count(*) FROM pragma_index_list(?, 'main') WHERE "unique" = 1 AND origin = 'c'`
  if (sql.scalar<number>(list, table) !== definition.uniqueSets.length)
    return `The rows of the structure "${row.name}" do not have the indexes that keep them unique.`
  const names = sql.column<string>("SELECT name FROM pragma_index_list(?, 'main')", table)
  const noted = [...findAutoIndexes(reader, row.pk).keys()].filter((column) => column !== SEARCH_COLUMN)
  if (noted.every((column) => names.includes(autoIndexName(row.pk, column)))) return undefined
  return `The rows of the structure "${row.name}" do not have the indexes that are noted.`
}

function* rowFaults({ sql }: Reader, { row }: Checked): Generator<string> {
  const table = rowTable(row.pk)
  const differing = (one: string, other: string) =>
    `SELECT pk FROM (SELECT * FROM ${one}.${table} EXCEPT SELECT * FROM ${other}.${table})`
  const pks = sql.column<number>(`${differing('main', 'temp')} UNION ${differing('temp', 'main')}`)
  for (const pk of pks) {
    const id = sql.get<{ id: string }>('SELECT id FROM records WHERE pk = ?', pk)?.id ?? `number ${pk}`
    yield `What is kept for finding the row ${id} of the structure "${row.name}" does not match it.`
  }
}

function* counterFaults({ row, live, inOrder, lastCreatedAt, lastId }: Checked): Generator<string> {
  if (row.live !== live) yield `The structure "${row.name}" counts ${row.live} rows; it holds ${live}.`
  const isKnown = row.lastCreatedAt === lastCreatedAt && row.lastId === lastId
  if (row.inOrder === 1 && !(inOrder && isKnown)) {
    yield `The rows of the structure "${row.name}" do not stand in the order that is noted.`
  }
}

/** The table of live rows of every structure, its unique indexes, and its counter. */
export const rowTableCheck: Check = {
  *faults(reader) {
    const structures = allStructures(reader)
    for (const [pk, checked] of structures) {
      const fault = formFault(reader, checked)
      if (fault === undefined) {
        // A temporary table hides the one of the same name, so that it is filled in its place.
        reader.sql.script(`CREATE TEMP TABLE ${rowTable(pk)} AS SELECT * FROM main.${rowTable(pk)} WHERE 0`)
        continue
      }
      structures.delete(pk)
      yield fault
    }
    fillTables(reader, structures)
    for (const checked of structures.values()) {
      yield* rowFaults(reader, checked)
      yield* counterFaults(checked)
    }
  },
  repair: (tx) => {
    const structures = allStructures(tx)
    for (const [pk, { definition }] of structures) {
      dropRowTable(tx, pk)
      createRowTable(tx, pk, definition.fields)
    }
    fillTables(tx, structures)
    for (const checked of structures.values()) finishRepair(tx, checked)
  },
}

function finishRepair(tx: Tx, { row, definition, live, inOrder, lastCreatedAt, lastId }: Checked): void {
  changeUniqueSets(tx, row.pk, [], definition.uniqueSets)
  tx.sql.run(
    'UPDATE structure_rows SET live = ?, in_order = ?, last_created_at = ?, last_id = ? WHERE structure = ?',
    live,
    inOrder ? 1 : 0,
    lastCreatedAt,
    lastId,
    row.pk,
  )
}
