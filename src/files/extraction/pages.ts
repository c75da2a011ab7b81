import { withCommas } from '../../lib/text.ts'
/** One section of a document: a bookmark, a heading, a slide or a sheet. */
export interface Section {
  title: string
  /** From 1 for the outermost. */
  level: number
  page: number
}

/** The text of a document, page by page, and the sections it is split into. */
export interface ExtractedText {
  pages: string[]
  outline: Section[]
}

/** No text can be read from a file; the message becomes the `error` of the file. */
export class Unreadable extends Error {}

export const MAX_CHARACTERS = 20_000_000
export const MAX_PAGES = 100_000
export const MAX_SECTIONS = 10_000
const MAX_TITLE_LENGTH = 500

/** A longer page is split, so that every page can be read whole through the API. */
export const MAX_PAGE_LENGTH = 100_000

/** Makes text well-formed, with line feeds as the only line breaks and tabs as the only other control characters. */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\f\u0085\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '')

export const oneLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim()

/** Collects pages and sections; throws Unreadable when there is too much text. */
export class PageCollector {
  readonly #pages: string[] = []
  readonly #outline: Section[] = []
  #characters = 0

  /** Adds a page, or several if it is too long; returns the number of the first. */
  add(text: string): number {
    const first = this.#pages.length + 1
    const cleaned = cleanText(text).trim()
    this.#characters += cleaned.length
    refuseTooMuch(this.#characters)
    for (let from = 0; from === 0 || from < cleaned.length; ) {
      const end = pageEnd(cleaned, from, MAX_PAGE_LENGTH)
      this.#pages.push(cleaned.slice(from, end).trimEnd())
      from = Math.max(end, 1)
    }
    if (this.#pages.length > MAX_PAGES) throw tooManyPages()
    return first
  }

  /** Ignores sections without a title, and sections beyond the limit. */
  addSection(title: string, level: number, page: number): void {
    const shown = oneLine(title)
    if (shown === '' || this.#outline.length >= MAX_SECTIONS) return
    this.#outline.push({ title: Array.from(shown).slice(0, MAX_TITLE_LENGTH).join(''), level, page })
  }

  finish(): ExtractedText {
    if (this.#pages.length === 0) this.add('')
    return { pages: this.#pages, outline: this.#outline }
  }
}

export function refuseTooMuch(characters: number): void {
  if (characters <= MAX_CHARACTERS) return
  throw new Unreadable(`The file holds more than ${withCommas(MAX_CHARACTERS)} characters of text.`)
}

export const tooManyPages = () => new Unreadable(`The file has more than ${withCommas(MAX_PAGES)} pages.`)

/**
 * The end of a page that begins at `from` and has at most `length` characters. It follows the last paragraph, else
 * line, sentence or word, that leaves the page at least half full. Without any of these, the page ends in the middle of
 * a word.
 */
function pageEnd(text: string, from: number, length: number): number {
  if (text.length - from <= length) return text.length
  const window = text.slice(from, from + length)
  for (const boundary of [/\n[\t ]*\n\s*/g, /\n/g, /[.!?]\s|[。！？]/g, /\s/g]) {
    const end = lastEnd(window, boundary)
    if (end > length / 2) return from + end
  }
  const splitsPair = /[\ud800-\udbff]$/.test(window)
  return from + length - (splitsPair ? 1 : 0)
}

/** The end of the last match in the second half of the text; 0 when there is none. */
function lastEnd(text: string, boundary: RegExp): number {
  const half = text.length >> 1
  let end = 0
  for (const match of text.slice(half).matchAll(boundary)) end = half + match.index + match[0].length
  return end
}

/** About how many characters of text without pages of its own make a page. */
const PAGE_LENGTH = 3_000

/** The last page may be longer, so that no short rest is left for another page. */
const MAX_LAST_PAGE_LENGTH = 3_600

interface Heading {
  title: string
  level: number
  /** Its offset in the text. */
  at: number
}

/** Collects text that has no pages of its own, and splits it into pages at the end. */
export class FlowingText {
  #text = ''
  #headings: Heading[] = []

  line(text: string): void {
    this.#append(this.#text === '' ? '' : '\n', cleanText(text))
  }

  block(text: string): void {
    this.#append(this.#text === '' ? '' : '\n\n', cleanText(text))
  }

  heading(title: string, level: number): void {
    const shown = oneLine(title)
    if (shown === '') return
    this.block(shown)
    this.markHeading({ title: shown, level, at: this.#text.length - shown.length })
  }

  /** Records that a line of the text added so far is a heading. */
  markHeading(heading: Heading): void {
    if (this.#headings.length < MAX_SECTIONS) this.#headings.push(heading)
  }

  finish(): ExtractedText {
    const collector = new PageCollector()
    const text = this.#text
    let at = 0
    for (let from = 0; from === 0 || from < text.length; ) {
      const isLast = text.length - from <= MAX_LAST_PAGE_LENGTH
      const end = isLast ? text.length : pageEnd(text, from, PAGE_LENGTH)
      const page = collector.add(text.slice(from, end))
      for (; (this.#headings[at]?.at ?? end) < end; at++) {
        const { title, level } = this.#headings[at] as Heading
        collector.addSection(title, level, page)
      }
      from = Math.max(end, 1)
    }
    return collector.finish()
  }

  #append(separator: string, text: string): void {
    if (text === '') return
    this.#text += separator + text
    refuseTooMuch(this.#text.length)
  }
}
