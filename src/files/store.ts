import { and, between, eq, inArray, sql } from 'drizzle-orm'
import type { InWorkspace } from '../context.ts'
import { hides } from '../kernel/caller.ts'
import { type ChangeAuthor, logChange } from '../log/log.ts'
import { storedObjects } from '../log/objects/statements.ts'
import {
  columnBy,
  from,
  insertInto,
  orm,
  rowBy,
  rowsBy,
  runBy,
  update,
  updateOf,
  valueBy,
} from '../storage/query.ts'
import type { Reader } from '../storage/reader.ts'
import { filePages, fileParts, files } from '../storage/schema/files.ts'
import { importedFiles } from '../storage/schema/imported-files.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/*
 * The key of a part or page combines the pk of its file with its own number. The keys of a file therefore form a range,
 * in the search table too.
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

/**
 * Files that are not `ready` or `failed`. Conditions on other statuses also need it, so that SQLite uses the partial
 * index.
 */
export const UNFINISHED = `status NOT IN ('ready', 'failed')`

/** The kind of the jobs that delete the contents of deleted files. */
export const fileDetachmentKind = 'file.detach'

/** Files that are complete; the table is named `f`. */
export const VISIBLE = `f.status IN ('processing', 'ready', 'failed')`

const { pk, id, fileName, mimeType, size, pages, error, createdAt, updatedAt } = files
const whole = {
  ...{ pk, id, fileName, mimeType, size, pages, error, createdAt, updatedAt },
  status: sql<'processing' | 'ready' | 'failed'>`status`,
  ofNote: sql<number>`files.note IS NOT NULL`,
  /** Null without a note, and while the note is in the trash. */
  noteId: sql<string | null>`(SELECT n.id FROM notes n WHERE n.pk = files.note AND n.deleted_at IS NULL)`,
}
const isVisible = sql.raw(VISIBLE.replace('f.', 'files.'))
const found = storedObjects({ table: files, read: whole, order: [createdAt, id], visible: isVisible })

export type FileRow = NonNullable<ReturnType<typeof found.findById>>

/** Whether a caller can access a file; a file of a note also needs access to notes. */
export const isReached = ({ rights }: InWorkspace, { ofNote }: Pick<FileRow, 'ofNote'>): boolean =>
  !hides(rights, 'files') && !(ofNote === 1 && hides(rights, 'notes'))

/** Every file of the workspace that the caller can access, oldest first. */
export const listFileRows = (reader: Reader, caller: InWorkspace): FileRow[] =>
  found.rows(reader, caller.workspacePk).filter((file) => isReached(caller, file))

export function findFile(reader: Reader, caller: InWorkspace, id: string): FileRow | undefined {
  const file = found.findById(reader, caller.workspacePk, id)
  return file && isReached(caller, file) ? file : undefined
}

export const countFiles = (reader: Reader, caller: InWorkspace): number =>
  caller.rights === undefined ? found.count(reader, caller.workspacePk) : listFileRows(reader, caller).length

export const listFileRowsOfNote = rowsBy((note: number) =>
  from(files, whole)
    .where(and(eq(files.note, note), isVisible))
    .orderBy(createdAt, id),
)

/** Finds a file of any workspace. */
export const findFileByPk = rowBy((file: number) => from(files, whole).where(and(eq(pk, file), isVisible)))

/** A JSON array of `{title, level, page}`; null until the text is extracted. */
export const findOutline = valueBy((file: number) =>
  from(files, { value: files.outline }).where(eq(pk, file)),
)

const findDigest = rowBy((object: string) =>
  from(importedFiles, { digest: importedFiles.digest }).where(eq(importedFiles.object, object)).limit(1),
)

/** Changes whenever the bytes of a file do: only an import of its folder replaces them. */
export const contentTag = (reader: Reader, file: string): string => findDigest(reader, file)?.digest ?? file

const findPage = rowBy((key: number) =>
  from(filePages, { text: filePages.text }).where(eq(filePages.pk, key)),
)

export const findPageText = (reader: Reader, file: number, page: number): string =>
  findPage(reader, partKey(file, page))?.text ?? ''

/** Changes columns of a file, and with an instant `updated_at`, too. */
export const updateFile = updateOf(files, pk)

/** Attaches a file that is attached to no note yet, if the author may change it. */
export function attachFile(tx: Tx, author: ChangeAuthor & InWorkspace, id: string, note: number): void {
  const file = findFile(tx, author, id)
  const { files: level = 'write' } = author.rights ?? {}
  if (!file || file.ofNote === 1 || level !== 'write') return
  updateFile(tx, file.pk, { note })
  logChange(tx, author, { kind: 'file', id }, 'updated', {
    difference: { changed: ['note_id'], previous: { note_id: null } },
  })
}

