import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { placeOf, rangeOf } from './part-keys.ts'

export interface FileRow {
  pk: number
  id: string
  /** Null without a note, and while the note is in the trash. */
  noteId: string | null
  fileName: string
  mimeType: string
  size: number
  status: 'processing' | 'ready' | 'failed'
  pages: number | null
  error: string | null
  createdAt: number
  updatedAt: number
}

const COLUMNS = `f.pk, f.id, f.file_name AS fileName, f.mime_type AS mimeType, f.size, f.status, f.pages, f.error,
  f.created_at AS createdAt, f.updated_at AS updatedAt,
  (SELECT n.id FROM notes n WHERE n.pk = f.note AND n.deleted_at IS NULL) AS noteId`

/** Belongs into every condition on files that are not done: by it SQLite knows that their partial index serves. */
export const UNFINISHED = `status NOT IN ('ready', 'failed')`

/** Those that are not arriving or removed. */
const IN_SIGHT = `f.status IN ('processing', 'ready', 'failed')`

/** Every file of the workspace, in the order in which they came. */
export const listFileRows = ({ sql }: Reader, workspace: number): FileRow[] =>
  sql.all(
    `SELECT ${COLUMNS} FROM files f WHERE f.workspace = ? AND ${IN_SIGHT} ORDER BY f.created_at, f.id`,
    workspace,
  )

export const listFileRowsOfNote = ({ sql }: Reader, note: number): FileRow[] =>
  sql.all(`SELECT ${COLUMNS} FROM files f WHERE f.note = ? AND ${IN_SIGHT} ORDER BY f.created_at, f.id`, note)

export const findFile = ({ sql }: Reader, workspace: number, id: string): FileRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM files f WHERE f.id = ? AND f.workspace = ? AND ${IN_SIGHT}`, id, workspace)

/** Of any workspace. */
export const findFileByPk = ({ sql }: Reader, pk: number): FileRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM files f WHERE f.pk = ? AND ${IN_SIGHT}`, pk)

export const countFiles = ({ sql }: Reader, workspace: number): number =>
  sql.scalar(`SELECT count(*) FROM files f WHERE f.workspace = ? AND ${IN_SIGHT}`, workspace)

/** How many pages of text there are in the workspace, or in one of its files. */
export const countPages = ({ sql }: Reader, workspace: number, file?: number): number =>
  file === undefined
    ? sql.scalar("SELECT total(pages) FROM files WHERE workspace = ? AND status = 'ready'", workspace)
    : sql.scalar("SELECT total(pages) FROM files WHERE pk = ? AND status = 'ready'", file)

/** JSON array of `{title, level, page}`; null until the text is there. */
export const findOutline = ({ sql }: Reader, pk: number): string | null =>
  sql.scalar('SELECT outline FROM files WHERE pk = ?', pk)

export const findPageText = ({ sql }: Reader, file: number, page: number): string =>
  sql.get<{ text: string }>('SELECT text FROM file_pages WHERE pk = ?', placeOf(file, page))?.text ?? ''

/** Moves `updated_at` strictly. */
export const updateFileName = ({ sql, now }: Tx, pk: number, fileName: string) =>
  sql.run(
    'UPDATE files SET file_name = ?, updated_at = max(?, updated_at + 1) WHERE pk = ?',
    fileName,
    now,
    pk,
  )

export interface NewFileRow {
  id: string
  workspace: number
  note: number | null
  fileName: string
  mimeType: string
  size: number
}

/** Answers the pk of a file that is not in sight until `showFile`. Its parts are written by `insertPart`. */
export const insertFile = ({ sql, now }: Tx, row: NewFileRow): number =>
  sql.run(
    `INSERT INTO files (id, workspace, note, file_name, mime_type, size, status, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, 'arriving', ?, ?)`,
    row.id,
    row.workspace,
    row.note,
    row.fileName,
    row.mimeType,
    row.size,
    now,
    now,
  ).lastInsertRowid

/** So many bytes of an original are kept and read at a time. */
export const PART_BYTES = 524_288

/** Parts count from 0. */
export const insertPart = ({ sql }: Tx, file: number, number: number, bytes: Uint8Array) =>
  sql.run('INSERT INTO file_parts (pk, bytes) VALUES (?, ?)', placeOf(file, number), bytes)

/** The file is whole: it comes in sight, and its text is read next. */
export const showFile = ({ sql, now }: Tx, pk: number) =>
  sql.run(
    `UPDATE files SET status = 'processing', created_at = ?, updated_at = ? WHERE pk = ? AND status = 'arriving'`,
    now,
    now,
    pk,
  )

/** Keeps a file in the transaction at hand, where nobody waits for it; answers its pk. */
export function insertWholeFile(tx: Tx, row: NewFileRow, bytes: Uint8Array): number {
  const pk = insertFile(tx, row)
  for (let number = 0; number * PART_BYTES < bytes.length; number++)
    insertPart(tx, pk, number, bytes.subarray(number * PART_BYTES, (number + 1) * PART_BYTES))
  showFile(tx, pk)
  return pk
}

/** The original, part by part. */
export function* readParts({ sql }: Reader, file: number): Generator<Uint8Array> {
  for (let number = 0; ; number++) {
    const part = sql.get<{ bytes: Uint8Array }>(
      'SELECT bytes FROM file_parts WHERE pk = ?',
      placeOf(file, number),
    )
    if (!part) return
    yield part.bytes
  }
}

/** Takes a file out of sight; `clearing.ts` then removes what is kept of it. Answers whether it was there. */
export const markRemoved = ({ sql }: Tx, pk: number): boolean =>
  sql.run(`UPDATE files SET status = 'removed', claim = NULL WHERE pk = ?`, pk).changes === 1

export const insertPage = ({ sql }: Tx, file: number, page: number, text: string) =>
  sql.run('INSERT INTO file_pages (pk, text) VALUES (?, ?)', placeOf(file, page), text)

/** The keys of at most so many pages of a file. */
export const somePages = ({ sql }: Reader, file: number, most: number): number[] =>
  sql.column('SELECT pk FROM file_pages WHERE pk BETWEEN ? AND ? LIMIT ?', ...rangeOf(file), most)

export const deletePage = ({ sql }: Tx, place: number) =>
  sql.run('DELETE FROM file_pages WHERE pk = ?', place)

/** Answers how many it removed, at most so many. */
export const deleteSomeParts = ({ sql }: Tx, file: number, most: number): number =>
  sql.run(
    'DELETE FROM file_parts WHERE pk IN (SELECT pk FROM file_parts WHERE pk BETWEEN ? AND ? LIMIT ?)',
    ...rangeOf(file),
    most,
  ).changes
