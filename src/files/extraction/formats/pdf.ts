import wasm from '@embedpdf/pdfium/pdfium.wasm' with { type: 'file' }
import { embeddedFile } from '../../../lib/program.ts'
import { type ExtractedText, MAX_PAGES, PageCollector, tooManyPages, Unreadable } from '../pages.ts'
import { spacesInWords } from './pdf-gaps.ts'

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

/** The text of one page; a page that cannot be read is empty. */
function readPage(library: Pdfium, document: number, index: number): string {
  const page = library.FPDF_LoadPage(document, index)
  if (page === 0) return ''
  const text = library.FPDFText_LoadPage(page)
  try {
    const count = text === 0 ? 0 : library.FPDFText_CountChars(text)
    let words = ''
    let from = 0
    for (const space of [...spacesInWords(library, text, count), count]) {
      words += readCharacters(library, text, from, space - from)
      from = space + 1
    }
    return withoutSoftHyphens(words)
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
  for (let index = 0; index < count; index++) numbers.push(collector.add(readPage(library, document, index)))
  visitBookmarks(library, document, (bookmark, level) => {
    const page = numbers[pageOfBookmark(library, document, bookmark)]
    if (page !== undefined) collector.addSection(titleOfBookmark(library, bookmark), level, page)
  })
  return collector.finish()
}

import pdfium = require('@embedpdf/pdfium')

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
