import { type Caller, type InWorkspace, placeFor, wholeWorkspace } from '../context.ts'
import type { Exchange } from '../http/exchange.ts'
import { checkWrite } from '../kernel/caller.ts'
import { type WriteOperation, write } from '../kernel/operation.ts'
import { besideOthers } from '../kernel/repeated.ts'
import { fail, invalid, notFound } from '../lib/refusal.ts'
import { type ChangeAuthor, logUpdate } from '../log/log.ts'
import { findNoteSummary } from '../notes/store.ts'
import type { Db } from '../storage/database.ts'
import type { Tx } from '../storage/writes/transaction.ts'
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

/** Runs the transactions of a new file, with the rights of a request or of a command. */
export interface FileWriter {
  readonly db: Db
  run<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Output | Promise<Output>
}

/** Writes as the caller of a request. */
export const requestWriter = (db: Db, exchange: Pick<Exchange, 'outputOf'>): FileWriter => ({
  db,
  run: (operation, input) => exchange.outputOf(operation, input),
})

interface StartInput {
  readonly fileName: string
  /** The note it is attached to, if any. */
  readonly noteId: string | null
}

/** The destination of a file's parts until it is complete. */
interface ArrivingFile {
  readonly pk: number
  readonly id: string
  readonly workspace: number
}

/** Begins a file, which is not visible yet. Refuses an unknown note. */
export const startFile = write({
  name: 'files.start',
  covers: 'files',
  run: (tx, caller, { fileName, noteId }: StartInput): ArrivingFile => {
    const { workspacePk: workspace } = caller
    const note = noteId === null ? null : notePk(tx, caller, noteId)
    const id = tx.newId()
    const mimeType = mimeTypeOf(fileName)
    return { id, workspace, pk: insertFile(tx, { id, workspace, note, fileName, mimeType, size: 0 }) }
  },
})

interface PartInput {
  readonly pk: number
  readonly number: number
  readonly part: Uint8Array
}

export const storePart = write({
  name: 'files.store-part',
  covers: 'files',
  run: (tx, _, { pk, number, part }: PartInput): void => void insertPart(tx, pk, number, part),
})

/** A file with all parts stored. */
export interface CompleteFile {
  readonly pk: number
  readonly id: string
  readonly size: number
  /** Defaults to the instant at which the file becomes visible. */
  readonly createdAt: number | undefined
}

export const finishFile = write({
  name: 'files.finish',
  covers: 'files',
  run: (tx, caller, file: CompleteFile) => makeComplete(tx, caller, file),
})

/** Makes a file visible. */
export function makeComplete(tx: Tx, caller: Caller, { pk, id, size, createdAt }: CompleteFile): FileRow {
  updateFile(tx, pk, { id, size })
  makeFileVisible(tx, caller, { pk, id }, createdAt)
  return findFile(tx, wholeWorkspace(caller.workspacePk), id) ?? fail(notFound('file'))
}

interface NewFile extends StartInput {
  /** The number of bytes that the sender announced, if any. */
  readonly announced?: number | undefined
  /** All bytes at once, or as they arrive. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array> | null
  /** Defaults to a new id. The id is free for another attempt until the file is complete. */
  readonly id?: string
  readonly createdAt?: number
  /** The write that makes the file visible, in place of `finishFile`. */
  readonly finish?: (file: CompleteFile) => FileRow | Promise<FileRow>
}

/**
 * Adds a file in short transactions while its bytes arrive; at most one part is in memory. It becomes visible only when
 * it is complete: an interrupted or too large file is removed. Its text is then extracted in the background. Refuses an
 * unknown note.
 */
export async function addFile(writer: FileWriter, file: NewFile): Promise<FileRow> {
  const { fileName, noteId, announced = 0, bytes, createdAt } = file
  checkedFileName(fileName)
  refuseTooLarge(announced)
  const { pk, workspace, id } = await writer.run(startFile, { fileName, noteId })
  try {
    const complete = { pk, id: file.id ?? id, size: await storeParts(writer, pk, bytes), createdAt }
    return await (file.finish ? file.finish(complete) : writer.run(finishFile, complete))
  } catch (error) {
    await writer.db.write((tx): void => abandonFile(tx, { pk, workspace }))
    throw error
  }
}

/** Finds the note that gets a file, which counts as a change of the note. */
function notePk(tx: Tx, author: InWorkspace, id: string): number {
  const note = findNoteSummary(tx, placeFor(author, 'notes').workspacePk, id) ?? fail(notFound('note'))
  checkWrite(author.rights, 'notes')
  return note.pk
}

/** Returns the number of bytes. An empty file has one empty part. */
async function storeParts(writer: FileWriter, pk: number, bytes: NewFile['bytes']): Promise<number> {
  let number = 0
  let size = 0
  const store = (part: Uint8Array) => writer.run(storePart, { pk, number: number++, part })
  const counted = async function* () {
    for await (const chunk of arriving(bytes instanceof Uint8Array ? besideOthers(partsOf(bytes)) : bytes)) {
      size += chunk.length
      refuseTooLarge(size)
      yield chunk
    }
  }
  for await (const part of inParts(counted())) await store(part)
  if (number === 0) await store(new Uint8Array())
  return size
}

/** A broken connection is not a failure of the service. */
async function* arriving(bytes: AsyncIterable<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const iterator = bytes?.[Symbol.asyncIterator]()
  const next = () =>
    iterator?.next().catch(() => {
      throw invalid('The file ended before it was complete; send it again.')
    })
  for (let item = await next(); item && !item.done; item = await next()) yield item.value
}

function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
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
