import { deleteSomePages, ensurePageTable, indexPage } from '../../files/search.ts'
import {
  deleteSomeParts,
  findFile,
  insertFile,
  insertPage,
  insertPart,
  markRemoved,
  partKey,
  updateFile,
} from '../../files/store.ts'
import type { RemoteObject } from '../remote-objects.ts'
import { type CopyTransaction, gone, instantsOf, present, type Timestamps } from './copy-transaction.ts'

interface RemoteFile extends RemoteObject, Timestamps {
  readonly id: string
  readonly file_name: string
  readonly note_id: string | null
  readonly mime_type: string
  readonly size: number
  readonly status: 'processing' | 'ready' | 'failed'
  readonly pages: number | null
  readonly error: string | null
  readonly outline: readonly object[]
}

/** Hides them at once; their bytes are deleted afterwards, in chunks (`files/cleanup.ts`). */
export function removeFiles(copy: CopyTransaction): void {
  const { tx, workspacePk, author } = copy
  for (const id of gone(copy, 'file')) {
    const file = findFile(tx, workspacePk, id)
    if (file) markRemoved(tx, author, file)
  }
}

export function applyFiles(copy: CopyTransaction): void {
  const { tx, workspacePk: workspace, stage } = copy
  for (const file of present<RemoteFile>(copy, 'file')) {
    const { id, file_name: fileName, mime_type: mimeType, size, status, pages, error, outline } = file
    const note = file.note_id === null ? null : notePk(copy, file.note_id)
    const row = { workspace, note, fileName, mimeType, size }
    const pk = findFile(tx, workspace, id)?.pk ?? insertFile(tx, { ...row, id })
    const outlineText = status === 'ready' ? JSON.stringify(outline) : null
    updateFile(tx, pk, { ...row, status, pages, error, outline: outlineText, ...instantsOf(file) })
    replaceBytes(copy, pk, file)
    replacePages(copy, pk, file)
  }
  for (const { note, file } of stage.noteFiles())
    tx.sql.run('UPDATE files SET note = ? WHERE id = ?', notePk(copy, note), file)
}

/** The bytes of a file are staged whole, or not at all where the copy has them. */
function replaceBytes({ tx, stage }: CopyTransaction, pk: number, { id, size }: RemoteFile): void {
  let number = 0
  if (size === 0) deleteSomeParts(tx, pk, Number.MAX_SAFE_INTEGER)
  for (const bytes of stage.partsOf(id)) {
    if (number === 0) deleteSomeParts(tx, pk, Number.MAX_SAFE_INTEGER)
    insertPart(tx, pk, number++, bytes)
  }
}

/** The text of a file is staged whole, or not at all where the copy has it. */
function replacePages(
  { tx, workspacePk, stage }: CopyTransaction,
  file: number,
  { id, status, pages }: RemoteFile,
): void {
  const clear = () => {
    ensurePageTable(tx, workspacePk)
    deleteSomePages(tx, workspacePk, file, Number.MAX_SAFE_INTEGER)
  }
  if (status !== 'ready' || !pages) clear()
  let number = 0
  for (const text of stage.pagesOf(id)) {
    if (number === 0) clear()
    number += 1
    insertPage(tx, file, number, text)
    indexPage(tx, workspacePk, partKey(file, number), text)
  }
}

const notePk = ({ tx }: CopyTransaction, id: string): number | null =>
  tx.sql.get<{ pk: number }>('SELECT pk FROM notes WHERE id = ?', id)?.pk ?? null
