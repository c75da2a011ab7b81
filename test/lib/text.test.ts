import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  codePointLength,
  compareCodePoints,
  compareNames,
  fold,
  normalized,
  quoteList,
} from '../../src/lib/text.ts'
import { indexedText } from '../../src/lib/words.ts'
import { runs } from '../support/counts.ts'
import { measureProcessorTime } from '../support/processor-time.ts'

const options = { numRuns: runs(500, 20_000) }
const anyText = fc.string({ unit: 'binary' })

test('folding composes and lower-cases each code point by itself', () => {
  const simpleLower = (character: string) => {
    const lower = character.toLowerCase()
    return Array.from(lower).length === 1 ? lower : Array.from(lower)[0]
  }
  fc.assert(
    fc.property(anyText, (text) => {
      expect(fold(text)).toBe(Array.from(text.normalize('NFC'), simpleLower).join(''))
    }),
    options,
  )
  expect(fold('ΟΔΟΣ')).toBe('οδοσ')
  expect(fold('İSTANBUL')).toBe('istanbul')
  expect(fold('E\u0301')).toBe('é')
  expect(fold('STRASSE')).not.toBe(fold('straße'))
})

test('all but long runs of combining marks is normalised', () => {
  const marks = (count: number) => '\u0301\u0316'.repeat(count / 2)
  for (const text of [`E${marks(90)} `.repeat(50), 'e\u0301', `${'a'.repeat(300)}${marks(98)}`])
    expect(normalized(text, 'NFC')).toBe(text.normalize('NFC'))
  const long = marks(100)
  expect(normalized(`E\u0301 ${long}E\u0301`, 'NFC')).toBe(`É ${long}É`)
  expect(normalized(long, 'NFKD')).toBe(long)
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('e', '\u0301', '\u0316', 'ﾊ', '\uff9e') }), (text) => {
      expect(normalized(text, 'NFKD')).toBe(text.normalize('NFKD'))
    }),
    options,
  )
})

test('folding takes time that is linear in the length of a text, whatever is in it', () => {
  const count = 100_000
  const processorTime = measureProcessorTime()
  for (const unit of ['\u0316\u0301', '\u302b\u302a', '\uff9e\u0316', '\u05c1\u05b0', 'İΣ', '\u0344']) {
    const text = `a${unit.repeat(count / unit.length)}`
    fold(text)
    indexedText(text)
    indexedText(`あ${text}`)
  }
  // With quadratic time, each of the first takes longer than ten seconds.
  expect(processorTime()).toBeLessThan(5_000)
})

test('lengths are counted in code points', () => {
  fc.assert(
    fc.property(anyText, (text) => expect(codePointLength(text)).toBe(Array.from(text).length)),
    options,
  )
})

test('texts are ordered by code point', () => {
  const points = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const expected = (left: number[], right: number[]) => {
    const at = left.findIndex((point, index) => point !== right[index])
    if (at === -1) return Math.sign(left.length - right.length)
    return Math.sign((left[at] ?? 0) - (right[at] ?? -1))
  }
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '\ue000', '\uffff', '\ud7ff', '😀', '\u{10ffff}'),
  })
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(Math.sign(compareCodePoints(left, right))).toBe(expected(points(left), points(right)))
    }),
    options,
  )
})

test('names are ordered ignoring case, those alike by how they are written', () => {
  expect(['b', 'a', 'É', 'A', 'é', 'Z'].toSorted(compareNames)).toEqual(['A', 'a', 'b', 'Z', 'É', 'é'])
})

test('names are listed in a sentence', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(quoteList)).toEqual([
    '',
    '"a"',
    '"a" and "b"',
    '"a", "b" and "c"',
  ])
})
