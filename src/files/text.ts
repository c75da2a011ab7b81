import type { Static } from '@sinclair/typebox'
import type { Caller } from '../context.ts'
import { atPlace, invalid, refused } from '../lib/refusal.ts'
import { codePointLength } from '../lib/text.ts'
import type { Reader } from '../storage/reader.ts'
import { DEFAULT_CHARS, type TextQuery } from './schema.ts'
import { getFile } from './service.ts'
import { type FileRow, findPageText } from './store.ts'

interface PageRange {
  readonly first: number
  readonly last: number
}

const RANGE = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/

function parseRange(pages: string): PageRange {
  const [, first, last = first] = RANGE.exec(pages) ?? []
  const range = { first: Number(first), last: Number(last) }
  if (first !== undefined && range.first <= range.last) return range
  throw invalid(`"pages" must be a page such as 7, or a range such as 7-9, not "${pages}".`, atPlace('pages'))
}

const formatRange = ({ first, last }: PageRange) => (first === last ? String(first) : `${first}-${last}`)

function pageCount({ status, pages, error }: FileRow): number {
  if (status === 'ready') return pages ?? 0
  const reason =
    status === 'failed' ? `none could be read: ${error}` : 'it is still being read; ask again in a moment.'
  throw refused(`The text of this file is not ready, as ${reason}`)
}

/**
 * Returns as many whole pages as fit in `max_chars`; a longer first page is cut. `truncated` is set if some of the
 * requested text is missing; `next_chunk` names the pages to request next.
 */
export function getFileText(reader: Reader, caller: Caller, id: string, query: Static<typeof TextQuery>) {
  const requested = query.pages === undefined ? undefined : parseRange(query.pages)
  const file = getFile(reader, caller, id)
  const count = pageCount(file)
  const shown = { id: file.id, file_name: file.fileName }
  if (requested === undefined && count === 0)
    return { file: shown, pages: '', text: '', truncated: false, next_chunk: null }
  const range = requested ?? { first: 1, last: count }
  if (range.last > count) {
    throw refused(
      `"pages" goes past the end: the file has ${count} page${count === 1 ? '' : 's'}.`,
      atPlace('pages'),
    )
  }
  const { text, last, isCut } = fittingPages(reader, file, range, query.max_chars ?? DEFAULT_CHARS)
  const next = { first: last + 1, last: Math.min(last + 1 + range.last - range.first, count) }
  return {
    file: shown,
    pages: formatRange({ first: range.first, last }),
    text,
    truncated: isCut || last < range.last,
    next_chunk: last < count ? formatRange(next) : null,
  }
}

const pageWithMarker = (reader: Reader, { pk }: FileRow, page: number) =>
  `=== page ${page} ===\n${findPageText(reader, pk, page)}`

function fittingPages(reader: Reader, file: FileRow, { first, last }: PageRange, maxChars: number) {
  let text = pageWithMarker(reader, file, first)
  let length = codePointLength(text)
  if (length > maxChars)
    return { text: Array.from(text).slice(0, maxChars).join(''), last: first, isCut: true }
  for (let page = first + 1; page <= last; page++) {
    const more = `\n\n${pageWithMarker(reader, file, page)}`
    length += codePointLength(more)
    if (length > maxChars) return { text, last: page - 1, isCut: false }
    text += more
  }
  return { text, last, isCut: false }
}
