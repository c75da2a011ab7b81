import type { Caller } from '../../context.ts'
import { valueTypeOf } from '../../filter/record/field-types.ts'
import { csvCell, textCell } from '../../lib/csv-cells.ts'
import { type Headings, headingsOf } from '../../lib/field-headings.ts'
import { type RecordData, valueIn } from '../../lib/record-data.ts'
import { recordLine } from '../../records/rows/present.ts'
import { withRollups } from '../../records/rows/query/rollups.ts'
import { loadRecords, type RecordRow } from '../../records/rows/store.ts'
import { definitionOf, getStructure } from '../../records/structures/store.ts'
import type { Reader } from '../../storage/reader.ts'
import { liveRows, placeOf } from '../../storage/row-table-names.ts'
import { writeNewFile } from '../new-files.ts'

export type TableFormat = 'csv' | 'jsonl'

/**
 * Writes the rows of a structure, without deleted ones, into a new file. CSV (RFC 4180) begins with a line of
 * headings; otherwise each line is a row as JSON, as the API returns it. Returns the number of rows.
 */
export function exportTable(
  reader: Reader,
  caller: Caller,
  nameOrId: string,
  {
    format,
    file,
    headings,
  }: { readonly format: TableFormat; readonly file: string; readonly headings: Headings },
): number {
  const structure = getStructure(reader, caller, nameOrId, 'read')
  const { fields } = definitionOf(structure)
  const csvLine = ({ data }: RecordRow) => {
    const values = JSON.parse(data) as RecordData
    return fields.map((field) => csvCell(valueTypeOf(field), valueIn(values, field.key))).join(',')
  }
  const lineOf = format === 'csv' ? csvLine : recordLine
  let count = 0
  writeNewFile(reader, file, (write) => {
    if (format === 'csv') write(`${headingsOf(fields, headings).map(textCell).join(',')}\n`)
    const shown = (rows: RecordRow[]) => withRollups(reader, caller, structure, rows)
    count = writeRows(reader, structure.pk, { hasDeleted: false, shown, lineOf, write })
  })
  return count
}

const CHUNK_ROWS = 1_000

interface Lines {
  readonly hasDeleted: boolean
  /** The rows as they are written; by default as they are stored. */
  shown?(rows: RecordRow[]): RecordRow[]
  lineOf(row: RecordRow): string
  write(lines: string): void
}

/** Writes each row of a structure as a line, in creation order. Returns the number of rows. */
export function writeRows(
  reader: Reader,
  structure: number,
  { hasDeleted, shown = (rows) => rows, lineOf, write }: Lines,
): number {
  const live = liveRows(placeOf(reader, structure))
  const deleted = `SELECT pk FROM records WHERE structure = ${structure} AND deleted_at IS NOT NULL`
  const all = hasDeleted ? `(SELECT pk FROM ${live} UNION ALL ${deleted})` : live
  const select = `SELECT pk FROM ${all} WHERE pk > ? ORDER BY pk LIMIT ${CHUNK_ROWS}`
  let count = 0
  for (let last = 0; ; ) {
    const pks = reader.sql.column<number>(select, last)
    if (pks.length === 0) return count
    last = pks.at(-1) ?? last
    const rows = shown(loadRecords(reader, pks))
    count += rows.length
    write(rows.map((row) => `${lineOf(row)}\n`).join(''))
  }
}
