import wasm from '@embedpdf/pdfium/pdfium.wasm' with { type: 'file' }
import { once } from '../../../lib/bounded-cache.ts'
import { embeddedFile } from '../../../lib/program.ts'
import { type ExtractedText, MAX_PAGES, PageCollector, tooManyPages, Unreadable } from '../pages.ts'
import { annotationTexts, openForm } from './pdf-annotations.ts'
import { glyphEncodings, plainFontName } from './pdf-glyph-names.ts'

import pdfium = require('@embedpdf/pdfium')

const NEEDS_PASSWORD = 4

const damaged = () => new Unreadable('The file is not a whole PDF document.')

function openDocument(library: Pdfium, bytes: Uint8Array): number {
  const document = library.FPDF_LoadMemDocument(copyIn(library, bytes), bytes.length, '')
  if (document !== 0) return document
  throw library.FPDF_GetLastError() === NEEDS_PASSWORD
    ? new Unreadable('The file is protected by a password.')
    : damaged()
}

/** Removes hyphens that are only there for a line break; PDFium marks them with two different characters. */
const withoutSoftHyphens = (text: string): string =>
  text.replaceAll('\u0002', '\ufffe').replace(/\ufffe(?:\r?\n)?/g, '')

/** PDFium counts characters, each of one or two UTF-16 units. */
const readCharacters = (library: Pdfium, text: number, from: number, count: number): string =>
  count <= 0
    ? ''
    : readText(library, count * 4 + 2, (at) => library.FPDFText_GetText(text, from, count, at) * 2)

/** Parts of a document that most documents do not need. */
interface Extras {
  readonly form: () => number
  readonly encodings: () => ReturnType<typeof glyphEncodings>
}

/** A character of a page that is replaced. */
interface Replaced {
  readonly index: number
  readonly by: string
}

/** Characters for which PDFium may return the code in the font. */
const MAY_BE_CODE = /[[\p{Cc}--[\r\n]]\u00a0-\u00ff]/gv
const FIRST_OTHER_CODE = 0x100

/** The glyphs of a page whose characters PDFium does not know, but the encoding of their font does. */
function unknownGlyphs(library: Pdfium, text: number, count: number, { encodings }: Extras): Replaced[] {
  const words = readCharacters(library, text, 0, count)
  const isAligned = words.length === count
  // The text has two units for some characters, and leaves control characters out.
  const indexes = isAligned ? words.matchAll(MAY_BE_CODE).map(({ index }) => index) : Array(count).keys()
  const found: Replaced[] = []
  for (const index of indexes) {
    // Few documents have such names, so their pages cost nothing more.
    if (encodings().size === 0) return []
    const code = library.FPDFText_GetUnicode(text, index)
    if (code >= FIRST_OTHER_CODE || library.FPDFText_HasUnicodeMapError(text, index) !== 1) continue
    const by = encodings()
      .get(fontName(library, text, index))
      ?.get(code)
    if (by) found.push({ index, by })
  }
  return found
}

function fontName(library: Pdfium, text: number, index: number): string {
  const object = library.FPDFText_GetTextObject(text, index)
  const font = object === 0 ? 0 : library.FPDFTextObj_GetFont(object)
  if (font === 0) return ''
  const { wasmExports } = library.pdfium
  const size = library.FPDFFont_GetBaseFontName(font, 0, 0)
  const at = wasmExports.malloc(size)
  try {
    library.FPDFFont_GetBaseFontName(font, at, size)
    return plainFontName(
      new TextDecoder().decode(memoryOf(library.pdfium).subarray(at, at + Math.max(size - 1, 0))),
    )
  } finally {
    wasmExports.free(at)
  }
}

/** The text of one page and of its annotations; a page that cannot be read is empty. */
function readPage(library: Pdfium, document: number, index: number, extras: Extras): string {
  const page = library.FPDF_LoadPage(document, index)
  if (page === 0) return ''
  const text = library.FPDFText_LoadPage(page)
  try {
    const count = text === 0 ? 0 : library.FPDFText_CountChars(text)
    let words = ''
    let from = 0
    const replaced = [
      ...spacesInWords(library, text, count).map((space) => ({ index: space, by: '' })),
      ...unknownGlyphs(library, text, count, extras),
    ].sort((left, right) => left.index - right.index)
    for (const { index: at, by } of [...replaced, { index: count, by: '' }]) {
      words += readCharacters(library, text, from, at - from) + by
      from = at + 1
    }
    return [withoutSoftHyphens(words), ...annotationTexts(library, page, extras.form)].join('\n')
  } finally {
    library.FPDFText_ClosePage(text)
    library.FPDF_ClosePage(page)
  }
}

