import { Database, type Statement } from 'bun:sqlite'
import { CHANGE_KINDS, type ChangeKind } from '../changes/entries.ts'
import type { RemoteChange, RemoteObject } from './remote-objects.ts'

/** An object as it will be in the copy; `json` is null for one that is gone. */
export interface StagedObject {
  readonly seq: number
  readonly id: string
  readonly structureId: string | null
  readonly json: string | null
  /** Set by `markSeen`. */
  readonly isSeen: boolean
}

type StagedRow = [seq: number, id: string, structure: string | null, json: string | null, seen: number]

const AT_ONCE = 500

const SCHEMA = [
  ...CHANGE_KINDS.map(
    (kind) =>
      `CREATE TABLE staged_${kind} (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, structure TEXT, json TEXT, seen INTEGER NOT NULL DEFAULT 0)`,
  ),
  'CREATE TABLE entries (seq INTEGER PRIMARY KEY, json TEXT NOT NULL)',
  'CREATE TABLE names (kind TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (kind, name, id))',
  'CREATE TABLE parts (file TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (file, number))',
  'CREATE TABLE pages (file TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (file, number))',
  'CREATE TABLE note_files (note TEXT NOT NULL, file TEXT NOT NULL)',
  'CREATE TABLE deleted_records (id TEXT PRIMARY KEY, json TEXT NOT NULL)',
]
const TABLES = [
  ...CHANGE_KINDS.map((kind) => `staged_${kind}`),
  'entries',
  'names',
  'parts',
  'pages',
  'note_files',
  'deleted_records',
]

/** The columns of a change that its entry in the log of the copy needs. */
export type StagedEntry = Omit<RemoteChange, 'object' | 'cursor'>

/**
 * What was read of the remote and is not in the copy yet: objects, each in the last state that was read, in the order
 * in which they were first read, and the changes in their order.
 */
export class Stage {
  readonly #database: Database
  readonly #statements = new Map<string, Statement>()

  /** Opens the stage in a file, which is made if there is none; `:memory:` for one in memory. */
  constructor(file: string) {
    this.#database = new Database(file, { create: true, strict: true })
    for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -4096'])
      this.#database.run(`PRAGMA ${pragma}`)
    const has = this.#get('SELECT 1 FROM sqlite_schema LIMIT 1')
    if (has === null) for (const statement of SCHEMA) this.#database.run(statement)
  }

  /** Everything that `write` stores is stored together. */
  together(write: () => void): void {
    this.#database.run('BEGIN')
    try {
      write()
    } finally {
      this.#database.run('COMMIT')
    }
  }

