import type { Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { findNoteSummary } from '../notes/store.ts'
import { fail, notFound } from '../refusal.ts'
import { type FileRow, findFile, findOutline, listFileRows, listFileRowsOfNote } from './store.ts'

/** Every file of the workspace, or those attached to an active note, oldest first. */
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

/** The file, and the sections that its text is split into; none until the text is there. */
export function getFileWithOutline(reader: Reader, caller: Caller, id: string) {
  const file = getFile(reader, caller, id)
  return { file, outline: findOutline(reader, file.pk) ?? '[]' }
}
