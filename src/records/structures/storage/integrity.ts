import { rowText } from '../../../filter/record/sql.ts'
import { keysOf } from '../../../kernel/jobs.ts'
import type { RecordData } from '../../../lib/record-data.ts'
import { counted } from '../../../lib/text.ts'
import { searchTableFaults } from '../../../search/integrity.ts'
import { hasTable } from '../../../search/tables.ts'
import type { IntegrityCheck } from '../../../storage/integrity.ts'
import type { Reader } from '../../../storage/reader.ts'
import { liveRows, placeOf, rowTable, SMALL_ROWS, textIndexTable } from '../../../storage/row-table-names.ts'
import { scanByPk } from '../../../storage/scan-by-pk.ts'
import type { records } from '../../../storage/schema/records.ts'
import type { SqlValue } from '../../../storage/sql.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import {
  type Definition,
  definitionOf,
  findDefinitionTexts,
  listAllStructureRows,
  type StructureRow,
} from '../store.ts'
import { createIndexNamed, listAutoIndexes, listAutoRowIndexes, recordIndex } from './auto-index.ts'
import { deleteOtherSmallRows, insertLiveRows, smallStrays } from './live-rows.ts'
import { isIntact, listRowIndexes } from './row-index.ts'
import {
  changeUniqueSets,
  collisionOf,
  createRowTable,
  dropRowTable,
  rowTableColumns,
  rowValues,
  uniqueIndex,
} from './row-table-schema.ts'
import { listTextIndexed, type TextIndexed } from './text-index.ts'

const ROWS_PER_READ = 500

/** A structure, and its counters computed from its records. */
interface Checked {
  readonly row: StructureRow
  readonly definition: Definition
  readonly read: (pk: number) => SqlValue[] | undefined
  live: number
  inOrder: boolean
  lastCreatedAt: number | null
  lastId: string | null
}

/** Every structure by its pk. */
function allStructures(reader: Reader): Map<number, Checked> {
  const start = { live: 0, inOrder: true, lastCreatedAt: null, lastId: null }
  const rows = listAllStructureRows(reader)
  return new Map(
    rows.map((row) => {
      const definition = definitionOf(row)
      const text = `SELECT ${rowTableColumns(definition).join(', ')} FROM ${liveRows(row)} WHERE pk = ?`
      const read = (pk: number) => reader.sql.rows<SqlValue[]>(text, pk)[0]
      return [row.pk, { row, definition, read, ...start }]
    }),
  )
}

type StoredRecord = typeof records.$inferSelect

/** Every record, including deleted ones, by pk. */
const allRecords = ({ sql }: Reader) =>
  scanByPk((after) =>
    sql.all<StoredRecord>(
      `SELECT pk, id, structure, data, created_at AS createdAt, updated_at AS updatedAt, deleted_at AS deletedAt
       FROM records WHERE pk > ? ORDER BY pk LIMIT ?`,
      after,
      ROWS_PER_READ,
    ),
  )

/** Counts a record; must be called in pk order. */
function count(checked: Checked, { id, createdAt, deletedAt }: StoredRecord): void {
  const { lastCreatedAt, lastId } = checked
  if (deletedAt === null) checked.live += 1
  if ((lastCreatedAt ?? createdAt) > createdAt || (lastId ?? '') >= id) checked.inOrder = false
  checked.lastCreatedAt = Math.max(createdAt, lastCreatedAt ?? createdAt)
  checked.lastId = lastId !== null && lastId > id ? lastId : id
}

/** Counts a record, and inserts a live one into the row table of its structure. */
function fillRowTable(reader: Reader, structures: ReadonlyMap<number, Checked>, record: StoredRecord): void {
  const checked = structures.get(record.structure)
  if (!checked) return
  count(checked, record)
  if (record.deletedAt !== null) return
  const data = JSON.parse(record.data) as RecordData
  insertLiveRows(reader, checked.row, checked.definition, [{ ...record, data }])
}

