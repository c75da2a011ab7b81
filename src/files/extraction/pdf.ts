import pdfium = require('@embedpdf/pdfium')

import wasm from '@embedpdf/pdfium/pdfium.wasm' with { type: 'file' }
import { type Extracted, MOST_PAGES, PageCollector, tooManyPages, Unreadable } from './document.ts'

type Pdfium = Awaited<ReturnType<typeof pdfium.init>>

const NEEDS_PASSWORD = 4

const damaged = () => new Unreadable('The file is not a whole PDF document.')

/** PDFium, compiled to run in a sandbox of its own. */
async function startPdfium(): Promise<Pdfium> {
  const library = await pdfium.init({ wasmBinary: await Bun.file(wasm).arrayBuffer() })
  library.PDFiumExt_Init()
  return library
}

/** The memory of the sandbox as it is now: it moves when it grows. */
const memoryOf = (sandbox: Pdfium['pdfium']) => (sandbox as unknown as { HEAPU8: Uint8Array }).HEAPU8

/** Copies bytes into the sandbox; they stay there until the process ends. */
function placed({ pdfium: sandbox }: Pdfium, bytes: Uint8Array): number {
  const at = sandbox.wasmExports.malloc(bytes.length)
  memoryOf(sandbox).set(bytes, at)
  return at
}

function openDocument(library: Pdfium, bytes: Uint8Array): number {
  const document = library.FPDF_LoadMemDocument(placed(library, bytes), bytes.length, '')
  if (document !== 0) return document
  throw library.FPDF_GetLastError() === NEEDS_PASSWORD
    ? new Unreadable('The file is protected by a password.')
    : damaged()
}

/** Lets `fill` write at most so many bytes of UTF-16 and answer how many; the last character only ends the text. */
function textOf({ pdfium: sandbox }: Pdfium, most: number, fill: (at: number) => number): string {
  const at = sandbox.wasmExports.malloc(most)
  try {
    const length = Math.min(fill(at), most)
    return new TextDecoder('utf-16le').decode(memoryOf(sandbox).subarray(at, at + Math.max(length - 2, 0)))
  } finally {
    sandbox.wasmExports.free(at)
  }
}

/** PDFium's two signs for a hyphen at the end of a line, which only the line break needed. */
const withoutSoftHyphens = (text: string): string =>
  text.replaceAll('\u0002', '\ufffe').replace(/\ufffe(?:\r?\n)?/g, '')

/** The text of one page; a page that cannot be read is empty. */
function readPage(library: Pdfium, document: number, index: number): string {
  const page = library.FPDF_LoadPage(document, index)
  if (page === 0) return ''
  const text = library.FPDFText_LoadPage(page)
  try {
    const units = text === 0 ? 0 : library.FPDFText_CountChars(text)
    if (units <= 0) return ''
    // A character may be a pair of units.
    const most = units * 4 + 2
    return withoutSoftHyphens(textOf(library, most, (at) => library.FPDFText_GetText(text, 0, units, at) * 2))
  } finally {
    library.FPDFText_ClosePage(text)
    library.FPDF_ClosePage(page)
  }
}

const DEEPEST_LEVEL = 20
const MOST_BOOKMARKS = 10_000

function pageOfBookmark(library: Pdfium, document: number, bookmark: number): number {
  const destination =
    library.FPDFBookmark_GetDest(document, bookmark) ||
    library.FPDFAction_GetDest(document, library.FPDFBookmark_GetAction(bookmark))
  return destination === 0 ? -1 : library.FPDFDest_GetDestPageIndex(document, destination)
}

function titleOfBookmark(library: Pdfium, bookmark: number): string {
  const bytes = library.FPDFBookmark_GetTitle(bookmark, 0, 0)
  return textOf(library, bytes, (at) => library.FPDFBookmark_GetTitle(bookmark, at, bytes))
}

/** Calls `visit` for every bookmark in the order of the document; bookmarks may lead round in a circle. */
function visitBookmarks(
  library: Pdfium,
  document: number,
  visit: (bookmark: number, level: number) => void,
  parent = 0,
  level = 1,
  seen = new Set<number>(),
): void {
  let bookmark = library.FPDFBookmark_GetFirstChild(document, parent)
  while (bookmark !== 0 && !seen.has(bookmark) && seen.size < MOST_BOOKMARKS) {
    seen.add(bookmark)
    visit(bookmark, level)
    if (level < DEEPEST_LEVEL) visitBookmarks(library, document, visit, bookmark, level + 1, seen)
    bookmark = library.FPDFBookmark_GetNextSibling(document, bookmark)
  }
}

/** The text of a PDF document, of a scanned one empty pages; the bookmarks are the outline. */
export async function readPdf(bytes: Uint8Array): Promise<Extracted> {
  const library = await startPdfium()
  const document = openDocument(library, bytes)
  const count = library.FPDF_GetPageCount(document)
  if (count < 1) throw damaged()
  if (count > MOST_PAGES) throw tooManyPages()
  const collector = new PageCollector()
  const numbers: number[] = []
  for (let index = 0; index < count; index++) numbers.push(collector.add(readPage(library, document, index)))
  visitBookmarks(library, document, (bookmark, level) => {
    const page = numbers[pageOfBookmark(library, document, bookmark)]
    if (page !== undefined) collector.addSection(titleOfBookmark(library, bookmark), level, page)
  })
  return collector.finish()
}
