import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'

/*
 * The key of a part or page combines the pk of its file with its own number, so that those of a file are a range of
 * keys, in the search table too.
 */
const MAX_NUMBERS = 2 ** 20

/** The key of part or page `number` of a file. */
export const partKey = (file: number, number: number): number => file * MAX_NUMBERS + number

export const fileOfKey = (key: number): number => Math.floor(key / MAX_NUMBERS)

export const numberOfKey = (key: number): number => key % MAX_NUMBERS

/** The first and the last key that parts or pages of a file may have. */
export const keyRange = (file: number): [number, number] => [partKey(file, 0), partKey(file, MAX_NUMBERS - 1)]

/** SQL for the pk of the file that a key column belongs to. */
export const fileOfKeySql = (column: string): string => `${column} / ${MAX_NUMBERS}`

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

/** Files that are not `ready` or `failed`. Conditions on other statuses need it too, for SQLite to use the partial index. */
export const UNFINISHED = `status NOT IN ('ready', 'failed')`

/** Files that are complete and not removed. */
const VISIBLE = `f.status IN ('processing', 'ready', 'failed')`

/** Every file of the workspace, oldest first. */
export const listFileRows = ({ sql }: Reader, workspace: number): FileRow[] =>
  sql.all(
    `SELECT ${COLUMNS} FROM files f WHERE f.workspace = ? AND ${VISIBLE} ORDER BY f.created_at, f.id`,
    workspace,
  )

export const listFileRowsOfNote = ({ sql }: Reader, note: number): FileRow[] =>
  sql.all(`SELECT ${COLUMNS} FROM files f WHERE f.note = ? AND ${VISIBLE} ORDER BY f.created_at, f.id`, note)

export const findFile = ({ sql }: Reader, workspace: number, id: string): FileRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM files f WHERE f.id = ? AND f.workspace = ? AND ${VISIBLE}`, id, workspace)

/** Finds a file of any workspace. */
export const findFileByPk = ({ sql }: Reader, pk: number): FileRow | undefined =>
  sql.get(`SELECT ${COLUMNS} FROM files f WHERE f.pk = ? AND ${VISIBLE}`, pk)

export const countFiles = ({ sql }: Reader, workspace: number): number =>
  sql.scalar(`SELECT count(*) FROM files f WHERE f.workspace = ? AND ${VISIBLE}`, workspace)

/** The number of pages of text in the workspace, or in one of its files. */
export const countPages = ({ sql }: Reader, workspace: number, file?: number): number =>
  file === undefined
    ? sql.scalar("SELECT total(pages) FROM files WHERE workspace = ? AND status = 'ready'", workspace)
    : sql.scalar("SELECT total(pages) FROM files WHERE pk = ? AND status = 'ready'", file)

/** A JSON array of `{title, level, page}`; null until the text is extracted. */
export const findOutline = ({ sql }: Reader, pk: number): string | null =>
  sql.scalar('SELECT outline FROM files WHERE pk = ?', pk)

export const findPageText = ({ sql }: Reader, file: number, page: number): string =>
  sql.get<{ text: string }>('SELECT text FROM file_pages WHERE pk = ?', partKey(file, page))?.text ?? ''

/** `updated_at` grows with every update, even within a millisecond. */
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

/** Inserts a file that is not visible until `makeFileVisible`; `insertPart` adds its parts. Returns the pk. */
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

/** The size of the parts in which an original is stored. */
export const PART_BYTES = 524_288

/** Parts are numbered from 0. */
export const insertPart = ({ sql }: Tx, file: number, number: number, bytes: Uint8Array) =>
  sql.run('INSERT INTO file_parts (pk, bytes) VALUES (?, ?)', partKey(file, number), bytes)

/** The file is complete: it becomes visible, and its text is extracted next. */
export const makeFileVisible = ({ sql, now }: Tx, pk: number) =>
  sql.run(
    `UPDATE files SET status = 'processing', created_at = ?, updated_at = ? WHERE pk = ? AND status = 'arriving'`,
    now,
    now,
    pk,
  )

/** Inserts a file with all its parts in the caller's transaction; returns its pk. */
export function insertWholeFile(tx: Tx, row: NewFileRow, bytes: Uint8Array): number {
  const pk = insertFile(tx, row)
  for (let number = 0; number * PART_BYTES < bytes.length; number++)
    insertPart(tx, pk, number, bytes.subarray(number * PART_BYTES, (number + 1) * PART_BYTES))
  makeFileVisible(tx, pk)
  return pk
}

/** The original, part by part. */
export function* readParts({ sql }: Reader, file: number): Generator<Uint8Array> {
  for (let number = 0; ; number++) {
    const part = sql.get<{ bytes: Uint8Array }>(
      'SELECT bytes FROM file_parts WHERE pk = ?',
      partKey(file, number),
    )
    if (!part) return
    yield part.bytes
  }
}

/** The file is no longer visible; `deleteRemovedFiles` deletes its parts, its pages and its row. */
export const markRemoved = ({ sql }: Tx, pk: number) =>
  sql.run(`UPDATE files SET status = 'removed', claim = NULL WHERE pk = ?`, pk)

export const insertPage = ({ sql }: Tx, file: number, page: number, text: string) =>
  sql.run('INSERT INTO file_pages (pk, text) VALUES (?, ?)', partKey(file, page), text)

/** The keys of up to `limit` pages of a file. */
export const listPageKeys = ({ sql }: Reader, file: number, limit: number): number[] =>
  sql.column('SELECT pk FROM file_pages WHERE pk BETWEEN ? AND ? LIMIT ?', ...keyRange(file), limit)

export const deletePage = ({ sql }: Tx, key: number) => sql.run('DELETE FROM file_pages WHERE pk = ?', key)

/** Deletes up to `limit` parts of a file; returns how many. */
export const deleteSomeParts = ({ sql }: Tx, file: number, limit: number): number =>
  sql.run(
    'DELETE FROM file_parts WHERE pk IN (SELECT pk FROM file_parts WHERE pk BETWEEN ? AND ? LIMIT ?)',
    ...keyRange(file),
    limit,
  ).changes