/** Schema faults that prevent a comparison of the table's content. */
function schemaFault(
  reader: Reader,
  { row, definition }: Checked,
  withTable: ReadonlySet<number>,
): string | undefined {
  if (row.ownTable === 0)
    return withTable.has(row.pk)
      ? `The structure "${row.name}" has a table of rows that is not on record.`
      : undefined
  const { sql } = reader
  const table = rowTable(row.pk)
  const columns = sql.column<string>('SELECT name FROM pragma_table_info(?)', table)
  if (columns.length === 0) return `The row table of the structure "${row.name}" is missing.`
  if (columns.sort().join() !== rowTableColumns(definition).sort().join()) {
    return `The row table of the structure "${row.name}" has other columns than its fields.`
  }
  const unique = definition.uniqueSets.map((set) => uniqueIndex(row.pk, set))
  if (!unique.every((index) => isIntact(reader, index)))
    return `The row table of the structure "${row.name}" does not have the unique indexes of its definition.`
  const automatic = listAutoRowIndexes(reader, row.pk, definition)
  if (!automatic.every((index) => isIntact(reader, index)))
    return `The row table of the structure "${row.name}" lacks an automatic index that is on record.`
  const known = new Set([...unique, ...automatic].map(({ name }) => name))
  if (listRowIndexes(reader, row.pk).every((name) => known.has(name))) return undefined
  return `The row table of the structure "${row.name}" has an index that is not on record.`
}

/** The pks of the structures with their own table, whether or not that is recorded. */
const withTables = ({ sql }: Reader): Set<number> => {
  const names = sql.column<string>(
    "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name GLOB 'rows_[0-9]*'",
  )
  return new Set(names.map((name) => Number(name.slice('rows_'.length).split('_')[0])))
}

/**
 * Collisions in small structures, which have no unique indexes. SQLite's own check compares the unique indexes of
 * others with their rows.
 */
function* collisionFaults(reader: Reader, { row, definition }: Checked): Generator<string> {
  if (row.ownTable > 0) return
  for (const set of definition.uniqueSets)
    if (collisionOf(reader, row, set) !== undefined)
      yield `Rows of the structure "${row.name}" collide that must be unique.`
}

/** Counts all records in one pass, and compares them with the row tables. */
function* rowFaults(reader: Reader, structures: ReadonlyMap<number, Checked>): Generator<string> {
  const { sql } = reader
  const fault = ({ row }: Checked, id: string) =>
    `The row table of the structure "${row.name}" does not match the record ${id}.`
  for (const record of allRecords(reader)) {
    const checked = structures.get(record.structure)
    if (!checked) continue
    count(checked, record)
    if (record.deletedAt !== null) continue
    const stored = checked.read(record.pk)
    const expected = rowValues(checked.definition, { ...record, data: JSON.parse(record.data) })
    if (!expected.every((value, at) => stored?.[at] === value)) yield fault(checked, record.id)
  }
  for (const [pk, checked] of structures) {
    if (checked.row.ownTable === 0) continue
    const strays = sql.rows<[number, string | null]>(
      `SELECT pk, (SELECT id FROM records r WHERE r.pk = live.pk) FROM ${rowTable(pk)} AS live WHERE NOT EXISTS
         (SELECT 1 FROM records r WHERE r.pk = live.pk AND r.structure = ? AND r.deleted_at IS NULL)`,
      pk,
    )
    for (const [stray, id] of strays) yield fault(checked, id ?? `number ${stray}`)
  }
  for (const [pk, stray, id] of smallStrays(reader, DELETED)) {
    const checked = structures.get(pk)
    if (checked) yield fault(checked, id ?? `number ${stray}`)
    else yield `The table ${SMALL_ROWS} holds the row ${stray} of a structure that does not exist.`
  }
}

/** The structures whose rows jobs have yet to remove. */
const DELETED = `${keysOf({ kind: 'structure.indexes' })} UNION ALL ${keysOf({ kind: 'structure.rows' })}`

/** The recorded value may exceed that of the last remaining row, because a mirror removes rows. */
const reaches = <Value extends number | string>(onRecord: Value | null, last: Value | null): boolean =>
  last === null || (onRecord !== null && onRecord >= last)

