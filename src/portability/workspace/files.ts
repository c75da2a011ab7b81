import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { shownMimeType } from '../../files/extraction/kinds.ts'
import { checkedFileName } from '../../files/service.ts'
import { type FileRow, insertWholeFile, listFileRows } from '../../files/store.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { fail, refused } from '../../refusal.ts'
import { asObject, idOf, instantOf, txForOriginal } from './exported-object.ts'

export const listFiles = (reader: Reader, caller: Caller): FileRow[] => listFileRows(reader, caller)

/** The metadata of a file; `stored` is the name of the original in the folder. The extracted text is not exported. */
export const exportFile = ({ sql }: Reader, row: FileRow, stored: string) => ({
  id: row.id,
  file_name: row.fileName,
  // Unlike in the API, also the id of a note in the trash.
  note_id: sql.scalar<string | null>(
    'SELECT (SELECT id FROM notes n WHERE n.pk = f.note) FROM files f WHERE f.pk = ?',
    row.pk,
  ),
  mime_type: shownMimeType(row),
  created_at: isoTimestamp(row.createdAt),
  stored,
})

/** Adds a file; its text is extracted when a server runs next. `read` returns the bytes of the original, or refuses. */
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
    note: note_id === null ? null : notePk(tx, caller.workspacePk, textOf(note_id, 'note_id')),
    fileName,
    mimeType: shownMimeType({ fileName, mimeType: textOf(mime_type, 'mime_type') }),
    size: bytes.length,
  }
  insertWholeFile(txForOriginal(tx, original), caller, row, bytes)
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && !value.includes('\0')) return value
  throw refused(`"${name}" must be a text.`)
}

const notePk = ({ sql }: Reader, workspace: number, id: string): number =>
  sql.get<{ pk: number }>('SELECT pk FROM notes WHERE id = ? AND workspace = ?', id, workspace)?.pk ??
  fail(refused(`"note_id" names ${id}, and there is no such note.`))
