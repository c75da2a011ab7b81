import { checkWrite } from '../access/rights.ts'
import { type ChangeAuthor, logUpdate } from '../changes/log.ts'
import { type InWorkspace, placeFor, wholeWorkspace } from '../context.ts'
import type { Db } from '../db/database.ts'
import { pauseForOthers } from '../db/writes/chunks.ts'
import { asNobody } from '../db/writes/requester.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { findNoteSummary } from '../notes/store.ts'
import { fail, invalid, notFound } from '../refusal.ts'
import { abandonFile } from './deletion.ts'
import { nextAnnouncement } from './events.ts'
import { mimeTypeOf } from './extraction/kinds.ts'
import { presentFile } from './present.ts'
import { deleteSomePages } from './search.ts'
import { checkedFileName } from './service.ts'
import { refuseTooLarge } from './size-limit.ts'
import {
  deleteSomeParts,
  type FileRow,
  findFile,
  findFileByPk,
  inParts,
  insertFile,
  insertPart,
  makeFileVisible,
  type NewFileRow,
  PART_BYTES,
  updateFile,
} from './store.ts'

interface NewFile {
  readonly fileName: string
  /** The note it is attached to, if any. */
  readonly noteId: string | null
  /** The number of bytes that the sender announced, if any. */
  readonly announced?: number | undefined
  /** All of them, or as they arrive. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array> | null
  /** By default a new one. It is free for another attempt until the file is complete. */
  readonly id?: string
  /** By default the instant at which it is complete. */
  readonly createdAt?: number
  /** Writes more in the transaction that makes the file visible. */
  readonly onVisible?: (tx: Tx) => void
}

/**
 * Adds a file while its bytes arrive, in short transactions; no more than a part of it is in memory. It is visible only
 * when it is complete: what breaks off, or grows larger than a file may be, is removed. Its text is extracted in the
 * background afterwards. Refuses an unknown note.
 */
export async function addFile(
  db: Db,
  author: ChangeAuthor & InWorkspace,
  { fileName, noteId, announced, bytes, id: givenId, createdAt, onVisible }: NewFile,
): Promise<FileRow> {
  const { workspacePk } = author
  checkedFileName(fileName)
  refuseTooLarge(announced ?? 0)
  const { pk, id: ownId } = await db.write((tx) => {
    const note = noteId === null ? null : notePk(tx, author, noteId)
    const id = tx.newId()
    const mimeType = mimeTypeOf(fileName)
    return { id, pk: insertFile(tx, { id, workspace: workspacePk, note, fileName, mimeType, size: 0 }) }
  })
  try {
    const size = await storeParts(db, pk, bytes)
    return await db.write((tx) => {
      const id = givenId ?? ownId
      updateFile(tx, pk, { id, size })
      makeFileVisible(tx, author, { pk, id }, createdAt)
      onVisible?.(tx)
      return findFile(tx, wholeWorkspace(workspacePk), id) ?? fail(notFound('file'))
    })
  } catch (error) {
    await asNobody(() => db.write((tx): void => abandonFile(tx, { pk, workspace: workspacePk })))
    throw error
  }
}

/** The note that gets a file, which is a change of it. */
function notePk(tx: Tx, author: InWorkspace, id: string): number {
  const note = findNoteSummary(tx, placeFor(author, 'notes').workspacePk, id) ?? fail(notFound('note'))
  checkWrite(author.rights, 'notes')
  return note.pk
}

/** Returns how many bytes there were. An empty file has one empty part. */
async function storeParts(db: Db, pk: number, bytes: NewFile['bytes']): Promise<number> {
  let number = 0
  let size = 0
  const store = (part: Uint8Array) => db.write((tx): void => void insertPart(tx, pk, number++, part))
  const counted = async function* () {
    for await (const chunk of arriving(bytes instanceof Uint8Array ? besideServer(bytes) : bytes)) {
      size += chunk.length
      refuseTooLarge(size)
      yield chunk
    }
  }
  for await (const part of inParts(counted())) await store(part)
  if (number === 0) await store(new Uint8Array())
  return size
}

/** A connection that breaks is not a failure of the service. */
async function* arriving(bytes: AsyncIterable<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const iterator = bytes?.[Symbol.asyncIterator]()
  const next = () =>
    iterator?.next().catch(() => {
      throw invalid('The file ended before it was complete; send it again.')
    })
  for (let item = await next(); item && !item.done; item = await next()) yield item.value
}

/** The bytes of a whole file, so slowly that a server beside this process writes, too. */
async function* besideServer(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    if (at > 0) await pauseForOthers()
    yield bytes.subarray(at, at + PART_BYTES)
  }
}

/** Inserts a file with all its parts in the caller's transaction; returns its pk. */
export function insertWholeFile(tx: Tx, author: ChangeAuthor, row: NewFileRow, bytes: Uint8Array): number {
  const file = insertFile(tx, row)
  insertParts(tx, file, bytes)
  makeFileVisible(tx, author, { pk: file, id: row.id })
  return file
}

function insertParts(tx: Tx, file: number, bytes: Uint8Array): void {
  for (let number = 0; number * PART_BYTES < bytes.length; number++)
    insertPart(tx, file, number, bytes.subarray(number * PART_BYTES, (number + 1) * PART_BYTES))
}

const AT_ONCE = 1_000

/** Gives a file other content under the same id and name, in one transaction. Its text is extracted again. */
export function replaceFileContent(tx: Tx, author: ChangeAuthor, file: FileRow, bytes: Uint8Array): void {
  while (deleteSomePages(tx, author.workspacePk, file.pk, AT_ONCE) > 0);
  while (deleteSomeParts(tx, file.pk, AT_ONCE) > 0);
  insertParts(tx, file.pk, bytes)
  const unread = {
    status: 'processing',
    pages: null,
    error: null,
    outline: null,
    attempts: 0,
    claim: null,
  } as const
  const announcement = nextAnnouncement(tx, author, file)
  updateFile(tx, file.pk, { ...unread, size: bytes.length, announcement }, tx.now)
  const after = findFileByPk(tx, file.pk)
  if (after)
    logUpdate(tx, author, { kind: 'file', id: file.id }, presentFile(file), presentFile(after), ['note_id'])
}