function* counterFaults({ row, live, inOrder, lastCreatedAt, lastId }: Checked): Generator<string> {
  if (row.live !== live)
    yield `The structure "${row.name}" counts ${counted(row.live, 'row')}; it holds ${live}.`
  const isKnown = reaches(row.lastCreatedAt, lastCreatedAt) && reaches(row.lastId, lastId)
  if (row.inOrder === 1 && !(inOrder && isKnown)) {
    yield `The rows of the structure "${row.name}" are not in the order that is on record.`
  }
}

/** The row table of every structure, its unique indexes, and its counters. */
export const rowTableCheck: IntegrityCheck = {
  *faults(reader) {
    const structures = allStructures(reader)
    const present = withTables(reader)
    for (const [pk, checked] of structures) {
      const fault = schemaFault(reader, checked, present)
      if (fault === undefined) continue
      structures.delete(pk)
      yield fault
    }
    yield* rowFaults(reader, structures)
    for (const checked of structures.values()) {
      yield* collisionFaults(reader, checked)
      yield* counterFaults(checked)
    }
  },
  repair: (tx) => {
    const structures = allStructures(tx)
    const indexes = new Map<number, readonly string[]>()
    const present = withTables(tx)
    for (const [pk, { row, definition }] of structures) {
      const isOwn = row.ownTable > 0
      if (isOwn) indexes.set(pk, listAutoIndexes(tx, pk))
      if (isOwn || present.has(pk)) dropRowTable(tx, pk)
      if (isOwn) createRowTable(tx, pk, definition.fields)
    }
    // The deletion of a structure finds its rows there.
    deleteOtherSmallRows(tx, DELETED)
    for (const record of allRecords(tx)) fillRowTable(tx, structures, record)
    for (const [pk, checked] of structures) finishRepair(tx, checked, indexes.get(pk) ?? [])
  },
}

function finishRepair(tx: Tx, checked: Checked, indexes: readonly string[]): void {
  const { row, definition, live, inOrder, lastCreatedAt, lastId } = checked
  if (placeOf(tx, row.pk).ownTable > 0) changeUniqueSets(tx, row.pk, [], definition.uniqueSets)
  for (const column of indexes)
    if (createIndexNamed(tx, row.pk, definition, column))
      recordIndex(tx, { structurePk: row.pk, column }, tx.now)
  tx.sql.run(
    'UPDATE structure_stats SET live = ?, in_order = ?, last_created_at = ?, last_id = ? WHERE structure = ?',
    live,
    inOrder ? 1 : 0,
    lastCreatedAt,
    lastId,
    row.pk,
  )
}

/** The expected text index entries of rows that are up to date in it. */
function* expectedEntries(
  { sql }: Reader,
  definition: Definition,
  { pk: structurePk, indexedTo }: TextIndexed,
) {
  const text = rowText(definition.fields)
  const rows = scanByPk((after) =>
    sql.all<{ pk: number; content: string }>(
      `SELECT pk, ${text} AS content FROM ${rowTable(structurePk)}
       WHERE pk > ? AND pk <= ? AND pk NOT IN (${outdatedRows(structurePk)}) ORDER BY pk LIMIT ?`,
      after,
      indexedTo,
      ROWS_PER_READ,
    ),
  )
  for (const { pk, content } of rows) yield { pk, columns: { words: content } }
}

const outdatedRows = (structurePk: number) =>
  `SELECT row FROM row_search_pending WHERE structure = ${structurePk}`

/**
 * A text index holds exactly the content of the rows that are up to date in it. It needs no repair of its own: the
 * repair of the row tables rebuilds it.
 */
export const textIndexCheck: IntegrityCheck = {
  *faults(reader) {
    for (const structure of listTextIndexed(reader)) {
      const { pk } = structure
      const table = textIndexTable(pk)
      const texts = findDefinitionTexts(reader, pk)
      if (!hasTable(reader, table)) yield `The search table ${table} is missing.`
      else if (texts && hasTable(reader, rowTable(pk))) {
        const expected = expectedEntries(reader, definitionOf(texts), structure)
        yield* searchTableFaults(reader, { table, expected, outdated: outdatedRows(pk) })
      }
    }
  },
}
