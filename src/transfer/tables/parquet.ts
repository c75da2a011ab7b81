import { join } from 'node:path'
import type { Caller } from '../../context.ts'
import type { Headings } from '../../lib/field-headings.ts'
import type { Reader } from '../../storage/reader.ts'
import { withNewFile, writeNewFolder } from '../new-files.ts'
import { FileNames } from '../workspace/format.ts'
import { ParquetFile } from './parquet-file.ts'
import { type Cell, type ExportedTable, exportedTables } from './tables.ts'

/** The maximum number of rows in a group. Groups of long rows have fewer. */
const GROUP_ROWS = 20_000
const GROUP_CHARACTERS = 16_777_216

const lengthOf = (rows: readonly (readonly Cell[])[]): number => {
  let characters = 0
  for (const row of rows) for (const cell of row) if (typeof cell === 'string') characters += cell.length
  return characters
}

/** Returns the number of rows. */
function writeTable({ columns, rows }: ExportedTable, write: (bytes: Uint8Array) => void): number {
  const file = new ParquetFile(columns, write)
  let group: Cell[][] = []
  let characters = 0
  let count = 0
  const writeGroup = () => {
    if (group.length > 0) file.writeGroup(group)
    count += group.length
    group = []
    characters = 0
  }
  for (const chunk of rows()) {
    group = group.concat(chunk)
    characters += lengthOf(chunk)
    if (group.length >= GROUP_ROWS || characters > GROUP_CHARACTERS) writeGroup()
  }
  writeGroup()
  file.end()
  return count
}

/**
 * Writes one consistent snapshot of the workspace into a new folder, one file per table. Returns row counts by table.
 */
export const exportParquet = (
  reader: Reader,
  caller: Caller,
  target: string,
  headings: Headings,
): Record<string, number> =>
  writeNewFolder(reader, target, (folder) => {
    const names = new FileNames()
    const counts = exportedTables(reader, caller, headings).map((table) => {
      let count = 0
      withNewFile(join(folder, names.take(table.name, '.parquet')), (write) => {
        count = writeTable(table, write)
      })
      return [table.name, count]
    })
    return Object.fromEntries(counts)
  })
