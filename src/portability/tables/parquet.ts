import { join } from 'node:path'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { writeNewFolder } from '../new-files.ts'
import { FileNames } from '../workspace/format.ts'
import { type Cell, type Column, type ColumnType, type ExportedTable, exportedTables } from './tables.ts'

/** Rows are written in groups of so many, or fewer where they are long: a group is what a reader reads at once. */
const GROUP_ROWS = 20_000
const GROUP_CHARACTERS = 16_777_216

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  bool: { type: 'BOOLEAN' },
  day: { type: 'INT32', converted_type: 'DATE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
} as const satisfies Record<ColumnType, object>

const schemaOf = (columns: readonly Column[]) => [
  { name: 'schema', num_children: columns.length },
  ...columns.map(({ name, type }) => ({ name, ...TYPES[type], repetition_type: 'OPTIONAL' as const })),
]

const cellOf = (type: ColumnType, cell: Cell | undefined) =>
  type === 'bool' && typeof cell === 'number' ? cell === 1 : (cell ?? null)

const lengthOf = (rows: readonly (readonly Cell[])[]): number => {
  let characters = 0
  for (const row of rows) for (const cell of row) if (typeof cell === 'string') characters += cell.length
  return characters
}

/** Returns how many rows it wrote. */
function writeTable({ columns, rows }: ExportedTable, path: string): number {
  const file = new ParquetWriter({
    writer: fileWriter(path),
    schema: schemaOf(columns),
    createdBy: 'daybook',
  })
  let group: Cell[][] = []
  let characters = 0
  let count = 0
  const writeGroup = () => {
    const columnData = columns.map(({ name, type }, at) => ({
      name,
      data: group.map((row) => cellOf(type, row[at])),
    }))
    if (group.length > 0) file.write({ columnData, rowGroupSize: group.length })
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
  file.finish()
  return count
}

/** Writes one consistent snapshot of the workspace into a new folder, a file for each table; returns the rows of each. */
export const exportParquet = (reader: Reader, caller: Caller, target: string): Record<string, number> =>
  writeNewFolder(reader, target, (folder) => {
    const names = new FileNames()
    return Object.fromEntries(
      exportedTables(reader, caller).map((table) => {
        const file = join(folder, names.take(table.name, '.parquet'))
        return [table.name, writeTable(table, file)]
      }),
    )
  })
