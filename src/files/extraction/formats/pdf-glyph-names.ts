import { inflateSync } from 'node:zlib'

/*
 * PDFium knows the characters of common glyph names, but not of the names of ligatures, such as `f_i`: it returns the
 * code of the glyph in its font. The encodings of the fonts, which PDFium does not show, name the glyphs.
 */

/** The characters by code, by the name of the font. */
type Encodings = ReadonlyMap<string, ReadonlyMap<number, string>>

const MAX_INFLATED_BYTES = 67_108_864

const PARTS: ReadonlyMap<string, string> = new Map([
  ['ff', 'ff'],
  ['fi', 'fi'],
  ['fl', 'fl'],
  ['ffi', 'ffi'],
  ['ffl', 'ffl'],
  ['longs', 's'],
])

/** Without an inner bracket, so that a damaged file is read in linear time. */
const NAMED_CODES = /\/Differences\s*\[([^[\]]*)\]/
const NAME_END = '[^\\s/<>[\\]()]+'
const BASE_FONT = new RegExp(`/BaseFont\\s*/(${NAME_END})`)
const TOKEN = new RegExp(`\\d+|/(${NAME_END})`, 'g')

/** The name of a font without the prefix of a subset, which PDFium shows only of fonts that are not embedded. */
export const plainFontName = (name: string): string => name.replace(/^[A-Z]{6}\+/, '')

/** The text of a glyph by its name, as the Adobe Glyph List specifies it; undefined for other names. */
function textOf(name: string): string | undefined {
  const [base = ''] = name.split('.')
  const parts = base.split('_').map((part) => {
    const [, digits] = /^u(?:ni)?([\dA-F]{4})$/.exec(part) ?? []
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16))
    return /^[A-Za-z]$/.test(part) ? part : PARTS.get(part)
  })
  return parts.includes(undefined) ? undefined : parts.join('')
}

/** The objects of a document by number. Objects that cannot be read are left out. */
function objectsIn(bytes: Uint8Array): Map<string, string> {
  const objects = new Map<string, string>()
  let rest = MAX_INFLATED_BYTES
  for (const part of Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('latin1')
    .split('endobj')) {
    const [header, number = ''] = /(\d{1,10})[\r\n\t ]\d{1,5}[\r\n\t ]obj/.exec(part) ?? []
    if (header === undefined) continue
    const body = part.slice(part.indexOf(header) + header.length)
    if (/\/(?:BaseFont|Differences)\b/.test(body)) objects.set(number, body)
    if (!/\/Type\s*\/ObjStm\b/.test(body) || rest <= 0) continue
    const inflated = inflatedStream(body, rest)
    rest -= inflated.length
    for (const [inner, text] of objectsOfStream(body, inflated)) objects.set(inner, text)
  }
  return objects
}

/** The content of a compressed stream; empty for a damaged or encrypted one. */
function inflatedStream(body: string, maxOutputLength: number): string {
  const [mark] = /stream\r?\n/.exec(body) ?? []
  if (mark === undefined) return ''
  const content = Buffer.from(body.slice(body.indexOf(mark) + mark.length), 'latin1')
  try {
    return inflateSync(content, { maxOutputLength }).toString('latin1')
  } catch {
    return ''
  }
}

/** The stream begins with the number and the offset of each object. Objects that overlap are those of a damaged file. */
function* objectsOfStream(body: string, inflated: string): Generator<[number: string, text: string]> {
  const first = Number(/\/First\s+(\d+)/.exec(body)?.[1] ?? 0)
  const numbers = inflated.slice(0, first).match(/\d+/g) ?? []
  let end = 0
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const start = Number(numbers[at + 1])
    if (start < end) continue
    end = Math.max(Number(numbers[at + 3] ?? inflated.length), start)
    const text = inflated.slice(first + start, first + end)
    if (/\/(?:BaseFont|Differences)\b/.test(text)) yield [numbers[at] ?? '', text]
  }
}

/** The characters of glyphs that the fonts of a document name in their encodings. */
export function glyphEncodings(bytes: Uint8Array): Encodings {
  const objects = objectsIn(bytes)
  const encodings = new Map<string, Map<number, string>>()
  for (const body of objects.values()) {
    const [, fullName] = BASE_FONT.exec(body) ?? []
    if (fullName === undefined) continue
    const name = plainFontName(fullName)
    const [, other = ''] = /\/Encoding\s+(\d+)\s+\d+\s+R/.exec(body) ?? []
    const [, differences] = NAMED_CODES.exec(body) ?? NAMED_CODES.exec(objects.get(other) ?? '') ?? []
    if (differences === undefined) continue
    const codes = encodings.get(name) ?? new Map<number, string>()
    addCodes(codes, differences)
    if (codes.size > 0) encodings.set(name, codes)
  }
  return encodings
}

/** Adds codes such as `27 /f_f /f_i`. A code that two encodings of a font name differently stays unknown. */
function addCodes(codes: Map<number, string>, differences: string): void {
  let code = 0
  for (const [token, name] of differences.matchAll(TOKEN)) {
    if (name === undefined) {
      code = Number(token)
      continue
    }
    const plain = name.replace(/#([\dA-Fa-f]{2})/g, (_, digits) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    const text = plain.includes('_') ? textOf(plain) : undefined
    if (text !== undefined) codes.set(code, codes.has(code) && codes.get(code) !== text ? '' : text)
    code += 1
  }
}
