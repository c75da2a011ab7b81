import type { Static } from '@sinclair/typebox'
import { type Caller, wholeWorkspace } from '../context.ts'
import { removeFile } from '../files/deletion.ts'
import { shownMimeType } from '../files/extraction/kinds.ts'
import { insertWholeFile } from '../files/new-file.ts'
import { presentWholeFile } from '../files/present.ts'
import type { FileWithOutlineResponse } from '../files/schema.ts'
import { deleteSomePages, ensurePageTable, indexPage } from '../files/search.ts'
import { checkedFileName } from '../files/service.ts'
import {
  deleteSomeParts,
  type FileRow,
  findFile,
  insertFile,
  insertPage,
  insertPart,
  partKey,
  updateFile,
} from '../files/store.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { fail, refused } from '../lib/refusal.ts'
import { columnsShown } from '../log/objects/statements.ts'
import type { Reader } from '../storage/reader.ts'
import { files as table } from '../storage/schema/files.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import type { Copy } from './copy.ts'
import { asObject, idOf, instantOf, textOf, txForOriginal } from './exported.ts'
import type { RestoredKind } from './kind.ts'

type Shown = Static<typeof FileWithOutlineResponse>['file']
export type RemoteFile = Omit<Shown, 'pages'> & { readonly pages: number | null }

/** The bytes of removed files are deleted later (`files/deletion.ts`). */
export const files: RestoredKind<RemoteFile> = {
  kind: 'file',
  table: 'files',
  isVisible: `status IN ('processing', 'ready', 'failed')`,
  label: 'file_name',
  find: (reader, caller, id) => {
    const file = findFile(reader, caller, id)
    return file && presentWholeFile(reader, file)
  },
  remove: ({ tx, workspacePk, author }, ids) => {
    for (const id of ids) {
      const file = findFile(tx, wholeWorkspace(workspacePk), id)
      if (file) removeFile(tx, author, file)
    }
  },
  write: (copy, file) => {
    const { tx, workspacePk: workspace } = copy
    const { id, file_name: fileName, note_id, mime_type: mimeType, size, status, outline } = file
    const note = note_id === null ? null : notePk(copy, note_id)
    const row = { id, workspace, note, fileName, mimeType, size }
    const pk = findFile(tx, wholeWorkspace(workspace), id)?.pk ?? insertFile(tx, row)
    const text = status === 'ready' ? JSON.stringify(outline) : null
    updateFile(tx, pk, { ...columnsShown(table, file), note, outline: text })
    replaceBytes(copy, pk, file)
    replacePages(copy, pk, file)
  },
  finish: (copy) => {
    for (const { note, file } of copy.stage.noteFiles())
      copy.tx.sql.run('UPDATE files SET note = ? WHERE id = ?', notePk(copy, note), file)
  },
}

/** The bytes of a file are staged as a whole, or not at all if the copy has them. */
function replaceBytes({ tx, stage }: Copy, pk: number, { id, size }: RemoteFile): void {
  const clear = () => deleteSomeParts(tx, pk, Number.MAX_SAFE_INTEGER)
  if (size === 0) clear()
  for (const [number, bytes] of stage.contentsOf<Uint8Array>('part', id)) {
    if (number === 0) clear()
    insertPart(tx, pk, number, bytes)
  }
}

/** The text of a file is staged as a whole, or not at all if the copy has it. */
function replacePages({ tx, workspacePk, stage }: Copy, pk: number, { id, ...file }: RemoteFile): void {
  const clear = () => {
    ensurePageTable(tx, workspacePk)
    deleteSomePages(tx, workspacePk, pk, Number.MAX_SAFE_INTEGER)
  }
  if (file.status !== 'ready' || !file.pages) clear()
  for (const [number, text] of stage.contentsOf<string>('page', id)) {
    if (number === 0) clear()
    insertPage(tx, pk, number + 1, text)
    indexPage(tx, workspacePk, partKey(pk, number + 1), text)
  }
}

const notePk = ({ tx }: Copy, id: string): number | null =>
  tx.sql.get<{ pk: number }>('SELECT pk FROM notes WHERE id = ?', id)?.pk ?? null

/** The metadata of a file; `stored` is the name of the original in the folder. The extracted text is not exported. */
export const exportFile = ({ sql }: Reader, row: FileRow, stored: string) => ({
  id: row.id,
  file_name: row.fileName,
  // Unlike the API, an export also has the id of a trashed note.
  note_id: sql.scalar<string | null>(
    'SELECT (SELECT id FROM notes n WHERE n.pk = f.note) FROM files f WHERE f.pk = ?',
    row.pk,
  ),
  mime_type: shownMimeType(row),
  created_at: isoTimestamp(row.createdAt),
  stored,
})

/** Adds a file; the next server that runs extracts its text. `read` returns the bytes of the original, or refuses. */
export function importFile(
  tx: Tx,
  caller: Caller,
  value: unknown,
  read: (stored: string) => Uint8Array,
): void {
  const { id, file_name, note_id, mime_type, created_at, stored } = asObject(value)
  const bytes = read(textOf(stored, 'stored'))
  const original = { id: idOf(id), createdAt: instantOf(created_at, 'created_at') }
  const fileName = checkedFileName(textOf(file_name, 'file_name'))
  const row = {
    id: original.id,
    workspace: caller.workspacePk,
    note: note_id === null ? null : importedNotePk(tx, caller.workspacePk, textOf(note_id, 'note_id')),
    fileName,
    mimeType: shownMimeType({ fileName, mimeType: textOf(mime_type, 'mime_type') }),
    size: bytes.length,
  }
  insertWholeFile(txForOriginal(tx, original), caller, row, bytes)
}

const importedNotePk = ({ sql }: Reader, workspace: number, id: string): number =>
  sql.get<{ pk: number }>('SELECT pk FROM notes WHERE id = ? AND workspace = ?', id, workspace)?.pk ??
  fail(refused(`"note_id" names ${id}, and there is no such note.`))
