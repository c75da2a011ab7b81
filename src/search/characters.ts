/** How search sees a character. */
export const SEPARATOR = 0
/** Part of a word of a script that puts spaces between words. */
export const LETTER = 1
/** A character of a script without spaces: every two neighbours are a term. */
export const UNSPACED = 2
export type CharacterClass = typeof SEPARATOR | typeof LETTER | typeof UNSPACED

/** A soft hyphen only says where a word may be broken. */
const IN_WORDS = /^[\p{L}\p{N}\p{M}\u00ad]$/u
const OF_UNSPACED_SCRIPT =
  /^[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u

function classify(character: string): CharacterClass {
  if (!IN_WORDS.test(character)) return SEPARATOR
  return OF_UNSPACED_SCRIPT.test(character) ? UNSPACED : LETTER
}

const UNKNOWN = 255
const known = new Map<number, CharacterClass>()
const basicPlane = new Uint8Array(0x10000).fill(UNKNOWN)

/** The class of a code point; remembered, because asking a regular expression is slow. */
export function classOf(codePoint: number): CharacterClass {
  const memoize = codePoint < 0x10000 ? basicPlane[codePoint] : known.get(codePoint)
  if (memoize !== undefined && memoize !== UNKNOWN) return memoize as CharacterClass
  const found = classify(String.fromCodePoint(codePoint))
  if (codePoint < 0x10000) basicPlane[codePoint] = found
  else known.set(codePoint, found)
  return found
}
