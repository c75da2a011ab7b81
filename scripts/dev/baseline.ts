/**
 * The newest schema as one script, which creates a database in a tenth of the time of its migrations. It holds the rows
 * that migrations insert: the settings of text indexes, and counters of keys.
 */
import { Database } from 'bun:sqlite'

interface Table {
  readonly name: string
  readonly type: 'table' | 'view' | 'virtual' | 'shadow'
}

const namesOf = (tables: readonly Table[], type: Table['type']): string[] =>
  tables.filter((table) => table.type === type).map(({ name }) => name)

/** The script for a database with these migrations. Throws if they insert rows that it would omit. */
export function baselineOf(migrations: readonly { readonly sql: string }[]): string {
  const database = new Database(':memory:')
  try {
    database.run('PRAGMA foreign_keys = OFF')
    for (const { sql } of migrations) database.run(sql)
    const tables = database.query<Table, []>('PRAGMA main.table_list').all()
    const shadows = new Set(namesOf(tables, 'shadow'))
    for (const name of namesOf(tables, 'table'))
      if (!name.startsWith('sqlite_') && database.query(`SELECT 1 FROM "${name}"`).get() !== null)
        throw new Error(`migrations insert rows into ${name}, which baselines omit`)
    const parts = database
      .query<{ name: string; sql: string }, []>(
        "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
      )
      .all()
      .filter(({ name }) => !shadows.has(name))
    const settings = namesOf(tables, 'virtual').flatMap((name) =>
      database
        .query<{ k: string; v: number }, []>(`SELECT k, v FROM ${name}_config WHERE k <> 'version'`)
        .all()
        .map(({ k, v }) => `INSERT INTO ${name} (${name}, rank) VALUES ('${k}', ${v})`),
    )
    const counters = database
      .query<{ name: string; seq: number }, []>('SELECT name, seq FROM sqlite_sequence')
      .all()
      .map(({ name, seq }) => `INSERT INTO sqlite_sequence (name, seq) VALUES ('${name}', ${seq})`)
    return [...parts.map(({ sql }) => sql), ...settings, ...counters].map((sql) => `${sql};\n`).join('')
  } finally {
    database.close()
  }
}
