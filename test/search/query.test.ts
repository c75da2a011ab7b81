import { expect, test } from 'bun:test'
import { parseSearch } from '../../src/lib/words.ts'

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
