import type { Extracted } from './document.ts'
import { readDocx } from './docx.ts'
import { readHtml } from './html.ts'
import type { Kind } from './kinds.ts'
import { readPdf } from './pdf.ts'
import { readMarkdown, readPlain } from './plain.ts'
import { readPptx } from './pptx.ts'
import { readXlsx } from './xlsx.ts'

const READERS: Record<Kind, (bytes: Uint8Array) => Extracted | Promise<Extracted>> = {
  txt: readPlain,
  csv: readPlain,
  json: readPlain,
  md: readMarkdown,
  html: readHtml,
  pdf: readPdf,
  docx: readDocx,
  xlsx: readXlsx,
  pptx: readPptx,
}

/** Reads the text out of a file. Throws Unreadable; may run for ever, or out of memory, on a hostile one. */
export const readDocument = async (kind: Kind, bytes: Uint8Array): Promise<Extracted> => READERS[kind](bytes)
