import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { changedPassages, type Piece, wordDiff } from '../../src/web/data/word-diff.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', ' ', '\n', '.', 'äö', '日本'), { maxLength: 20 })
  .map((words) => words.join(''))

const without = (pieces: readonly Piece[], kind: Piece['kind']) =>
  pieces.flatMap((piece) => (piece.kind === kind ? [] : [piece.text])).join('')

test('a difference by words holds both texts, byte for byte', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = wordDiff(before, after)
      expect(without(pieces, 'added')).toBe(before)
      expect(without(pieces, 'removed')).toBe(after)
    }),
  )
})

test('passages begin at the changed line and omit distant text', () => {
  const long = 'word '.repeat(100)
  expect(changedPassages(`same\n${long}old ${long}\nsame\n`, `same\n${long}new ${long}\nsame\n`)).toEqual([
    [
      { kind: 'kept', text: `…${long.slice(-80)}` },
      { kind: 'removed', text: 'old' },
      { kind: 'added', text: 'new' },
      { kind: 'kept', text: ` ${long.slice(0, 79)}…` },
    ],
  ])
  expect(changedPassages('same\n', 'same\n')).toEqual([])
})
