import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import { inChunks } from '../db/writes/chunks.ts'
import { codePointLength, hasControlCharacter } from '../lib/text.ts'
import { findNoteSummary } from '../notes/store.ts'
import { relabelFileLinks } from '../notes/writing/relabel-file-links.ts'
import { fail, notFound, refused } from '../refusal.ts'
import { mimeTypeOf } from './extraction/kinds.ts'
import {
  type FileRow,
  findFile,
  findOutline,
  insertFile,
  insertPart,
  listFileRows,
  listFileRowsOfNote,
  makeFileVisible,
  markRemoved,
  PART_BYTES,
  updateFileName,
} from './store.ts'

/** Every file of the workspace, or those attached to one note, oldest first. Refuses an unknown or trashed note. */
export function listFiles(reader: Reader, caller: Caller, noteId?: string): FileRow[] {
  return noteId === undefined
    ? listFileRows(reader, caller.workspacePk)
    : listFilesOfNote(reader, caller, noteId)
}

export function listFilesOfNote(reader: Reader, { workspacePk }: Caller, noteId: string): FileRow[] {
  const note = findNoteSummary(reader, workspacePk, noteId) ?? fail(notFound('note'))
  return listFileRowsOfNote(reader, note.pk)
}

export const getFile = (reader: Reader, { workspacePk }: Caller, id: string): FileRow =>
  findFile(reader, workspacePk, id) ?? fail(notFound('file'))

/** The file with its outline as a JSON array, which is empty until the text is extracted. */
export function getFileWithOutline(reader: Reader, caller: Caller, id: string) {
  const file = getFile(reader, caller, id)
  return { file, outline: findOutline(reader, file.pk) ?? '[]' }
}

/** 50 MiB. */
export const MAX_FILE_BYTES = 52_428_800
const MAX_NAME_LENGTH = 500

/** Returns the name; refuses one that is not 1 to 500 characters long or has control characters. */
export function checkedFileName(name: string): string {
  const length = codePointLength(name)
  if (length < 1 || length > MAX_NAME_LENGTH || hasControlCharacter(name) || !name.isWellFormed()) {
    throw refused(
      `The name of a file must be a text of 1 to ${MAX_NAME_LENGTH} characters without control characters.`,
    )
  }
  return name
}

export function refuseTooLarge(size: number): void {
  if (size <= MAX_FILE_BYTES) return
  throw refused('The file is larger than 50 MiB; add a smaller one.')
}

export interface NewFile {
  fileName: string
  /** The note it is attached to, if any. */
  noteId: string | null
  bytes: Uint8Array
}

/**
 * Adds a file to the workspace in several short transactions, so that other writes do not wait long; it is visible only
 * when it is complete. Its text is extracted in the background afterwards. Refuses an unknown note.
 */
export async function addFile(
  db: Db,
  { workspacePk }: InWorkspace,
  { fileName, noteId, bytes }: NewFile,
): Promise<FileRow> {
  checkedFileName(fileName)
  refuseTooLarge(bytes.length)
  const { pk, id } = await db.write((tx) => {
    const note =
      noteId === null ? null : (findNoteSummary(tx, workspacePk, noteId)?.pk ?? fail(notFound('note')))
    const id = tx.newId()
    const row = {
      id,
      workspace: workspacePk,
      note,
      fileName,
      mimeType: mimeTypeOf(fileName),
      size: bytes.length,
    }
    return { id, pk: insertFile(tx, row) }
  })
  let number = 0
  await inChunks(db, (tx) => {
    insertPart(tx, pk, number, bytes.subarray(number * PART_BYTES, (number + 1) * PART_BYTES))
    number += 1
    return number * PART_BYTES < bytes.length
  })
  return db.write((tx) => {
    makeFileVisible(tx, pk)
    return findFile(tx, workspacePk, id) ?? fail(notFound('file'))
  })
}

/**
 * Renames a file and, in the same transaction, the label of every link to it in notes, in trashed ones too. Notes that
 * change get a revision.
 */
export const renameFile = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  { file_name: fileName }: { file_name?: string },
): Promise<FileRow> =>
  ctx.db.write((tx) => {
    const file = getFile(tx, caller, id)
    if (fileName === undefined || fileName === file.fileName) return file
    updateFileName(tx, file.pk, checkedFileName(fileName))
    relabelFileLinks(tx, caller, id, fileName)
    return getFile(tx, caller, id)
  })

/** Deletes a file for good; `deleteRemovedFiles` frees its space later. Fields of records that name it keep its id. */
export const deleteFile = (db: Db, { workspacePk }: InWorkspace, id: string): Promise<FileRow> =>
  db.write((tx) => {
    const file = findFile(tx, workspacePk, id) ?? fail(notFound('file'))
    markRemoved(tx, file.pk)
    return file
  })
