import { decodeText, markedEncoding } from './plain-text.ts'

/** The kinds of file that text can be extracted from. */
const KINDS = ['txt', 'md', 'csv', 'json', 'html', 'pdf', 'docx', 'xlsx', 'pptx'] as const

export type Kind = (typeof KINDS)[number]

export const isKind = (text: string): text is Kind => KINDS.some((kind) => kind === text)

const EXTENSIONS: Readonly<Record<string, Kind>> = {
  txt: 'txt',
  text: 'txt',
  log: 'txt',
  md: 'md',
  markdown: 'md',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  pptx: 'pptx',
  pptm: 'pptx',
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

/** Text contains no NUL bytes, except in UTF-16. */
const isBinary = (beginning: Uint8Array) =>
  markedEncoding(beginning)?.startsWith('utf-16') !== true && beginning.includes(0)

function kindOfContent(beginning: Uint8Array): Kind | undefined {
  const text = latin(beginning)
  if (text.includes('%PDF-')) return 'pdf'
  if (text.startsWith('PK\u0003\u0004')) return PACKAGES.find(([, folder]) => text.includes(folder))?.[0]
  if (isBinary(beginning)) return undefined
  return /^\s*<(?:!doctype html|html)[\s>]/i.test(decodeText(beginning)) ? 'html' : 'txt'
}

/** The kind of a file by its extension, else by its first bytes; undefined when no text can be extracted from it. */
export function kindOf(fileName: string, firstBytes: Uint8Array): Kind | undefined {
  const beginning = firstBytes.subarray(0, SNIFF_BYTES)
  const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
  const named = Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined
  if (named === undefined) return kindOfContent(beginning)
  return TEXT_KINDS.has(named) && isBinary(beginning) ? undefined : named
}

/** The media type by the extension of the file's name. */
export const mimeTypeOf = (fileName: string): string => Bun.file(fileName).type.split(';')[0] ?? ''
