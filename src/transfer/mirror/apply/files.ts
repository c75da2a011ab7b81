import type { Static } from '@sinclair/typebox'
import { wholeWorkspace } from '../../../context.ts'
import { removeFile } from '../../../files/deletion.ts'
import type { FileWithOutlineResponse } from '../../../files/schema.ts'
import { deleteSomePages, ensurePageTable, indexPage } from '../../../files/search.ts'
import {
  deleteSomeParts,
  findFile,
  insertFile,
  insertPage,
  insertPart,
  partKey,
  updateFile,
} from '../../../files/store.ts'
import { columnsShown } from '../../../log/objects/statements.ts'
import { files as table } from '../../../storage/schema/files.ts'
import type { CopyTransaction, Restorer } from './copy-transaction.ts'

type Shown = Static<typeof FileWithOutlineResponse>['file']
export type RemoteFile = Omit<Shown, 'pages'> & { readonly pages: number | null }

/** The bytes of removed files are deleted later (`files/deletion.ts`). */
export const files: Restorer<RemoteFile> = {
  kind: 'file',
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
function replaceBytes({ tx, stage }: CopyTransaction, pk: number, { id, size }: RemoteFile): void {
  const clear = () => deleteSomeParts(tx, pk, Number.MAX_SAFE_INTEGER)
  if (size === 0) clear()
  for (const [number, bytes] of stage.contentsOf<Uint8Array>('part', id)) {
    if (number === 0) clear()
    insertPart(tx, pk, number, bytes)
  }
}

/** The text of a file is staged as a whole, or not at all if the copy has it. */
function replacePages(
  { tx, workspacePk, stage }: CopyTransaction,
  pk: number,
  { id, ...file }: RemoteFile,
): void {
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

const notePk = ({ tx }: CopyTransaction, id: string): number | null =>
  tx.sql.get<{ pk: number }>('SELECT pk FROM notes WHERE id = ?', id)?.pk ?? null
