import { Database, type Statement } from 'bun:sqlite'
import { parseSearch } from '../../src/lib/words.ts'
import { matchIn } from '../../src/notes/search/indexing.ts'
import type { CorpusNote } from './corpus.ts'

/*
 * Baselines: the work of the service, written by hand with bare `bun:sqlite` on the same tables and indexes. Their
 * figures are the column "floor" of the results.
 */

type Value = string | number | Uint8Array | null
type Row = readonly Value[]

const PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'cache_size = -65536',
  'temp_store = MEMORY',
  'wal_autocheckpoint = 10000',
]

/** Opens a database with the settings of the service. */
function open(file: string): Database {
  const database = new Database(file, { strict: true })
  for (const pragma of PRAGMAS) database.run(`PRAGMA ${pragma}`)
  return database
}

/** The FTS5 query of a search in the first workspace. */
export const matchOf = (search: string): string =>
  parseSearch(search)
    .map((phrase) => matchIn(1, phrase))
    .join(' AND ')

/** Notes: create, append, and a page of whole notes. */
export class NotesBaseline {
  readonly #database: Database
  readonly #workspace = 1
  #made = 0

  constructor(file: string) {
    this.#database = open(file)
    this.#database.run('PRAGMA foreign_keys = ON')
  }

  close(): void {
    this.#database.close()
  }

