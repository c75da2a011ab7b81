import { isoTimestamp } from '../lib/dates.ts'
import { shownMimeType } from './extraction/kinds.ts'
import type { FoundPage } from './search.ts'
import type { FileRow } from './store.ts'
import type { FileText } from './text.ts'

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

interface StoredSection {
  title: string
  level: number
  page: number
}

export const presentFileWithOutline = ({ file, outline }: { file: FileRow; outline: string }) => ({
  ...presentFile(file),
  outline: (JSON.parse(outline) as StoredSection[]).map(({ title, level, page }) => ({ title, level, page })),
})

export const presentFileText = ({ file, pages, text, truncated, nextChunk }: FileText) => ({
  file: { id: file.id, file_name: file.fileName },
  pages,
  text,
  truncated,
  next_chunk: nextChunk,
})

export const presentFoundPage = ({ file, page, snippet }: FoundPage) => ({
  file: { id: file.id, file_name: file.fileName, note_id: file.noteId },
  page,
  snippet,
})
