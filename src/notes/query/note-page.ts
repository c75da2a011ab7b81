import type { Reader } from '../../db/reader.ts'
import { type Page, type PageRequest, presentPage } from '../../http/pagination.ts'
import type { JsonBody } from '../../http/responses.ts'
import { snippetOf } from '../../search/highlighter.ts'
import type { Phrase } from '../../search/query.ts'
import { EXCERPT_SOURCE, excerptOf } from '../excerpt.ts'
import { presentEdited, presentNote, presentNoteHead } from '../present.ts'
import { loadBeginnings, loadNoteHeads, loadNotes, type NoteRow, tagNamesOf } from '../store.ts'

/*
 * What lists, searches, tree queries and views have in common: a page of notes with at most 8 MiB of text, as JSON that
 * is built where the notes are read.
 */

/**
 * A page ends before the note with which its texts would be longer; its first note is always given. Bodies that are left
 * out do not count, unless a search makes snippets of them.
 */
const MAX_PAGE_TEXT_BYTES = 8 * 1024 * 1024

export interface ShownParts {
  /** Whether with their bodies; they are unless this is false. */
  readonly content?: boolean | undefined
  readonly excerpt?: boolean | undefined
}

export interface NotePage {
  readonly page: PageRequest
  readonly shown: ShownParts
  /** Whether the notes are sorted by their last edit, and given with it. */
  readonly isByEdit: boolean
  /** With a search: each note gets a snippet. */
  readonly phrases?: readonly Phrase[] | undefined
  find(): Page<number>
}

/** The response `{notes, total, has_more}`. */
export function notePageJson(reader: Reader, { find, ...wanted }: NotePage): JsonBody {
  const { page, shown, phrases } = wanted
  const { items, total } = fitting(reader, find(), shown.content !== false || phrases !== undefined)
  const notes = items.length === 0 ? [] : presentedNotes(reader, items, wanted)
  return JSON.stringify({ notes, ...presentPage(page, { items, total }) })
}

function presentedNotes(
  reader: Reader,
  pks: readonly number[],
  { shown: { content = true, excerpt = false }, isByEdit, phrases }: Omit<NotePage, 'find'>,
): object[] {
  const present = content ? presentNote : presentNoteHead
  const rows = content || phrases ? loadNotes(reader, pks) : loadNoteHeads(reader, pks)
  if (!isByEdit && !excerpt && !phrases) return (rows as NoteRow[]).map(present)
  const beginnings = excerpt ? loadBeginnings(reader, pks, EXCERPT_SOURCE) : []
  return (rows as NoteRow[]).map((row, at) => ({
    ...present(row),
    ...(isByEdit && presentEdited(row)),
    ...(excerpt && { excerpt: excerptOf(beginnings[at] ?? '') }),
    ...(phrases && { snippet: noteSnippet(row, phrases) }),
  }))
}

const noteSnippet = (row: NoteRow, phrases: readonly Phrase[]): string =>
  snippetOf([row.content, row.title, ...tagNamesOf(row)], phrases)

/** What a tag of a note counts in the length of its texts. */
const BYTES_PER_TAG = 80

const TAG_BYTES = `${BYTES_PER_TAG} * (SELECT count(*) FROM note_tags nt WHERE nt.note = page.value)`
/** Reads no text: SQLite knows the length of a body from its header. */
const BODY_BYTES = '(SELECT octet_length(content) FROM note_bodies b WHERE b.note = page.value)'
const lengthsOf = (bytes: string) => `SELECT ${bytes} FROM json_each(?) AS page ORDER BY page.key`
const HEAD_LENGTHS = lengthsOf(TAG_BYTES)
const LENGTHS = lengthsOf(`${BODY_BYTES} + ${TAG_BYTES}`)

/** The page without the notes that are too much for it. */
function fitting(reader: Reader, { items, total }: Page<number>, readsBodies: boolean): Page<number> {
  if (items.length === 0) return { items, total }
  const lengths = reader.sql.column<number>(readsBodies ? LENGTHS : HEAD_LENGTHS, JSON.stringify(items))
  let bytes = 0
  for (const [at, length] of lengths.entries()) {
    if (at > 0 && bytes + length > MAX_PAGE_TEXT_BYTES) return { items: items.slice(0, at), total }
    bytes += length
  }
  return { items, total }
}