  put(kind: ChangeKind, id: string | number, structureId: string | null, object: RemoteObject | null): void {
    this.#run(
      `INSERT INTO staged_${kind} (id, structure, json) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET json = excluded.json`,
      String(id),
      structureId,
      object === null ? null : JSON.stringify(object),
    )
  }

  /** Forgets an object that is in the copy as it is. */
  remove(kind: ChangeKind, seq: number): void {
    this.#run(`DELETE FROM staged_${kind} WHERE seq = ?`, seq)
  }

  markSeen(kind: ChangeKind, id: string | number): void {
    this.#run(`UPDATE staged_${kind} SET seen = 1 WHERE id = ?`, String(id))
  }

  has(kind: ChangeKind, id: string | number): boolean {
    return this.#get(`SELECT 1 FROM staged_${kind} WHERE id = ?`, String(id)) !== null
  }

  addEntry({ transaction, at, kind, op, id, structure_id, changed, previous, actor }: StagedEntry): void {
    const entry = { transaction, at, kind, op, id, structure_id, changed, previous, actor }
    this.#run('INSERT INTO entries (json) VALUES (?)', JSON.stringify(entry))
  }

  /** A name that a tag or property had while the objects were read. */
  addName(kind: ChangeKind, name: string, id: string | number): void {
    this.#run('INSERT OR IGNORE INTO names VALUES (?, ?, ?)', kind, name, String(id))
  }

  namesOf(kind: ChangeKind): { name: string; id: string }[] {
    return this.#prepare('SELECT name, id FROM names WHERE kind = ?').all(kind) as {
      name: string
      id: string
    }[]
  }

  addPart(file: string, number: number, bytes: Uint8Array): void {
    this.#run('INSERT OR REPLACE INTO parts VALUES (?, ?, ?)', file, number, bytes)
  }

  *partsOf(file: string): Generator<Uint8Array> {
    for (let number = 0; ; number++) {
      const row = this.#get('SELECT bytes FROM parts WHERE file = ? AND number = ?', file, number)
      if (row === null) return
      yield (row as { bytes: Uint8Array }).bytes
    }
  }

  addPage(file: string, number: number, text: string): void {
    this.#run('INSERT OR REPLACE INTO pages VALUES (?, ?, ?)', file, number, text)
  }

  *pagesOf(file: string): Generator<string> {
    for (let number = 1; ; number++) {
      const row = this.#get('SELECT text FROM pages WHERE file = ? AND number = ?', file, number)
      if (row === null) return
      yield (row as { text: string }).text
    }
  }

  /** A file that belongs to a note which came back from the trash. */
  addNoteFile(note: string, file: string): void {
    this.#run('INSERT INTO note_files VALUES (?, ?)', note, file)
  }

  noteFiles(): { note: string; file: string }[] {
    return this.#prepare('SELECT note, file FROM note_files').all() as { note: string; file: string }[]
  }

  /** The last state of a record that was deleted. */
  addDeletedRecord(id: string, record: RemoteObject): void {
    this.#run('INSERT OR REPLACE INTO deleted_records VALUES (?, ?)', id, JSON.stringify(record))
  }

  deletedRecord(id: string): RemoteObject | undefined {
    const row = this.#get('SELECT json FROM deleted_records WHERE id = ?', id) as { json: string } | null
    return row === null ? undefined : JSON.parse(row.json)
  }

  objectJson(kind: ChangeKind, id: string | number): string | null | undefined {
    const row = this.#get(`SELECT json FROM staged_${kind} WHERE id = ?`, String(id)) as {
      json: string | null
    } | null
    return row === null ? undefined : row.json
  }

  /** The objects of a kind in order. */
  *objects(kind: ChangeKind): Generator<StagedObject> {
    const select = this.#prepare(
      `SELECT seq, id, structure, json, seen FROM staged_${kind} WHERE seq > ? ORDER BY seq LIMIT ${AT_ONCE}`,
    )
    let last = 0
    for (;;) {
      const rows = select.values(last) as StagedRow[]
      for (const [seq, id, structureId, json, seen] of rows)
        yield { seq, id, structureId, json, isSeen: seen === 1 }
      if (rows.length < AT_ONCE) return
      last = rows.at(-1)?.[0] ?? last
    }
  }

  *entries(): Generator<StagedEntry> {
    const select = this.#prepare(`SELECT seq, json FROM entries WHERE seq > ? ORDER BY seq LIMIT ${AT_ONCE}`)
    let last = 0
    for (;;) {
      const rows = select.values(last) as [seq: number, json: string][]
      for (const [, json] of rows) yield JSON.parse(json) as StagedEntry
      if (rows.length < AT_ONCE) return
      last = rows.at(-1)?.[0] ?? last
    }
  }

  /** Objects that were read are kept, and the changes that led to them forgotten. */
  forgetEntries(): void {
    this.#run('DELETE FROM entries')
  }

  clear(): void {
    for (const table of TABLES) this.#run(`DELETE FROM ${table}`)
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#database.close()
  }

  #run(text: string, ...values: (string | number | Uint8Array | null)[]): void {
    this.#prepare(text).run(...values)
  }

  #get(text: string, ...values: (string | number)[]): unknown {
    return this.#prepare(text).get(...values)
  }

  #prepare(text: string): Statement {
    const known = this.#statements.get(text)
    if (known) return known
    const statement = this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }
}
