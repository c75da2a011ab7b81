import { type ChangeAuthor, logChange } from '../changes/log.ts'
import type { Reader } from '../db/reader.ts'
import { TOUCH } from '../db/sql-part.ts'
import type { Tx } from '../db/writes/transaction.ts'

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

/** Files that are complete and not removed; the table is named `f`. */
export const VISIBLE = `f.status IN ('processing', 'ready', 'failed')`

/** Every file of the workspace, oldest first. */
export const listFileRows = ({ sql }: Reader, workspace: number): FileRow[] =>
  sql.all(
    `SELECT ${COLUMNS} FROM files f WHERE f.workspace = ? AND ${VISIBLE} ORDER BY f.created_at, f.id`,
    workspace,
  )

/** The names of the files of a workspace, oldest first. */
export const listFileNames = ({ sql }: Reader, workspace: number): Pick<FileRow, 'id' | 'fileName'>[] =>
  sql.all(
    `SELECT f.id, f.file_name AS fileName FROM files f WHERE f.workspace = ? AND ${VISIBLE}
     ORDER BY f.created_at, f.id`,
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

/** Differs whenever the bytes of a file do: only an import of its folder replaces them. */
export const contentTag = ({ sql }: Reader, id: string): string =>
  sql.get<{ digest: string }>('SELECT digest FROM imported_files WHERE object = ? LIMIT 1', id)?.digest ?? id

export const findPageText = ({ sql }: Reader, file: number, page: number): string =>
  sql.get<{ text: string }>('SELECT text FROM file_pages WHERE pk = ?', partKey(file, page))?.text ?? ''

/** `updated_at` grows with every update, even within a millisecond. */
export const updateFileName = ({ sql, now }: Tx, pk: number, fileName: string) =>
  sql.run(`UPDATE files SET file_name = ?, ${TOUCH} WHERE pk = ?`, fileName, now, pk)

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

/** Bytes that arrive, in parts of the size in which they are stored; a part is overwritten by the next one. */
export async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(PART_BYTES)
  let filled = 0
  for await (const chunk of bytes) {
    for (let from = 0; from < chunk.length; ) {
      const taken = chunk.subarray(from, from + PART_BYTES - filled)
      part.set(taken, filled)
      from += taken.length
      filled += taken.length
      if (filled < PART_BYTES) continue
      yield part
      filled = 0
    }
  }
  if (filled > 0) yield part.subarray(0, filled)
}

/** Parts are numbered from 0. */
export const insertPart = ({ sql }: Tx, file: number, number: number, bytes: Uint8Array) =>
  sql.run('INSERT INTO file_parts (pk, bytes) VALUES (?, ?)', partKey(file, number), bytes)

/** Sets the size of a file whose size was not known before its bytes had arrived. */
export const setFileSize = ({ sql }: Tx, pk: number, size: number) =>
  sql.run('UPDATE files SET size = ? WHERE pk = ?', size, pk)

/** The file is complete: it becomes visible, and its text is extracted next. */
export function makeFileVisible(tx: Tx, author: ChangeAuthor, { pk, id }: { pk: number; id: string }): void {
  const { now } = tx
  tx.sql.run(
    `UPDATE files SET status = 'processing', created_at = ?, updated_at = ? WHERE pk = ? AND status = 'arriving'`,
    now,
    now,
    pk,
  )
  logChange(tx, author, { kind: 'file', id }, 'created')
}

/** Inserts a file with all its parts in the caller's transaction; returns its pk. */
export function insertWholeFile(tx: Tx, author: ChangeAuthor, row: NewFileRow, bytes: Uint8Array): number {
  const pk = insertFile(tx, row)
  insertParts(tx, pk, bytes)
  makeFileVisible(tx, author, { pk, id: row.id })
  return pk
}

/** Inserts all parts of a file. */
export function insertParts(tx: Tx, file: number, bytes: Uint8Array): void {
  for (let number = 0; number * PART_BYTES < bytes.length; number++)
    insertPart(tx, file, number, bytes.subarray(number * PART_BYTES, (number + 1) * PART_BYTES))
}

/** A copy of another workspace may leave out the originals. */
export const hasBytes = ({ sql }: Reader, file: number): boolean =>
  sql.get('SELECT 1 FROM file_parts WHERE pk = ?', partKey(file, 0)) !== undefined

/** The original, part by part, from part `first` on. */
export function* readParts({ sql }: Reader, file: number, first = 0): Generator<Uint8Array> {
  for (let number = first; ; number++) {
    const part = sql.get<{ bytes: Uint8Array }>(
      'SELECT bytes FROM file_parts WHERE pk = ?',
      partKey(file, number),
    )
    if (!part) return
    yield part.bytes
  }
}

/** The bytes of the original from `start` up to `end`, part by part. */
export function* readBytes(reader: Reader, file: number, start: number, end: number): Generator<Uint8Array> {
  const first = Math.floor(start / PART_BYTES)
  let at = first * PART_BYTES
  for (const part of start < end ? readParts(reader, file, first) : []) {
    yield part.subarray(Math.max(start - at, 0), end - at)
    at += part.length
    if (at >= end) return
  }
}

/** A file that will not become complete; `deleteRemovedFiles` deletes its parts and its row. */
export const abandonFile = ({ sql }: Tx, pk: number) =>
  sql.run(`UPDATE files SET status = 'removed' WHERE pk = ? AND status = 'arriving'`, pk)

/** The file is no longer visible; `deleteRemovedFiles` deletes its parts, its pages and its row. */
export function markRemoved(tx: Tx, author: ChangeAuthor, { pk, id }: { pk: number; id: string }): void {
  tx.sql.run(`UPDATE files SET status = 'removed', claim = NULL WHERE pk = ?`, pk)
  logChange(tx, author, { kind: 'file', id }, 'deleted')
}

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
