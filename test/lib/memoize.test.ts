import { expect, test } from 'bun:test'
import { memoize } from '../../src/lib/memoize.ts'

function counted(most: number) {
  const found: string[] = []
  const find = memoize((text) => {
    found.push(text)
    return text.startsWith('y')
  }, most)
  return { find, found }
}

test('an answer is found once, also one that says no', () => {
  const { find, found } = counted(10)
  expect([find('yes'), find('no'), find('yes'), find('no')]).toEqual([true, false, true, false])
  expect(found).toEqual(['yes', 'no'])
})

test('no more answers are kept than were asked for, and all of them stay right', () => {
  const { find, found } = counted(2)
  const texts = ['a', 'yb', 'c', 'a', 'yb', 'yb']
  expect(texts.map(find)).toEqual([false, true, false, false, true, true])
  expect(found).toEqual(['a', 'yb', 'c', 'a', 'yb'])
})
