import { Database } from 'bun:sqlite'
import type { CorpusNote } from './corpus.ts'

/** The floor: `bun:sqlite` doing by hand what the service does, with nothing around it. */
export class RawNotes {
  readonly #database: Database
  readonly #workspace = 1
  #made = 0

  constructor(file: string) {
    this.#database = new Database(file, { strict: true })
    for (const pragma of [
      'journal_mode = WAL',
      'synchronous = FULL',
      'cache_size = -65536',
      'temp_store = MEMORY',
    ]) {
      this.#database.run(`PRAGMA ${pragma}`)
    }
    this.#database.run('PRAGMA foreign_keys = ON')
    this.#database.run('PRAGMA wal_autocheckpoint = 10000')
  }

  close(): void {
    this.#database.close()
  }

  #run(text: string, ...values: (string | number | null)[]) {
    return this.#database.query(text).run(...values)
  }

  /** One note, one transaction, the same rows as the service writes. */
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
    for (const [, target = ''] of content.matchAll(/\[\[([^\]]+)\]\]/g)) {
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

  /** Adds a line to the end of a note, keeping what it replaces, in one transaction. */
  append(note: number, text: string): void {
    const now = Date.now()
    this.#run('BEGIN IMMEDIATE')
    const row = this.#database
      .query<{ title: string; content: string }, [number]>(
        'SELECT title, (SELECT content FROM note_bodies WHERE note = pk) AS content FROM notes WHERE pk = ?',
      )
      .get(note)
    if (!row) throw new Error(`the floor found no note ${note}`)
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
    for (const [, target = ''] of content.matchAll(/\[\[([^\]]+)\]\]/g)) {
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

  /** One page of whole notes in the given order, as JSON text, with its total. */
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
