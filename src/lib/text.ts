/** Plain ASCII, which most text is, needs no normalization. */
export const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text)

/** More combining marks in a row than any language or font uses. */
const LONG_RUN = 100
/** Half-width voiced marks become combining marks in NFKD. */
const RUN_OF_MARKS = new RegExp(`([\\p{M}\\uff9e\\uff9f]{${LONG_RUN},})`, 'u')

/**
 * The text in a Unicode normalization form. Long runs of combining marks stay unchanged: ordering one takes quadratic
 * time, minutes for a value of 100,000 characters.
 */
export function normalized(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  if (text.length < LONG_RUN || !RUN_OF_MARKS.test(text)) return text.normalize(form)
  const parts = text.split(RUN_OF_MARKS)
  return parts.map((part, at) => (at % 2 === 1 ? part : part.normalize(form))).join('')
}

/**
 * The form in which names are compared and sorted without regard to case: NFC, then simple lower-casing of each code
 * point, without the context rules of `toLowerCase`.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  // The only two characters that `toLowerCase` maps to several characters or by context.
  return normalized(text, 'NFC').replaceAll('\u0130', 'i').replaceAll('\u03a3', 'σ').toLowerCase()
}

/** The length in Unicode code points, the unit of every length limit. */
export function codePointLength(text: string): number {
  let length = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(index + 1)
      if (next >= 0xdc00 && next <= 0xdfff) {
        length -= 1
        index += 1
      }
    }
  }
  return length
}

const surrogateOrAbove = (unit: number) => unit >= 0xd800

/** Orders strings by Unicode code point, as SQLite's BINARY collation does for UTF-8. */
export function compareCodePoints(left: string, right: string): number {
  const shared = Math.min(left.length, right.length)
  for (let index = 0; index < shared; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a === b) continue
    // UTF-16 places surrogate pairs below U+E000–U+FFFF; code point order places them above.
    if (surrogateOrAbove(a) && surrogateOrAbove(b)) {
      const aIsSurrogate = a < 0xe000
      const bIsSurrogate = b < 0xe000
      if (aIsSurrogate !== bIsSurrogate) return aIsSurrogate ? 1 : -1
    }
    return a - b
  }
  return left.length - right.length
}

/** Orders names ignoring case; names that differ only in case are ordered by code point. */
export const compareNames = (left: string, right: string): number =>
  compareCodePoints(fold(left), fold(right)) || compareCodePoints(left, right)

/** Whether the text contains a control character (Unicode category Cc: NUL, line breaks, DEL, C1). */
export const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text)

/** Characters that show nothing: white space, controls, formats, and characters that fonts omit or draw blank. */
const INVISIBLE = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+$/u

/** Whether a text that is not empty shows nothing. */
export const isInvisible = (text: string): boolean => INVISIBLE.test(text)

/** Whether a name is refused because it has no visible character; an empty name has the wrong length instead. */
export function isInvisibleName(
  { isName, trimmed }: { readonly isName?: boolean; readonly trimmed?: boolean },
  value: unknown,
): boolean {
  if (isName !== true || typeof value !== 'string') return false
  return isInvisible(trimmed ? value.trim() : value)
}

/** The maximum length of titles and of names of keys, users, workspaces, structures and files, in characters. */
export const MAX_NAME_LENGTH = 500

/** The maximum length of an alias of a note, in characters. */
export const MAX_ALIAS_LENGTH = 200
/** The maximum number of aliases of a note beside `alias`. */
export const MAX_FURTHER_ALIASES = 20

/** The maximum length of a record's text field or a note's text property, in characters. */
export const MAX_TEXT_LENGTH = 100_000

/** Whether the text is 1 to 500 characters long and has no control characters. */
export function isName(text: string): boolean {
  const length = codePointLength(text)
  return length >= 1 && length <= MAX_NAME_LENGTH && !hasControlCharacter(text)
}

/** An integer as written in sentences: `1,234,567`. Avoids `Intl`, whose data delays a start by 2 ms. */
export function withCommas(integer: number): string {
  const digits = String(Math.abs(integer))
  const groups: string[] = []
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end))
  return `${integer < 0 ? '-' : ''}${groups.join(',')}`
}

/** Names as written in sentences: `"a", "b" and "c"`. */
export const quoteList = (names: readonly string[]): string => listed(names.map((name) => `"${name}"`))

/** Words as written in sentences: `a, b and c`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** The text of a heading without the optional closing hashes. */
export function headingText(text: string): string {
  const trimmed = text.trim()
  let end = trimmed.length
  while (trimmed[end - 1] === '#') end -= 1
  const isClosed = end < trimmed.length && (end === 0 || /[ \t]/.test(trimmed[end - 1] ?? ''))
  return isClosed ? trimmed.slice(0, end).trimEnd() : trimmed
}

/** `1 row`, `2 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return value instanceof Uint8Array ? value.byteLength : 0
}

/** The length of the texts and bytes among the values of an object or array, as in a row of a table. */
export function charactersIn(row: unknown): number {
  let length = 0
  if (Array.isArray(row)) for (const value of row) length += lengthOf(value)
  else
    for (const key in row as Record<string, unknown>)
      length += lengthOf((row as Record<string, unknown>)[key])
  return length
}
