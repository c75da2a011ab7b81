import { isoTimestamp } from '../lib/dates.ts'
import type { Reader } from '../storage/reader.ts'
import { shownMimeType } from './extraction/kinds.ts'
import { type FileRow, findOutline } from './store.ts'

export const presentFile = (row: FileRow) => ({
  id: row.id,
  file_name: row.fileName,
  note_id: row.noteId,
  mime_type: shownMimeType(row),
  size: row.size,
  status: row.status,
  pages: row.pages,
  error: row.error,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

/** A file in a response of its own; the outline is empty until the text is extracted. */
export const presentWholeFile = (reader: Reader, row: FileRow) => ({
  ...presentFile(row),
  outline: JSON.parse(findOutline(reader, row.pk) ?? '[]') as {
    title: string
    level: number
    page: number
  }[],
})
