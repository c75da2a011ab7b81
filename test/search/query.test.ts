import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { indexedText, parseSearch, wordsOf } from '../../src/lib/words.ts'
import { runs } from '../support/counts.ts'

test('repeated search terms count once, and a term cannot be required and excluded', () => {
  const phrases = parseSearch('loom* Loom* "a card" loom -loom* "A CARD" -loom* loom')
  expect(phrases.map(({ terms, isPrefix, isExcluded }) => [terms.join(' '), isPrefix, isExcluded])).toEqual([
    ['loom', true, false],
    ['a card', false, false],
    ['loom', false, false],
    ['loom', true, true],
  ])
  expect(parseSearch(Array(200).fill('x*').join(' '))).toHaveLength(1)
})

test('the index splits a text into the words that searches look for', () => {
  // The tokenizer of the search tables.
  const split = (text: string) =>
    text
      .split(/[^0-9A-Za-z\P{ASCII}]+/u)
      .filter((word) => word !== '')
      .map((word) => word.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
  const unit = fc.oneof(
    fc.constantFrom(...'  .-+#_cCfnNet0zéÉ日本ー한กา\u0301\u00ad\u00a0\u0130ß①⑴$<', '🎉', '𠮷'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  )
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const words = wordsOf(text).flatMap(({ term }) => split(term))
      expect(split(indexedText(text)).slice(0, words.length)).toEqual(words)
    }),
    { numRuns: runs(1_000, 20_000) },
  )
})
