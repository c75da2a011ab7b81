import { markedEncoding } from '../../lib/decoders.ts'
import { decodeText } from './formats/plain-text.ts'

const KINDS = ['txt', 'md', 'csv', 'json', 'html', 'pdf', 'docx', 'xlsx', 'pptx', 'rtf'] as const

export type Kind = (typeof KINDS)[number]

export const isKind = (text: string): text is Kind => KINDS.some((kind) => kind === text)

const EXTENSIONS_OF: Readonly<Record<Kind, string>> = {
  txt: 'txt text log',
  md: 'md markdown',
  csv: 'csv tsv',
  json: 'json',
  html: 'html htm xhtml',
  pdf: 'pdf',
  docx: 'docx docm',
  xlsx: 'xlsx xlsm',
  pptx: 'pptx pptm',
  rtf: 'rtf',
}

const TEXT_KINDS: ReadonlySet<Kind> = new Set(['txt', 'md', 'csv', 'json', 'html'])

/** The folder inside the package that only documents of the kind have. */
const PACKAGES: readonly [Kind, string][] = [
  ['docx', 'word/'],
  ['xlsx', 'xl/'],
  ['pptx', 'ppt/'],
]

const SNIFF_BYTES = 8_192

const latin = (bytes: Uint8Array) => new TextDecoder('windows-1252').decode(bytes)

/** Packed data has about one control character in ten bytes, text none. */
const MAX_CONTROL_SHARE = 0.02

const isControl = (byte: number) => byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b

/** Text contains no NUL bytes, except in UTF-16, and almost no other control characters. */
function isBinary(beginning: Uint8Array): boolean {
  if (markedEncoding(beginning)?.startsWith('utf-16')) return false
  return beginning.includes(0) || beginning.filter(isControl).length > beginning.length * MAX_CONTROL_SHARE
}

function kindOfContent(beginning: Uint8Array): Kind | undefined {
  const text = latin(beginning)
  if (text.includes('%PDF-')) return 'pdf'
  if (text.startsWith('{\\rtf')) return 'rtf'
  if (text.startsWith('PK\u0003\u0004')) return PACKAGES.find(([, folder]) => text.includes(folder))?.[0]
  if (isBinary(beginning)) return undefined
  return /^\s*<(?:!doctype html|html)[\s>]/i.test(decodeText(beginning)) ? 'html' : 'txt'
}

const extensionOf = (fileName: string): string => /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''

const namedKind = (extension: string): Kind | undefined =>
  KINDS.find((kind) => EXTENSIONS_OF[kind].split(' ').includes(extension))

/** Pictures and other media have no text, even in text formats such as SVG. */
const isMedia = (fileName: string): boolean => /^(?:image|audio|video|font)\//.test(mimeTypeOf(fileName))

/** The kind of a file by its extension, else by its first bytes; undefined when no text can be extracted from it. */
export function kindOf(fileName: string, firstBytes: Uint8Array): Kind | undefined {
  const beginning = firstBytes.subarray(0, SNIFF_BYTES)
  const named = namedKind(extensionOf(fileName))
  if (named === undefined) return isMedia(fileName) ? undefined : kindOfContent(beginning)
  return TEXT_KINDS.has(named) && isBinary(beginning) ? undefined : named
}

/** Formats of documents that have text, which this program cannot extract. */
const OTHER_DOCUMENTS = new Set(
  'doc dot xls xlsb xlt ppt pps odt ods odp odg epub mobi pages numbers wpd wps one msg pub vsd vsdx'.split(
    ' ',
  ),
)

/**
 * Why a document without a kind (`kindOf`) cannot be read. Undefined for files without text, such as pictures and
 * archives.
 */
export function unreadableReason(fileName: string): string | undefined {
  const extension = extensionOf(fileName)
  if (namedKind(extension) !== undefined) return 'The file is not text, although its name says so.'
  if (!OTHER_DOCUMENTS.has(extension)) return undefined
  return `No text can be read from a document of the kind .${extension}; save it as docx, xlsx, pptx or pdf.`
}

export const mimeTypeOf = (fileName: string): string => Bun.file(fileName).type.split(';')[0] ?? ''

/** Whether a text has the form of a media type, so that it can be sent as a header. */
export const isMimeType = (text: string): boolean => /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(text)

/** The media type of a stored file, or of its name if a copy of a workspace had an invalid type. */
export const shownMimeType = ({ mimeType, fileName }: { mimeType: string; fileName: string }): string =>
  isMimeType(mimeType) ? mimeType : mimeTypeOf(fileName)
