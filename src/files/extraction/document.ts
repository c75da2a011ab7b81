/** One section of a document: a bookmark, a heading, a slide or a sheet. */
export interface Section {
  title: string
  /** From 1 for the outermost. */
  level: number
  page: number
}

/** The text of a document, page by page, and the sections it is split into. */
export interface Extracted {
  pages: string[]
  outline: Section[]
}

/** No text can be read from a file; the message is the sentence that its `error` shows. */
export class Unreadable extends Error {}

export const MOST_CHARACTERS = 20_000_000
export const MOST_PAGES = 100_000
export const MOST_SECTIONS = 10_000
const LONGEST_TITLE = 500

/** A page of more characters goes on as the next one, so that each can be read whole through the API. */
export const LONGEST_PAGE = 100_000

/** Well-formed text without control characters but tabs and line feeds, which are the only line breaks. */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\f\u0085\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '')

export const oneLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim()

/** Collects pages and sections, and refuses what would be too much to keep. */
export class PageCollector {
  readonly #pages: string[] = []
  readonly #outline: Section[] = []
  #characters = 0

  /** Answers the number of the page, of several the first. */
  add(text: string): number {
    const first = this.#pages.length + 1
    const cleaned = cleanText(text).trim()
    this.#characters += cleaned.length
    refuseTooMuch(this.#characters)
    for (let from = 0; from === 0 || from < cleaned.length; ) {
      const end = pageEnd(cleaned, from, LONGEST_PAGE)
      this.#pages.push(cleaned.slice(from, end).trimEnd())
      from = Math.max(end, 1)
    }
    if (this.#pages.length > MOST_PAGES) throw tooManyPages()
    return first
  }

  /** Further sections than can be kept, and those without a title, are left out. */
  addSection(title: string, level: number, page: number): void {
    const shown = oneLine(title)
    if (shown === '' || this.#outline.length >= MOST_SECTIONS) return
    this.#outline.push({ title: Array.from(shown).slice(0, LONGEST_TITLE).join(''), level, page })
  }

  /** A document without slides, sheets or pages has one empty page, as an empty text has. */
  finish(): Extracted {
    if (this.#pages.length === 0) this.add('')
    return { pages: this.#pages, outline: this.#outline }
  }
}

export function refuseTooMuch(characters: number): void {
  if (characters <= MOST_CHARACTERS) return
  throw new Unreadable(
    `The file holds more than ${MOST_CHARACTERS.toLocaleString('en-US')} characters of text.`,
  )
}

export const tooManyPages = () =>
  new Unreadable(`The file has more than ${MOST_PAGES.toLocaleString('en-US')} pages.`)

/**
 * Where a page that begins at `from` ends, at most `most` characters later: after the last paragraph that fits,
 * else the last line, sentence or word, as long as the page is half full; else in the midst of a word.
 */
export function pageEnd(text: string, from: number, most: number): number {
  if (text.length - from <= most) return text.length
  const window = text.slice(from, from + most)
  for (const boundary of [/\n[\t ]*\n\s*/g, /\n/g, /[.!?]\s|[。！？]/g, /\s/g]) {
    const end = lastEnd(window, boundary)
    if (end > most / 2) return from + end
  }
  const splitsPair = /[\ud800-\udbff]$/.test(window)
  return from + most - (splitsPair ? 1 : 0)
}

/** The end of the last match in the second half of the text; 0 when there is none. */
function lastEnd(text: string, boundary: RegExp): number {
  const half = text.length >> 1
  let end = 0
  for (const match of text.slice(half).matchAll(boundary)) end = half + match.index + match[0].length
  return end
}
