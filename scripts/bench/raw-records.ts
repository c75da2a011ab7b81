import { Database } from 'bun:sqlite'

type Value = string | number | null

interface Row {
  id: string
  data: string
  created_at: number
  updated_at: number
}

const instant = (value: number) => new Date(value).toISOString()

/** The floor: `bun:sqlite` doing by hand what the service does on the same tables, with nothing around it. */
export class RawRecords {
  readonly #database: Database
  readonly #table: string
  #made = 0

  constructor(
    file: string,
    readonly structure: number,
  ) {
    this.#table = `rows_${structure}`
    this.#database = new Database(file, { strict: true })
    for (const pragma of [
      'journal_mode = WAL',
      'synchronous = FULL',
      'cache_size = -65536',
      'temp_store = MEMORY',
      'wal_autocheckpoint = 10000',
    ]) {
      this.#database.run(`PRAGMA ${pragma}`)
    }
  }

  close(): void {
    this.#database.close()
  }

  #run(text: string, ...values: Value[]) {
    return this.#database.query(text).run(...values)
  }

  /** Rows of `data` and the values of their columns, in one transaction. */
  create(rows: readonly { data: Record<string, unknown>; columns: Record<string, Value> }[]): void {
    const now = Date.now()
    this.#run('BEGIN IMMEDIATE')
    for (const { data, columns } of rows) {
      const { lastInsertRowid } = this.#run(
        'INSERT INTO records (id, structure, data, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
        // After every id of the service, so that raw rows too go to the end of the index.
        `ffffffff-${String(this.#made++).padStart(12, '0')}`,
        this.structure,
        JSON.stringify(data),
        now,
        now,
      )
      const names = Object.keys(columns)
      this.#run(
        `INSERT INTO ${this.#table} (pk, created_at, updated_at, ${names.join(', ')})
         VALUES (?, ?, ?, ${names.map(() => '?').join(', ')})`,
        Number(lastInsertRowid),
        now,
        now,
        ...Object.values(columns),
      )
    }
    this.#run('UPDATE structure_rows SET live = live + ? WHERE structure = ?', rows.length, this.structure)
    this.#run('COMMIT')
  }

  /** Sets one number of one row, in one transaction. */
  patch(pk: number, key: string, column: string, value: number): void {
    const now = Date.now()
    this.#run('BEGIN IMMEDIATE')
    const row = this.#database
      .query<{ data: string }, [number]>('SELECT data FROM records WHERE pk = ?')
      .get(pk)
    const data = JSON.stringify({ ...JSON.parse(row?.data ?? '{}'), [key]: value })
    this.#run('UPDATE records SET data = ?, updated_at = ? WHERE pk = ?', data, now, pk)
    this.#run(`UPDATE ${this.#table} SET ${column} = ?, updated_at = ? WHERE pk = ?`, value, now, pk)
    this.#run('COMMIT')
  }

  /** One page as JSON text; `from` is everything after `SELECT pk`, with the table as `rows`. */
  page(from: string, limit: number, offset: number, total: number | undefined): string {
    const rows = this.#database
      .query<Row, [number, number]>(
        `SELECT r.id, r.data, r.created_at, r.updated_at
         FROM (SELECT pk ${this.#named(from)} LIMIT ? OFFSET ?) page CROSS JOIN records r ON r.pk = page.pk`,
      )
      .all(limit, offset)
    const records = rows.map(
      ({ id, data, created_at, updated_at }) =>
        `{"id":"${id}","data":${data},"created_at":"${instant(created_at)}","updated_at":"${instant(updated_at)}","deleted_at":null}`,
    )
    return `{"records":[${records.join(',')}],"total":${total},"has_more":true}`
  }

  count(where: string): number {
    const [row] = this.#database.query(`SELECT count(*) ${this.#named(where)}`).values() as [number][]
    return row?.[0] ?? 0
  }

  /** Adds up a number per group, in the faster of the two ways: SQLite sorts where a Map does not. */
  groups(group: string, number: string): number {
    const sums = new Map<Value, number>()
    const rows = this.#database.query(this.#named(`SELECT ${group}, ${number} FROM rows`)).values() as [
      Value,
      number | null,
    ][]
    for (const [key, value] of rows) sums.set(key, (sums.get(key) ?? 0) + (value ?? 0))
    return sums.size
  }

  #named = (text: string): string => text.replaceAll(/\bFROM rows\b/g, `FROM ${this.#table}`)
}