export type NewFileRow = Pick<
  typeof files.$inferSelect,
  'id' | 'workspace' | 'note' | 'fileName' | 'mimeType' | 'size'
>

const insert = insertInto(files)

/** Inserts a file that is not visible until `makeFileVisible`; `insertPart` adds its parts. Returns the pk. */
export const insertFile = (tx: Tx, row: NewFileRow): number =>
  insert(tx, { ...row, status: 'arriving', createdAt: tx.now, updatedAt: tx.now })

/** The size of the parts in which an original is stored. */
export const PART_BYTES = 524_288

/** Splits arriving bytes into parts of the stored size. Each part is valid until the next one overwrites it. */
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

const insertPartRow = runBy((key: number, bytes: Uint8Array) =>
  orm.insert(fileParts).values({ pk: key, bytes: bytes as Buffer }),
)

/** Parts are numbered from 0. */
export const insertPart = (tx: Tx, file: number, number: number, bytes: Uint8Array) =>
  insertPartRow(tx, partKey(file, number), bytes)

/** The event about a file that webhooks receive once its text is extracted (the column of that name). */
export interface Announcement {
  readonly source: { readonly surface: ChangeAuthor['surface']; readonly keyId: string | null }
  /** The form, key or user for which text extraction schedules the file. */
  readonly sender?: string
  /** The file as it was shown before it got other content; absent for a new file. */
  readonly before?: object
}

const findAnnouncementText = valueBy((file: number) =>
  from(files, { value: files.announcement }).where(eq(pk, file)),
)

/** Null once webhooks have been notified. */
export function findAnnouncement(reader: Reader, file: number): Announcement | null {
  const text = findAnnouncementText(reader, file) ?? null
  return text === null ? null : JSON.parse(text)
}

/** The announcement of a file that the author adds, or gives other content than `before`. */
export function announcementBy(
  { workspacePk, surface, keyId, keyName, userId }: ChangeAuthor,
  before?: object,
): Announcement {
  const sender = keyId ?? `${workspacePk} ${surface} ${userId || keyName}`
  return { source: { surface, keyId }, sender, ...(before && { before }) }
}

const complete = runBy((file: number, now: number, announcement: string | null) =>
  update(
    files,
    { status: 'processing', createdAt: now, updatedAt: now, announcement },
    and(eq(pk, file), sql`status = 'arriving'`),
  ),
)

/** Makes a complete file visible; its text is extracted next. */
export function makeFileVisible(
  tx: Tx,
  author: ChangeAuthor,
  file: { pk: number; id: string },
  createdAt = tx.now,
): void {
  complete(tx, file.pk, createdAt, author.isCopying ? null : JSON.stringify(announcementBy(author)))
  logChange(tx, author, { kind: 'file', id: file.id }, 'created')
}

const findPart = rowBy((key: number) =>
  from(fileParts, { bytes: sql<Uint8Array>`bytes` }).where(eq(fileParts.pk, key)),
)
const findPartKey = rowBy((key: number) => from(fileParts, { pk: fileParts.pk }).where(eq(fileParts.pk, key)))

/** A copy of another workspace may leave out the originals. */
export const hasBytes = (reader: Reader, file: number): boolean =>
  findPartKey(reader, partKey(file, 0)) !== undefined

/** The original, part by part, from part `first` on. */
export function* readParts(reader: Reader, file: number, first = 0): Generator<Uint8Array> {
  for (let number = first; ; number++) {
    const part = findPart(reader, partKey(file, number))
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

const insertPageRow = insertInto(filePages)

export const insertPage = (tx: Tx, file: number, page: number, text: string) =>
  insertPageRow(tx, { pk: partKey(file, page), text })

const listPagesIn = columnBy((first: number, last: number, limit: number) =>
  from(filePages, { value: filePages.pk })
    .where(between(filePages.pk, first, last))
    .limit(limit),
)

export const listPageKeys = (reader: Reader, file: number, limit: number): number[] =>
  listPagesIn(reader, ...keyRange(file), limit)

export const deletePage = runBy((key: number) => orm.delete(filePages).where(eq(filePages.pk, key)))

const deletePartsIn = runBy((first: number, last: number, limit: number) =>
  orm.delete(fileParts).where(
    inArray(
      fileParts.pk,
      orm
        .select({ pk: fileParts.pk })
        .from(fileParts)
        .where(between(fileParts.pk, first, last))
        .limit(limit),
    ),
  ),
)

/** Deletes up to `limit` parts of a file; returns how many. */
export const deleteSomeParts = (tx: Tx, file: number, limit: number): number =>
  deletePartsIn(tx, ...keyRange(file), limit).changes
