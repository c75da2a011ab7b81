import type { InWorkspace } from '../context.ts'
import type { Db } from '../db/database.ts'
import { inSteps } from '../db/writes/chunks.ts'
import { codePointLength, hasControlCharacter } from '../lib/text.ts'
import { findNoteSummary } from '../notes/store.ts'
import { fail, notFound, refused } from '../refusal.ts'
import { mimeTypeOf } from './extraction/kinds.ts'
import { type FileRow, findFile, insertFile, insertPart, markRemoved, PART_BYTES, showFile } from './store.ts'

/** 50 MiB (contract, section 8). */
export const LARGEST_FILE_BYTES = 52_428_800
const LONGEST_NAME = 500

/** Refuses a name of another length than 1 to 500 characters, and one with control characters. */
export function checkedFileName(name: string): string {
  const length = codePointLength(name)
  if (length < 1 || length > LONGEST_NAME || hasControlCharacter(name) || !name.isWellFormed()) {
    throw refused(
      `The name of a file must be a text of 1 to ${LONGEST_NAME} characters without control characters.`,
    )
  }
  return name
}

export function refuseTooLarge(size: number): void {
  if (size <= LARGEST_FILE_BYTES) return
  throw refused('The file is larger than 50 MiB; add a smaller one.')
}

export interface NewFile {
  fileName: string
  /** The note it is attached to, if any. */
  noteId: string | null
  bytes: Uint8Array
}

/**
 * Keeps a file in the workspace: in several short writes, so that nobody waits long for any, and it is in sight
 * only when it is whole. Its text is read afterwards (`extraction`). Unknown notes are 404.
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
  await inSteps(db, (tx) => {
    insertPart(tx, pk, number, bytes.subarray(number * PART_BYTES, (number + 1) * PART_BYTES))
    number += 1
    return number * PART_BYTES < bytes.length
  })
  return db.write((tx) => {
    showFile(tx, pk)
    return findFile(tx, workspacePk, id) ?? fail(notFound('file'))
  })
}

/** Removes a file for good, at once out of sight; fields of records that name it stand (contract, section 10). */
export const deleteFile = (db: Db, { workspacePk }: InWorkspace, id: string): Promise<FileRow> =>
  db.write((tx) => {
    const file = findFile(tx, workspacePk, id) ?? fail(notFound('file'))
    markRemoved(tx, file.pk)
    return file
  })
