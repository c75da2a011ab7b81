import type { FieldValue, RecordData } from '../../changes/record-data.ts'
import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { recordJson } from '../../records/present.ts'
import type { RecordRow } from '../../records/store.ts'
import { type Definition, definitionOf, getStructure } from '../../structures/store.ts'
import { writeNewFile } from '../new-files.ts'
import { rowsOf } from '../rows.ts'

export type TableFormat = 'csv' | 'jsonl'

/** A spreadsheet would take such a text for a formula; an apostrophe before it, which an import removes, prevents that. */
const LOOKS_LIKE_FORMULA = /^'*[=+\-@\t\r]/
/** Other delimiters too, so that none of them is taken for the one of the file. */
const NEEDS_QUOTES = /[",;|\t\r\n]|^\s|\s$/

function cellOf({ type }: Definition['fields'][number], value: FieldValue | null | undefined): string {
  if (value === null || value === undefined) return ''
  // An import takes the other form of such a number for an id.
  const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  const text = isLarge ? value.toExponential() : String(value)
  const isText = type === 'text' || type === 'select'
  const cell = isText && LOOKS_LIKE_FORMULA.test(text) ? `'${text}` : text
  return cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/**
 * Writes the rows of a structure, without deleted ones, into a new file: as CSV (RFC 4180) with the keys of the fields as
 * headings, or each as a line of JSON as the API returns it. Returns the number of rows.
 */
export function exportTable(
  reader: Reader,
  caller: Caller,
  nameOrId: string,
  { format, file }: { readonly format: TableFormat; readonly file: string },
): number {
  const structure = getStructure(reader, caller, nameOrId, 'read')
  const { fields } = definitionOf(structure)
  const csvLine = ({ data }: RecordRow) => {
    const values = JSON.parse(data) as RecordData
    return fields.map((field) => cellOf(field, values[field.key])).join(',')
  }
  const lineOf = format === 'csv' ? csvLine : recordJson
  let count = 0
  writeNewFile(reader, file, (write) => {
    if (format === 'csv') write(`${fields.map(({ key }) => key).join(',')}\n`)
    for (const rows of rowsOf(reader, structure.pk, false)) {
      count += rows.length
      write(rows.map((row) => `${lineOf(row)}\n`).join(''))
    }
  })
  return count
}