const DEEPEST_LEVEL = 20
const MAX_BOOKMARKS = 10_000

function pageOfBookmark(library: Pdfium, document: number, bookmark: number): number {
  const destination =
    library.FPDFBookmark_GetDest(document, bookmark) ||
    library.FPDFAction_GetDest(document, library.FPDFBookmark_GetAction(bookmark))
  return destination === 0 ? -1 : library.FPDFDest_GetDestPageIndex(document, destination)
}

function titleOfBookmark(library: Pdfium, bookmark: number): string {
  const bytes = library.FPDFBookmark_GetTitle(bookmark, 0, 0)
  return readText(library, bytes, (at) => library.FPDFBookmark_GetTitle(bookmark, at, bytes))
}

/** Calls `visit` for every bookmark in the order of the document; a damaged file may have cycles. */
function visitBookmarks(
  library: Pdfium,
  document: number,
  visit: (bookmark: number, level: number) => void,
  parent = 0,
  level = 1,
  seen = new Set<number>(),
): void {
  let bookmark = library.FPDFBookmark_GetFirstChild(document, parent)
  while (bookmark !== 0 && !seen.has(bookmark) && seen.size < MAX_BOOKMARKS) {
    seen.add(bookmark)
    visit(bookmark, level)
    if (level < DEEPEST_LEVEL) visitBookmarks(library, document, visit, bookmark, level + 1, seen)
    bookmark = library.FPDFBookmark_GetNextSibling(document, bookmark)
  }
}

/** The text of a PDF document; scanned pages are empty. The bookmarks are the outline. */
export async function readPdf(bytes: Uint8Array): Promise<ExtractedText> {
  const library = await startPdfium()
  const document = openDocument(library, bytes)
  const count = library.FPDF_GetPageCount(document)
  if (count < 1) throw damaged()
  if (count > MAX_PAGES) throw tooManyPages()
  const collector = new PageCollector()
  const numbers: number[] = []
  const extras = {
    form: once(() => openForm(library, document)),
    encodings: once(() => glyphEncodings(bytes)),
  }
  for (let index = 0; index < count; index++)
    numbers.push(collector.add(readPage(library, document, index, extras)))
  visitBookmarks(library, document, (bookmark, level) => {
    const page = numbers[pageOfBookmark(library, document, bookmark)]
    if (page !== undefined) collector.addSection(titleOfBookmark(library, bookmark), level, page)
  })
  return collector.finish()
}

export type Pdfium = Awaited<ReturnType<typeof pdfium.init>>

/** Loads PDFium, which is compiled to WebAssembly. */
export async function startPdfium(): Promise<Pdfium> {
  const library = await pdfium.init({ wasmBinary: await embeddedFile(wasm).arrayBuffer() })
  library.PDFiumExt_Init()
  return library
}

/** The current memory of the module; the buffer is replaced when it grows. */
export const memoryOf = (module: Pdfium['pdfium']) => (module as unknown as { HEAPU8: Uint8Array }).HEAPU8

/** Copies bytes into the module's memory, where they stay until the process exits; returns their address. */
export function copyIn({ pdfium: module }: Pdfium, bytes: Uint8Array): number {
  const at = module.wasmExports.malloc(bytes.length)
  memoryOf(module).set(bytes, at)
  return at
}

/** Decodes UTF-16 text of up to `size` bytes that `fill` writes; it returns their number, with the terminator. */
export function readText({ pdfium: module }: Pdfium, size: number, fill: (at: number) => number): string {
  const at = module.wasmExports.malloc(size)
  try {
    const length = Math.min(fill(at), size)
    return new TextDecoder('utf-16le').decode(memoryOf(module).subarray(at, at + Math.max(length - 2, 0)))
  } finally {
    module.wasmExports.free(at)
  }
}

/*
 * Some pages show every few glyphs with a separate command, as a layer of recognized text does. PDFium then guesses
 * spaces that split words. A guess holds only if its gap is wider than the gaps between letters.
 */

/** The extent of a glyph along the line, and the line's direction. */
interface Glyph {
  readonly start: number
  readonly end: number
  /** The width of an em along the line. */
  readonly em: number
  /** A multiple of a right angle; text at other angles stays as PDFium returns it. */
  readonly direction: Direction
  /** Across the line. */
  readonly baseline: number
}

type Direction = 'right' | 'up' | 'left' | 'down'

const SPACE = 0x20
const FIRST_LETTER = 0x21

