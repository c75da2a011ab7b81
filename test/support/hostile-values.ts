import fc from 'fast-check'
import type { ValuesByType } from './record-oracle.ts'

/*
 * Values that most often break folding, comparing, splitting into runs, or storing text and numbers. The lists are
 * short, so that equal values, and values that differ by case or normalization form alone, meet often.
 */

/** Without the empty text. */
export const HOSTILE_TEXTS = [
  'a',
  'A',
  'ab',
  'É',
  'é',
  'e\u0301',
  'E\u0301\u0323',
  '\u1e0b\u0323',
  'ß',
  'ẞ',
  'ss',
  'Straße',
  'STRASSE',
  'İ',
  'i\u0307',
  'ı',
  'I',
  'i',
  'Σ',
  'ς',
  'σ',
  'ΟΔΟΣ',
  'οδος',
  'ﬁ',
  'fi',
  'Ǆ',
  'ǅ',
  'ǆ',
  'K',
  'k',
  'Å',
  'å',
  'A\u030a',
  '한국',
  '\u1112\u1161\u11ab',
  '日本語',
  '東京大学',
  'ภาษาไทย',
  'น้ำ',
  '😀',
  '👩\u200d👧',
  '🇩🇪',
  '𐐀',
  '𐐨',
  '\ue001',
  '\uffee',
  '\ufffd',
  `z${'\u0301'.repeat(40)}`,
  "'",
  '"',
  '""',
  '%',
  '_',
  '\\',
  'a%b_c\\d',
  'first\nsecond',
  'a\r\nb',
  'tab\there',
  ' ',
  ' a ',
  '0',
  '0.1',
  '1e21',
  '9007199254740993',
  '-9e999',
  'true',
  'null',
  '2026-11-21',
  'NOT a OR b*',
  'NEAR("a")',
] as const

const MAX = 1.7976931348623157e308

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  5,
  0.1,
  0.2,
  0.30000000000000004,
  -2.5,
  5e-324,
  -5e-324,
  2.2250738585072014e-308,
  1e308,
  -1e308,
  MAX,
  1e21,
  1e-7,
  123456789.125,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53),
  2 ** 63,
  10,
]

const DATES = ['0000-01-01', '0001-01-01', '0001-12-31', '1999-12-31', '2024-02-29', '2026-11-21']
const INSTANTS = [
  '0001-01-01T00:00:00Z',
  '1950-06-01T12:00:00-05:00',
  '2026-11-21T00:00:00Z',
  '2026-11-21T23:59:59.999Z',
  '2026-11-22T00:30:00+02:00',
  '9999-12-31T23:59:59.999Z',
]

export const HOSTILE_VALUES: ValuesByType = {
  text: ['', ...HOSTILE_TEXTS],
  select: ['open', 'Open', 'done', 'İ', 'ß', 'ẞ', 'é', 'e\u0301', "'", 'a\nb'],
  number: NUMBERS,
  date: [...DATES, '2026-11-22', '9999-12-31'],
  time: ['00:00', '00:00:00', '09:30', '09:30:01', '23:59:59'],
  datetime: INSTANTS,
  bool: [true, false],
  several: ['open', 'Open', 'İ', 'ß', 'é', 'e\u0301', "'", '"', '","', '\\', '😀', '%'],
}

/** Joins several hostile texts, so that most rows differ and share parts. */
export const arbitraryLongText: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom(...HOSTILE_TEXTS), { minLength: 1, maxLength: 14 }),
    fc.constantFrom('', '', ' ', '-'),
  )
  .map(([parts, between]) => parts.join(between))

/** Returns 1 to 200 characters of a text, in its composed form. */
export const partOf = (text: string): fc.Arbitrary<string> => {
  const points = Array.from(text.normalize('NFC'))
  return fc
    .tuple(fc.nat(Math.max(0, points.length - 1)), fc.integer({ min: 1, max: 200 }))
    .map(([from, length]) => points.slice(from, from + length).join(''))
}