  #run(text: string, ...values: (string | number | null)[]) {
    return this.#database.query(text).run(...values)
  }

  /** Inserts one note in one transaction, with the same rows that the service writes. */
  create({ title, content, tags }: CorpusNote): void {
    const now = Date.now()
    this.#run('BEGIN IMMEDIATE')
    const { lastInsertRowid } = this.#run(
      `INSERT INTO notes (id, workspace, title, title_fold, alias, alias_fold, cover_url, created_at, updated_at)
       VALUES (?, ?, ?, ?, NULL, NULL, NULL, ?, ?)`,
      `raw-${this.#made++}-${crypto.randomUUID()}`,
      this.#workspace,
      title,
      title.toLowerCase(),
      now,
      now,
    )
    const note = Number(lastInsertRowid)
    this.#run('INSERT INTO note_bodies (note, content) VALUES (?, ?)', note, content)
    this.#run('UPDATE workspaces SET live_notes = live_notes + 1 WHERE pk = ?', this.#workspace)
    for (const name of tags) this.#tag(note, name)
    for (const [, target = ''] of content.matchAll(/\[\[([^[\]]+)\]\]/g)) {
      this.#run(
        'INSERT OR IGNORE INTO note_links (workspace, target, note) VALUES (?, ?, ?)',
        1,
        target.toLowerCase(),
        note,
      )
    }
    this.#run('INSERT INTO search_pending (workspace, note) VALUES (?, ?)', this.#workspace, note)
    this.#run('COMMIT')
  }

  #tag(note: number, name: string): void {
    const tag = this.#database
      .query<{ id: number }, [number, string]>('SELECT id FROM tags WHERE workspace = ? AND name_fold = ?')
      .get(this.#workspace, name)
    if (!tag) return
    this.#run('INSERT INTO note_tags (tag, note) VALUES (?, ?)', tag.id, note)
    this.#run('UPDATE tags SET note_count = note_count + 1 WHERE id = ?', tag.id)
  }

  /** Appends a line to a note and stores the replaced revision, in one transaction. */
  append(note: number, text: string): void {
    const now = Date.now()
    this.#run('BEGIN IMMEDIATE')
    const row = this.#database
      .query<{ title: string; content: string }, [number]>(
        'SELECT title, (SELECT content FROM note_bodies WHERE note = pk) AS content FROM notes WHERE pk = ?',
      )
      .get(note)
    if (!row) throw new Error(`the baseline found no note ${note}`)
    this.#run(
      'INSERT INTO revisions (id, note, created_at, surface, title, content) VALUES (?, ?, ?, ?, ?, ?)',
      crypto.randomUUID(),
      note,
      now,
      'api',
      row.title,
      row.content,
    )
    const content = `${row.content}\n\n${text}`
    this.#run('UPDATE note_bodies SET content = ? WHERE note = ?', content, note)
    this.#run('DELETE FROM note_links WHERE note = ?', note)
    for (const [, target = ''] of content.matchAll(/\[\[([^[\]]+)\]\]/g)) {
      this.#run(
        'INSERT OR IGNORE INTO note_links (workspace, target, note) VALUES (?, ?, ?)',
        1,
        target.toLowerCase(),
        note,
      )
    }
    this.#run('INSERT OR IGNORE INTO search_pending (workspace, note) VALUES (?, ?)', this.#workspace, note)
    this.#run('UPDATE notes SET updated_at = max(?, updated_at + 1) WHERE pk = ?', now, note)
    this.#run('COMMIT')
  }

  /** Returns one page of whole notes in the given order, as JSON text, with the total. */
  page(pks: string, total: string, ...values: (string | number)[]): string {
    const rows = this.#database
      .query(
        `SELECT n.pk, n.id, n.title, n.alias, n.pinned, n.pin_label, n.cover_url, n.created_at, n.updated_at,
           (SELECT content FROM note_bodies WHERE note = n.pk) AS content,
           (SELECT json_group_array(t.name) FROM note_tags nt CROSS JOIN tags t ON t.id = nt.tag WHERE nt.note = n.pk) AS tags
         FROM (${pks}) page CROSS JOIN notes n ON n.pk = page.pk`,
      )
      .all(...values)
    return JSON.stringify({ notes: rows, total: this.#database.query(total).values(...values)[0]?.[0] })
  }
}

interface RecordRow {
  id: string
  data: string
  created_at: number
  updated_at: number
}

const instant = (value: number) => new Date(value).toISOString()

const recordText = ({ id, data, created_at, updated_at }: RecordRow) =>
  `{"id":"${id}","data":${data},"created_at":"${instant(created_at)}","updated_at":"${instant(updated_at)}","deleted_at":null}`

/** Records: create, patch, pages, counts and sums, on the derived table of a structure. */
export class RecordsBaseline {
  readonly #database: Database
  readonly #table: string
  #made = 0

  constructor(
    file: string,
    readonly structure: number,
  ) {
    this.#table = `rows_${structure}`
    this.#database = open(file)
  }

  close(): void {
    this.#database.close()
  }

  #run(text: string, ...values: Value[]) {
    return this.#database.query(text).run(...values)
  }

  /** Inserts rows of `data` with the values of their columns, in one transaction. */
  create(rows: readonly { data: Record<string, unknown>; columns: Record<string, Value> }[]): void {
    const now = Date.now()
    this.#run('BEGIN IMMEDIATE')
    for (const { data, columns } of rows) {
      const { lastInsertRowid } = this.#run(
        'INSERT INTO records (id, structure, data, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
        // Sorts after every id of the service, so that raw rows too go to the end of the index.
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
    this.#run('UPDATE structure_stats SET live = live + ? WHERE structure = ?', rows.length, this.structure)
    this.#run('COMMIT')
  }

  /** Sets one number of one row in one transaction. */
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

  /** Returns one page as JSON text. `from` is everything after `SELECT pk`, with the table as `rows`. */
  page(from: string, limit: number, offset: number, total: number | undefined): string {
    const rows = this.#database
      .query<RecordRow, [number, number]>(
        `SELECT r.id, r.data, r.created_at, r.updated_at
         FROM (SELECT pk ${this.#named(from)} LIMIT ? OFFSET ?) page CROSS JOIN records r ON r.pk = page.pk`,
      )
      .all(limit, offset)
    return `{"records":[${rows.map(recordText).join(',')}],"total":${total},"has_more":true}`
  }

  /** Replaces the automatic indexes of the service with the indexes of the baseline. */
  useOwnIndexes(indexes: Readonly<Record<string, string>>): void {
    const automatic = `SELECT name FROM sqlite_schema WHERE type = 'index' AND name GLOB '${this.#table}_by_*'`
    for (const [name] of this.#database.query(automatic).values()) this.#database.run(`DROP INDEX ${name}`)
    for (const [name, columns] of Object.entries(indexes))
      this.#database.run(`CREATE INDEX ${name} ON ${this.#table} (${columns})`)
  }

  /** Creates an index for equality on the first column and a range or order on the second. */
  indexPair(first: string, second: string): void {
    this.#database.run(`CREATE INDEX IF NOT EXISTS raw_pair ON ${this.#table} (${first}, ${second})`)
  }

  /** Returns one row by its id, as JSON text. */
  one(id: string): string {
    const row = this.#database
      .query<RecordRow, [string]>('SELECT id, data, created_at, updated_at FROM records WHERE id = ?')
      .get(id)
    return row ? recordText(row) : ''
  }

  count(where: string): number {
    const [row] = this.#database.query(`SELECT count(*) ${this.#named(where)}`).values() as [number][]
    return row?.[0] ?? 0
  }

  /**
   * Sums a number per group in a Map, which is faster than GROUP BY, because SQLite sorts. Returns the number of
   * groups.
   */
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

/** An import: inserts ready-made rows into the same tables, in one transaction. */
export class ImportBaseline {
  readonly #database: Database
  readonly #inserts = new Map<string, Statement>()

  constructor(file: string) {
    this.#database = open(file)
  }

  run(text: string): void {
    this.#database.run(text)
  }

  /** Returns the milliseconds of the work, including the commit. */
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