/** Reads PDFium's data about the glyphs of a page. */
class Glyphs {
  readonly #at: number

  constructor(
    private readonly library: Pdfium,
    private readonly text: number,
    readonly count: number,
  ) {
    this.#at = library.pdfium.wasmExports.malloc(32)
  }

  free(): void {
    this.library.pdfium.wasmExports.free(this.#at)
  }

  isGuessedSpace(index: number): boolean {
    return (
      this.library.FPDFText_GetUnicode(this.text, index) === SPACE &&
      this.library.FPDFText_IsGenerated(this.text, index) === 1
    )
  }

  /** Undefined for spaces, characters that PDFium generated, and glyphs at odd angles. */
  find(index: number): Glyph | undefined {
    const { library, text } = this
    if (index < 0 || index >= this.count) return undefined
    if (library.FPDFText_GetUnicode(text, index) < FIRST_LETTER) return undefined
    if (library.FPDFText_IsGenerated(text, index) === 1) return undefined
    library.FPDFText_GetMatrix(text, index, this.#at)
    const [a = 0, b = 0] = this.#floats()
    const direction = directionOf(a, b)
    if (!direction || !library.FPDFText_GetLooseCharBox(text, index, this.#at)) return undefined
    const [left = 0, top = 0, right = 0, bottom = 0] = this.#floats()
    const em = library.FPDFText_GetFontSize(text, index) * Math.hypot(a, b)
    const baseline = direction === 'right' || direction === 'left' ? bottom : left
    return { ...extentOf(direction, { left, top, right, bottom }), em, direction, baseline }
  }

  #floats(): Float32Array {
    return new Float32Array(memoryOf(this.library.pdfium).buffer, this.#at, 4)
  }
}

function directionOf(a: number, b: number): Direction | undefined {
  const slack = Math.hypot(a, b) / 100
  if (Math.abs(b) <= slack) return a > 0 ? 'right' : 'left'
  if (Math.abs(a) <= slack) return b > 0 ? 'up' : 'down'
  return undefined
}

function extentOf(
  direction: Direction,
  { left, top, right, bottom }: Record<'left' | 'top' | 'right' | 'bottom', number>,
): { start: number; end: number } {
  if (direction === 'right') return { start: left, end: right }
  if (direction === 'left') return { start: -right, end: -left }
  return direction === 'up' ? { start: bottom, end: top } : { start: -top, end: -bottom }
}

/** Letters with a smaller gap, in ems, are not spaced out, so PDFium's guesses between them hold. */
const LEAST_LETTER_GAP = 0.05
/** Letters with a wider gap, in ems, are words of one letter. */
const WIDEST_LETTER_GAP = 0.6
/** How many times wider than the letter gap a gap within a word may be; a space makes it more than twice as wide. */
const SLACK = 1.6

/** The gap between two neighbouring glyphs of a line in ems; undefined when they are on different lines. */
function gapBetween(before: Glyph | undefined, after: Glyph | undefined): number | undefined {
  if (!before || !after || before.direction !== after.direction) return undefined
  const em = Math.min(before.em, after.em)
  if (!(em > 0) || Math.abs(before.baseline - after.baseline) > em) return undefined
  return (after.start - before.end) / em
}

/** The indexes of the spaces of a page that PDFium guessed within words, ascending. */
export function spacesInWords(library: Pdfium, text: number, count: number): number[] {
  const found: number[] = []
  const glyphs = new Glyphs(library, text, count)
  try {
    for (let index = 1; index < count - 1; index++)
      if (glyphs.isGuessedSpace(index) && isInWord(glyphs, index)) found.push(index)
  } finally {
    glyphs.free()
  }
  return found
}

function isInWord(glyphs: Glyphs, space: number): boolean {
  const gap = gapBetween(glyphs.find(space - 1), glyphs.find(space + 1))
  if (gap === undefined || gap < -1) return false
  const usual = letterGap(glyphs, space)
  return usual >= LEAST_LETTER_GAP && gap <= usual * SLACK
}

/** The distance, in characters, within which to search for a pair of letters. */
const REACH = 40

/** The gap between the nearest two letters of the line that PDFium joined, in ems; 0 when there are none. */
function letterGap(glyphs: Glyphs, space: number): number {
  for (let distance = 1; distance < REACH; distance++) {
    for (const at of [space - distance - 1, space + distance]) {
      const gap = gapBetween(glyphs.find(at), glyphs.find(at + 1))
      if (gap !== undefined && gap < WIDEST_LETTER_GAP) return gap
    }
  }
  return 0
}
