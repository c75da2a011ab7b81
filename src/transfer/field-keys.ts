import { normalized } from '../lib/text.ts'

/** The longest key that a field or a property may have. */
export const MAX_KEY_LENGTH = 63

/** The text in lower case and without accents, as the start of a key. */
export const unaccented = (text: string): string =>
  normalized(text, 'NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The key itself, or with a number appended when it is taken. */
export function freeKey(key: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `_${number}`
    const numbered = `${key.slice(0, MAX_KEY_LENGTH - suffix.length)}${suffix}`
    if (!taken.has(numbered)) return numbered
  }
}
