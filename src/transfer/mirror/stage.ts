import { Database, type SQLQueryBindings } from 'bun:sqlite'
import type { MirroredChange } from '../../log/append-mirrored.ts'
import type { ChangeKind } from '../../storage/schema/changes.ts'
import type { RemoteObject } from './remote-objects.ts'
import type { OmittedObject } from './unknown.ts'

/** An object as it will be in the copy; `json` is null for a deleted one. */
export interface StagedObject {
  readonly seq: number
  readonly id: string
  readonly structureId: string | null
  readonly json: string | null
}

/** Parts of an object that are staged separately, by number: the bytes of a file, the text of its pages. */
type Content = 'part' | 'page'

const AT_ONCE = 500

const TABLES = {
  objects:
    'seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, structure TEXT, json TEXT, UNIQUE (kind, id)',
  entries: 'seq INTEGER PRIMARY KEY, json TEXT NOT NULL',
  names: 'kind TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (kind, name, id)',
  contents:
    'what TEXT NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL, value, PRIMARY KEY (what, id, number)',
  note_files: 'note TEXT NOT NULL, file TEXT NOT NULL',
  deleted_records: 'id TEXT PRIMARY KEY, json TEXT NOT NULL',
  left_out: 'kind TEXT NOT NULL, id TEXT NOT NULL, is_there INTEGER NOT NULL, PRIMARY KEY (kind, id)',
}

/**
 * Data of the remote that is not in the copy yet: objects in their last known state, in the order in which they were
 * first read, and changes in order.
 */
export class Stage {
  readonly #database: Database
  /** Objects, as `kind id`, whose changes are not passed on because local changes of a writable mirror cover them. */
  readonly covered = new Set<string>()

