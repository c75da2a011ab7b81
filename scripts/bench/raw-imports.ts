import { Database, type Statement } from 'bun:sqlite'

type Value = string | number | null
type Row = readonly Value[]

const PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'cache_size = -65536',
  'temp_store = MEMORY',
  'wal_autocheckpoint = 10000',
]

/** The floor: `bun:sqlite` inserting ready-made rows into the same tables, in one transaction, with nothing around it. */
export class RawImport {
  readonly #database: Database
  readonly #inserts = new Map<string, Statement>()

  constructor(file: string) {
    this.#database = new Database(file, { strict: true })
    for (const pragma of PRAGMAS) this.#database.run(`PRAGMA ${pragma}`)
  }

  run(text: string): void {
    this.#database.run(text)
  }

  /** Milliseconds that all of the work took, the commit included. */
  measure(work: (insert: (table: string, columns: string, rows: readonly Row[]) => void) => void): number {
    let elapsed = 0
    const timed = (action: () => void) => {
      const started = performance.now()
      action()
      elapsed += performance.now() - started
    }
    timed(() => void this.#database.run('BEGIN IMMEDIATE'))
    work((table, columns, rows) => timed(() => this.#insert(table, columns, rows)))
    timed(() => void this.#database.run('COMMIT'))
    for (const statement of this.#inserts.values()) statement.finalize()
    this.#database.close()
    return elapsed
  }

  #insert(table: string, columns: string, rows: readonly Row[]): void {
    const statement = this.#statement(table, columns)
    for (const row of rows) statement.run(...row)
  }

  #statement(table: string, columns: string): Statement {
    const name = `${table} (${columns})`
    const known = this.#inserts.get(name)
    if (known) return known
    const marks = columns.split(',').map(() => '?')
    const statement = this.#database.prepare(`INSERT INTO ${name} VALUES (${marks.join(', ')})`)
    this.#inserts.set(name, statement)
    return statement
  }
}
