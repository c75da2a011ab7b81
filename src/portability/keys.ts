/** The longest key that a field or a property may have. */
export const LONGEST_KEY = 63

/** A text in lower case and without accents, of which a key can be made. */
export const unaccented = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** A key that is taken gets a number at its end. */
export function freeKey(key: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `_${number}`
    const numbered = `${key.slice(0, LONGEST_KEY - end.length)}${end}`
    if (!taken.has(numbered)) return numbered
  }
}
