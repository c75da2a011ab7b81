import type { Static } from '@sinclair/typebox'
import { type Caller, type InWorkspace, placeFor } from '../context.ts'
import { checkWrite } from '../kernel/caller.ts'
import { long, read, write } from '../kernel/operation.ts'
import { fail, notFound, refused } from '../lib/refusal.ts'
import { isName, MAX_NAME_LENGTH } from '../lib/text.ts'
import { logUpdate } from '../log/log.ts'
import { findNoteSummary } from '../notes/store.ts'
import { relabelFileLinks } from '../notes/writing/replace-content.ts'
import type { Reader } from '../storage/reader.ts'
import { removeFile } from './deletion.ts'
import { publishFileDeletion, publishRename } from './events.ts'
import { shownMimeType } from './extraction/kinds.ts'
import { presentFile, presentWholeFile } from './present.ts'
import type { FilePatch } from './schema.ts'
import {
  contentTag,
  type FileRow,
  findFile,
  hasBytes,
  isReached,
  listFileRows,
  listFileRowsOfNote,
  readBytes,
  updateFile,
} from './store.ts'

/** Every file of the workspace, or those attached to one note, oldest first. Refuses an unknown or trashed note. */
export function listFiles(reader: Reader, caller: InWorkspace, noteId?: string): FileRow[] {
  if (noteId === undefined) return listFileRows(reader, caller)
  const { workspacePk } = placeFor(caller, 'notes')
  const note = findNoteSummary(reader, workspacePk, noteId) ?? fail(notFound('note'))
  return listFileRowsOfNote(reader, note.pk).filter((file) => isReached(caller, file))
}

export const listAllFiles = read({
  name: 'files.list',
  covers: 'files',
  run: (snapshot, caller, { note_id }: { note_id?: string }) => ({
    files: listFiles(snapshot, caller, note_id).map(presentFile),
  }),
})

export const listFilesOfNote = read({
  name: 'files.of-note',
  covers: 'notes',
  run: (snapshot, caller, { id }: { id: string }) => ({
    files: listFiles(snapshot, caller, id).map(presentFile),
  }),
})

export const readFile = read({
  name: 'files.get',
  covers: 'files',
  run: (snapshot, caller, { id }: { id: string }) => ({
    file: presentWholeFile(snapshot, getFile(snapshot, caller, id)),
  }),
})

export const getFile = (reader: Reader, caller: InWorkspace, id: string): FileRow =>
  findFile(reader, caller, id) ?? fail(notFound('file'))

/** Finds a file to change. A file of a note is part of the note, so it also needs write access to notes. */
function getFileToWrite(reader: Reader, caller: InWorkspace, id: string): FileRow {
  const file = getFile(reader, caller, id)
  if (file.ofNote === 1) checkWrite(caller.rights, 'notes')
  return file
}

export function getFileContent(reader: Reader, caller: Caller, id: string) {
  const file = getFile(reader, caller, id)
  const { pk, fileName, size } = file
  if (size > 0 && !hasBytes(reader, pk)) throw notFound('file content')
  const readPart = (start: number, end: number) => readBytes(reader, pk, start, end)
  return { tag: contentTag(reader, id), fileName, mimeType: shownMimeType(file), size, read: readPart }
}

/** Returns the name. Refuses a name that is not 1 to 500 characters long or has control characters. */
export function checkedFileName(name: string): string {
  if (!isName(name) || !name.isWellFormed()) {
    throw refused(
      `The name of a file must be a text of 1 to ${MAX_NAME_LENGTH} characters without control characters.`,
    )
  }
  return name
}

/**
 * Renames a file and, in the same transaction, the label of every link to it, in trashed notes too. Callers run
 * `refreshLinks` first. Notes that change get a revision.
 */
export const renameFile = long(
  write({
    name: 'files.rename',
    covers: 'files',
    run: (tx, caller, { id, body }: { id: string; body: Static<typeof FilePatch> }) => {
      const { file_name: fileName } = body
      if (fileName === undefined) return { file: presentFile(getFile(tx, caller, id)) }
      const file = getFileToWrite(tx, caller, id)
      if (fileName === file.fileName) return { file: presentFile(file) }
      updateFile(tx, file.pk, { fileName: checkedFileName(fileName) }, tx.now)
      relabelFileLinks(tx, caller, id, fileName)
      const after = getFile(tx, caller, id)
      logUpdate(tx, caller, { kind: 'file', id }, presentFile(file), presentFile(after), ['note_id'])
      publishRename(tx, caller, file, after)
      return { file: presentFile(after) }
    },
  }),
)

/** Deletes a file permanently; a job frees its space. Fields of records that name it keep its id. */
export const deleteFile = write({
  name: 'files.delete',
  covers: 'files',
  run: (tx, caller, { id }: { id: string }) => {
    const file = getFileToWrite(tx, caller, id)
    publishFileDeletion(tx, caller, file)
    removeFile(tx, caller, file)
    return { deleted: true, id: file.id }
  },
})
