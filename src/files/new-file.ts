import { checkWrite } from '../access/rights.ts'
import type { ChangeAuthor } from '../changes/log.ts'
import { type InWorkspace, placeFor, wholeWorkspace } from '../context.ts'
import type { Db } from '../db/database.ts'
import { pauseForOthers } from '../db/writes/chunks.ts'
import { completing } from '../db/writes/requester.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { findNoteSummary } from '../notes/store.ts'
import { fail, invalid, notFound } from '../refusal.ts'
import { mimeTypeOf } from './extraction/kinds.ts'
import { checkedFileName } from './service.ts'
import { refuseTooLarge } from './size-limit.ts'
import {
  abandonFile,
  type FileRow,
  findFile,
  inParts,
  insertFile,
  insertPart,
  makeFileVisible,
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
    await completing(() => db.write((tx): void => void abandonFile(tx, pk)))
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
