import { readDocx } from './formats/docx.ts'
import { readHtml } from './formats/html.ts'
import { readPdf } from './formats/pdf.ts'
import { readMarkdown, readPlain } from './formats/plain-text.ts'
import { readPptx } from './formats/pptx.ts'
import { readRtf } from './formats/rtf.ts'
import { readXlsx } from './formats/xlsx.ts'
import type { Kind } from './kinds.ts'
import type { ExtractedText } from './pages.ts'

const READERS: Record<Kind, (bytes: Uint8Array) => ExtractedText | Promise<ExtractedText>> = {
  txt: readPlain,
  csv: readPlain,
  json: readPlain,
  md: readMarkdown,
  html: readHtml,
  pdf: readPdf,
  docx: readDocx,
  xlsx: readXlsx,
  pptx: readPptx,
  rtf: readRtf,
}

/** Extracts the text of a file. Throws Unreadable; a hostile file may make it hang or run out of memory. */
export const readDocument = async (kind: Kind, bytes: Uint8Array): Promise<ExtractedText> =>
  READERS[kind](bytes)
