const LOWERS_DIFFERENTLY = /[\u0130\u03a3]/

/** Plain ASCII needs no normalisation, and most text is. */
export const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text)

const lowerCodePoint = (character: string) => (character === '\u0130' ? 'i' : character.toLowerCase())

/**
 * The form in which names are compared and sorted ignoring case: NFC, then simple lower-casing of each code point,
 * without the context rules of `toLowerCase`.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  const composed = text.normalize('NFC')
  if (!LOWERS_DIFFERENTLY.test(composed)) return composed.toLowerCase()
  return Array.from(composed, lowerCodePoint).join('')
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

/** Whether the text holds a control character (Unicode category Cc: NUL, line breaks, DEL, C1). */
export const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text)

/** Names for a sentence: `"a", "b" and "c"`. */
export function quoteList(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`)
  const last = quoted.pop() ?? ''
  return quoted.length === 0 ? last : `${quoted.join(', ')} and ${last}`
}
