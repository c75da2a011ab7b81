import { expect, test } from 'bun:test'
import { findPassage, matchesOf, passageAt } from '../../src/lib/passage.ts'

const TEXT = 'One mill stands here. The other mill stands by the river, and nobody asks about it.'
const at = (text: string, index: number) => passageAt(text, text.indexOf('mill', index), 4)
const found = (content: string, passage: ReturnType<typeof at>) => {
  const range = findPassage(content, passage)
  return range && content.slice(range.from, range.to)
}

test('a passage is found again by its context, wherever edits move it', () => {
  const second = at(TEXT, 10)
  expect(findPassage(`New.\n\n${TEXT}`, second)?.from).toBe(6 + TEXT.indexOf('mill', 10))
  expect(findPassage(TEXT.replace('One', 'A'), second)?.from).toBe(TEXT.indexOf('mill', 10) - 2)
})

test('a passage whose own words were edited is found between its context; a deleted one is not', () => {
  const second = at(TEXT, 10)
  const edited = TEXT.replace('The other mill', 'The other windmill').replace('One mill', 'One tower')
  expect(found(edited, second)).toBe('mill')
  expect(found(edited.replace('windmill', 'engine'), second)).toBe('engine')
  expect(found('Something else.', second)).toBeUndefined()
})

test('the context of a passage never splits a character, and matches what was sent', () => {
  const content = `${'😀'.repeat(30)}x${'😀'.repeat(30)}`
  const passage = passageAt(content, content.indexOf('x'), 1)
  expect([passage.before.isWellFormed(), passage.after.isWellFormed()]).toEqual([true, true])
  expect(matchesOf(content, passage)).toEqual([60])
})

test('a text that occurs very often is found by its context', () => {
  const content = `${'a '.repeat(2_000)}once a`
  expect(matchesOf(content, { text: 'a', before: 'once ', after: '' })).toEqual([4_005])
})
