import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { inOneSnapshot, withNewFile, writeWholeFile } from '../new-files.ts'
import { type Column, type ColumnType, type ExportedTable, exportedTables, isoText } from './tables.ts'

const TYPES: Record<ColumnType, string> = {
  text: 'TEXT',
  integer: 'INTEGER',
  number: 'REAL',
  bool: 'INTEGER',
  day: 'TEXT',
  time: 'TEXT',
}

/** The new database, beside the one that is read. */
const TARGET = 'exported'

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const declared = ({ name, type }: Column) =>
  `${quoted(name)} ${TYPES[type]}${name === 'id' ? ' PRIMARY KEY NOT NULL' : ''}`

/** Returns how many rows it wrote. */
function writeTable({ sql }: Reader, { name, columns, rows, select }: ExportedTable): number {
  const table = `${TARGET}.${quoted(name)}`
  sql.script(`CREATE TABLE ${table} (${columns.map(declared).join(', ')})`)
  if (select !== undefined) return sql.run(`INSERT INTO ${table} ${select}`).changes
  const cells = columns.map(({ type }) => (type === 'time' ? isoText('?') : '?'))
  const insert = `INSERT INTO ${table} VALUES (${cells.join(', ')})`
  let count = 0
  for (const chunk of rows()) for (const row of chunk) count += sql.run(insert, ...row).changes
  return count
}

/** Writes one consistent snapshot of the workspace into a new SQLite database; returns the rows of each table. */
export const exportSqlite = (reader: Reader, caller: Caller, file: string): Record<string, number> =>
  writeWholeFile(file, (unfinished) => {
    const { sql } = reader
    // An empty file is a database.
    withNewFile(unfinished, () => {})
    sql.run(`ATTACH ? AS ${TARGET}`, unfinished)
    try {
      // A file that is not finished is removed: there is nothing to go back to.
      sql.script(`PRAGMA ${TARGET}.journal_mode = OFF`)
      sql.script(`PRAGMA ${TARGET}.synchronous = OFF`)
      return inOneSnapshot(reader, () =>
        Object.fromEntries(
          exportedTables(reader, caller).map((table) => [table.name, writeTable(reader, table)]),
        ),
      )
    } finally {
      sql.finalize()
      sql.script(`DETACH ${TARGET}`)
    }
  })
