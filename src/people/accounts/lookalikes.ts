import { fold, normalized } from '../../lib/text.ts'

/*
 * Treats names of users and workspaces that look the same as one name. A skeleton replaces Cyrillic and Greek letters
 * by the Latin letters that they resemble, after the confusables of Unicode Technical Standard 39.
 */

const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ',
  b: 'вьβʙ',
  c: 'сςᴄ',
  d: 'ԁᴅ',
  e: 'еҽεᴇ',
  f: 'ғ',
  g: 'ɡ',
  h: 'нһʜ',
  i: 'іιıɩɪ',
  j: 'јϳᴊ',
  k: 'кκᴋ',
  l: 'ӏʟ',
  m: 'мᴍ',
  n: 'ηɴ',
  o: 'оοσᴏ',
  p: 'рρᴘ',
  q: 'ԛ',
  r: 'гʀ',
  s: 'ѕꜱ',
  t: 'тτᴛ',
  u: 'υμᴜ',
  v: 'ѵνᴠ',
  w: 'ԝωᴡ',
  x: 'хχ',
  y: 'уүγʏ',
  z: 'ζᴢ',
}

/** Greek letters whose upper and lower case resemble different Latin letters. */
const UPPER_LOOKALIKES: Readonly<Record<string, string>> = { h: 'η', m: 'μ', n: 'ν', y: 'υ' }

const entriesOf = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).flatMap(([latin, letters]) =>
    Array.from(letters, (letter): [string, string] => [letter, latin]),
  )

const LATIN = new Map(entriesOf(LOOKALIKES))
const UPPER_LATIN = new Map([...LATIN, ...entriesOf(UPPER_LOOKALIKES)])

const skeletonBy = (latin: ReadonlyMap<string, string>, key: string): string =>
  Array.from(key, (letter) => latin.get(letter) ?? letter).join('')

/** The skeletons of a name that is already folded (blanks, width, case); the first one is stored. */
export function skeletonsOf(key: string): readonly [stored: string, upper: string] {
  const letters = fold(normalized(key, 'NFKD'))
  const [stored, upper] = [skeletonBy(LATIN, letters), skeletonBy(UPPER_LATIN, letters)]
  return [normalized(stored, 'NFC'), normalized(upper, 'NFC')]
}