  /** Opens or creates the stage in a file; `:memory:` for one in memory. */
  constructor(file: string) {
    this.#database = new Database(file, { create: true, strict: true })
    for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -4096'])
      this.#database.run(`PRAGMA ${pragma}`)
    if (this.#get('SELECT 1 FROM sqlite_schema LIMIT 1') !== undefined) return
    for (const [name, columns] of Object.entries(TABLES))
      this.#database.run(`CREATE TABLE ${name} (${columns})`)
    // Within a kind, objects are ordered by key.
    this.#database.run('CREATE INDEX objects_by_kind ON objects (kind)')
  }

  /** Stores everything that `write` writes in one transaction. */
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
      `INSERT INTO objects (kind, id, structure, json) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET json = excluded.json`,
      kind,
      String(id),
      structureId,
      object === null ? null : JSON.stringify(object),
    )
  }

  /** Removes an object that is already in the copy. */
  remove(seq: number): void {
    this.#run('DELETE FROM objects WHERE seq = ?', seq)
  }

  /** Undefined for an object that is not staged. */
  objectJson(kind: ChangeKind, id: string | number): string | null | undefined {
    const select = 'SELECT json FROM objects WHERE kind = ? AND id = ?'
    return this.#get<{ json: string | null }>(select, kind, String(id))?.json
  }

  /** The objects of a kind in order. */
  *objects(kind: ChangeKind): Generator<StagedObject> {
    const rows = this.#eachBySeq<[number, string, string | null, string | null]>(
      'seq, id, structure, json FROM objects WHERE kind = ?',
      kind,
    )
    for (const [seq, id, structureId, json] of rows) yield { seq, id, structureId, json }
  }

  /** The objects that exist on the remote. */
  *present<Shown>(kind: ChangeKind): Generator<Shown> {
    for (const { json } of this.objects(kind)) if (json !== null) yield JSON.parse(json) as Shown
  }

  /** The ids of the deleted objects. */
  *gone(kind: ChangeKind): Generator<string> {
    for (const { id, json } of this.objects(kind)) if (json === null) yield id
  }

  addEntry({ transaction, at, kind, op, id, structure_id, changed, previous, actor }: MirroredChange): void {
    const entry = { transaction, at, kind, op, id, structure_id, changed, previous, actor }
    this.#run('INSERT INTO entries (json) VALUES (?)', JSON.stringify(entry))
  }

  *entries(): Generator<MirroredChange> {
    for (const [, json] of this.#eachBySeq<[number, string]>('seq, json FROM entries WHERE TRUE')) {
      const entry = JSON.parse(json) as MirroredChange
      if (!this.covered.has(`${entry.kind} ${entry.id}`)) yield entry
    }
  }

  /** The ids of the structures that changed, or whose records or their comments did. */
  structures(): Set<string> {
    const rows = this.#all<{ id: string }>(
      `SELECT DISTINCT structure AS id FROM objects WHERE kind IN ('record', 'comment') AND structure IS NOT NULL
       UNION SELECT id FROM objects WHERE kind = 'structure'`,
    )
    return new Set(rows.map(({ id }) => id))
  }

  holdsAny(kind: ChangeKind): boolean {
    return this.#get('SELECT 1 FROM objects WHERE kind = ? LIMIT 1', kind) !== undefined
  }

  /** Keeps the objects and removes the changes that led to them. */
  forgetEntries(): void {
    this.#run('DELETE FROM entries')
  }

  /** Adds a name that a tag or property had while the objects were read. */
  addName(kind: ChangeKind, name: string, id: string | number): void {
    this.#run('INSERT OR IGNORE INTO names VALUES (?, ?, ?)', kind, name, String(id))
  }

  namesOf = (kind: ChangeKind) =>
    this.#all<{ name: string; id: string }>('SELECT name, id FROM names WHERE kind = ?', kind)

  /** Contents are numbered from 0. */
  addContent(what: Content, id: string, number: number, value: string | Uint8Array): void {
    this.#run('INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?)', what, id, number, value)
  }

  *contentsOf<Value>(what: Content, id: string): Generator<[number: number, value: Value]> {
    const select = 'SELECT value FROM contents WHERE what = ? AND id = ? AND number = ?'
    for (let number = 0; ; number++) {
      const row = this.#get<{ value: Value }>(select, what, id, number)
      if (!row) return
      yield [number, row.value]
    }
  }

  /** Adds a file of a note that was restored from the trash. */
  addNoteFile(note: string, file: string): void {
    this.#run('INSERT INTO note_files VALUES (?, ?)', note, file)
  }

  noteFiles = () => this.#all<{ note: string; file: string }>('SELECT note, file FROM note_files')

  /** Adds an object that this program does not know. */
  addOmitted({ kind, id, isThere }: OmittedObject): void {
    this.#run('INSERT OR REPLACE INTO left_out VALUES (?, ?, ?)', kind, id, Number(isThere))
  }

  omitted(): OmittedObject[] {
    const rows = this.#all<{ kind: string; id: string; isThere: number }>(
      'SELECT kind, id, is_there AS isThere FROM left_out',
    )
    return rows.map((row) => ({ ...row, isThere: row.isThere === 1 }))
  }

  /** Adds the last state of a deleted record. */
  addDeletedRecord(id: string, record: RemoteObject): void {
    this.#run('INSERT OR REPLACE INTO deleted_records VALUES (?, ?)', id, JSON.stringify(record))
  }

  deletedRecord(id: string): RemoteObject | undefined {
    const row = this.#get<{ json: string }>('SELECT json FROM deleted_records WHERE id = ?', id)
    return row && JSON.parse(row.json)
  }

  clear(): void {
    for (const table of Object.keys(TABLES)) this.#run(`DELETE FROM ${table}`)
    this.covered.clear()
  }

  close(): void {
    this.#database.close()
  }

  /** Iterates over rows that may be changed meanwhile. */
  *#eachBySeq<Row extends [seq: number, ...unknown[]]>(from: string, ...values: string[]): Generator<Row> {
    const select = this.#database.query(`SELECT ${from} AND seq > ? ORDER BY seq LIMIT ${AT_ONCE}`)
    for (let last = 0; ; ) {
      const rows = select.values(...values, last) as Row[]
      yield* rows
      if (rows.length < AT_ONCE) return
      last = rows.at(-1)?.[0] ?? last
    }
  }

  #run(text: string, ...values: SQLQueryBindings[]): void {
    this.#database.query(text).run(...values)
  }

  #get<Row>(text: string, ...values: SQLQueryBindings[]): Row | undefined {
    return this.#database.query<Row, SQLQueryBindings[]>(text).get(...values) ?? undefined
  }

  #all<Row>(text: string, ...values: SQLQueryBindings[]): Row[] {
    return this.#database.query<Row, SQLQueryBindings[]>(text).all(...values)
  }
}
