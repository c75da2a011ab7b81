import type { Reader } from '../db/reader.ts'

/** A note as its head and body stand in storage, with the names of its tags as a JSON array. */
export interface NoteRow {
  pk: number
  id: string
  title: string
  alias: string | null
  pinned: number
  pinLabel: string | null
  coverUrl: string | null
  createdAt: number
  updatedAt: number
  content: string
  tags: string
}

export interface NoteHead {
  pk: number
  id: string
  title: string
  alias: string | null
  createdAt: number
  updatedAt: number
}

const HEAD = `n.pk, n.id, n.title, n.alias, n.created_at AS createdAt, n.updated_at AS updatedAt`

/*
 * Body and tags come by subquery, not by join: this SQLite prepares a join with bound values anew at every
 * run, which costs more than the read itself.
 */
const WHOLE = `${HEAD}, n.pinned, n.pin_label AS pinLabel, n.cover_url AS coverUrl,
  (SELECT content FROM note_bodies b WHERE b.note = n.pk) AS content,
  (SELECT json_group_array((SELECT name FROM tags t WHERE t.id = nt.tag)) FROM note_tags nt WHERE nt.note = n.pk) AS tags`

const WHOLE_BY_ID = `SELECT ${WHOLE} FROM notes n WHERE n.id = ? AND n.workspace = ? AND n.deleted_at IS NULL`

/** An active note of the workspace. */
export const findNote = ({ sql }: Reader, workspace: number, id: string): NoteRow | undefined =>
  sql.get(WHOLE_BY_ID, id, workspace)

export const findHead = ({ sql }: Reader, workspace: number, id: string): NoteHead | undefined =>
  sql.get(
    `SELECT ${HEAD} FROM notes n WHERE n.id = ? AND n.workspace = ? AND n.deleted_at IS NULL`,
    id,
    workspace,
  )

export const findTrashedHead = ({ sql }: Reader, workspace: number, id: string): NoteHead | undefined =>
  sql.get(
    `SELECT ${HEAD} FROM notes n WHERE n.id = ? AND n.workspace = ? AND n.deleted_at IS NOT NULL`,
    id,
    workspace,
  )

/** Whole notes in the order of the given pks. */
export const loadNotes = ({ sql }: Reader, pks: readonly number[]): NoteRow[] =>
  sql.all(
    `SELECT ${WHOLE} FROM json_each(?) AS page CROSS JOIN notes n ON n.pk = page.value ORDER BY page.key`,
    JSON.stringify(pks),
  )

export interface NewHead {
  id: string
  workspace: number
  title: string
  titleFold: string
  alias: string | null
  aliasFold: string | null
  coverUrl: string | null
  createdAt: number
  updatedAt: number
}

export interface NewNoteRow extends Omit<NewHead, 'createdAt' | 'updatedAt'> {
  content: string
  now: number
}

/** Notes the first time that an id does not follow that of the note made before: a clock set back, an import. */
function noteOrder({ sql }: Reader, id: string): void {
  const last = sql.get<{ id: string }>('SELECT id FROM notes ORDER BY pk DESC LIMIT 1')
  if (last && last.id > id) sql.run('UPDATE workspaces SET notes_in_order = 0')
}

/** Answers the pk of the new note. */
export function insertNote(reader: Reader, { now, ...row }: NewNoteRow): number {
  const pk = insertHead(reader, { ...row, createdAt: now, updatedAt: now })
  insertBody(reader, pk, row.content)
  return pk
}

/** Answers the pk of a note that is whole only once `insertBody` has followed. */
export function insertHead(reader: Reader, row: NewHead): number {
  const { sql } = reader
  noteOrder(reader, row.id)
  const { lastInsertRowid } = sql.run(
    `INSERT INTO notes (id, workspace, title, title_fold, alias, alias_fold, cover_url, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace,
    row.title,
    row.titleFold,
    row.alias,
    row.aliasFold,
    row.coverUrl,
    row.createdAt,
    row.updatedAt,
  )
  sql.run('UPDATE workspaces SET live_notes = live_notes + 1 WHERE pk = ?', row.workspace)
  return lastInsertRowid
}

export const insertBody = ({ sql }: Reader, note: number, content: string) =>
  sql.run('INSERT INTO note_bodies (note, content) VALUES (?, ?)', note, content)

/** Columns of a head that a write may set; values are bound, names come from this list alone. */
const SETTABLE = {
  title: 'title',
  titleFold: 'title_fold',
  alias: 'alias',
  aliasFold: 'alias_fold',
  pinned: 'pinned',
  pinLabel: 'pin_label',
  coverUrl: 'cover_url',
} as const

export type HeadChanges = Partial<Record<keyof typeof SETTABLE, string | number | null>>

const settable = (changes: HeadChanges) => Object.keys(changes) as (keyof typeof SETTABLE)[]

/** Writes the changes and moves `updated_at` strictly. */
export function updateHead({ sql }: Reader, pk: number, changes: HeadChanges, now: number): void {
  const names = settable(changes)
  const sets = [...names.map((name) => `${SETTABLE[name]} = ?`), 'updated_at = max(?, updated_at + 1)']
  sql.run(
    `UPDATE notes SET ${sets.join(', ')} WHERE pk = ?`,
    ...names.map((name) => changes[name] ?? null),
    now,
    pk,
  )
}

export const updateContent = ({ sql }: Reader, pk: number, content: string) =>
  sql.run('UPDATE note_bodies SET content = ? WHERE note = ?', content, pk)

/** The active note that holds this alias, if any. */
export const findByAlias = ({ sql }: Reader, workspace: number, aliasFold: string): NoteHead | undefined =>
  sql.get(
    `SELECT ${HEAD} FROM notes n WHERE n.workspace = ? AND n.alias_fold = ? AND n.deleted_at IS NULL`,
    workspace,
    aliasFold,
  )

/**
 * The oldest active note of this title. The pluses keep SQLite from walking all notes in their order instead,
 * and from preparing the statement anew for every title.
 */
export const findOldestByTitle = (
  { sql }: Reader,
  workspace: number,
  titleFold: string,
): NoteHead | undefined =>
  sql.get(
    `SELECT ${HEAD} FROM notes n WHERE n.workspace = +? AND n.title_fold = +? AND n.deleted_at IS NULL
     ORDER BY +n.created_at, +n.id LIMIT 1`,
    workspace,
    titleFold,
  )
