import { expect, test } from 'bun:test'
import { BoundedCache, memoize } from '../../src/lib/bounded-cache.ts'

function counted(limit: number) {
  const computed: string[] = []
  const compute = memoize((text: string) => {
    computed.push(text)
    return text.startsWith('y')
  }, limit)
  return { compute, computed }
}

test('a result is computed once, also one that says no', () => {
  const { compute, computed } = counted(10)
  expect([compute('yes'), compute('no'), compute('yes'), compute('no')]).toEqual([true, false, true, false])
  expect(computed).toEqual(['yes', 'no'])
})

test('no more results are kept than the limit, and all of them stay right', () => {
  const { compute, computed } = counted(2)
  const texts = ['a', 'yb', 'a', 'c', 'yb', 'c']
  expect(texts.map(compute)).toEqual([false, true, false, false, true, false])
  expect(computed).toEqual(['a', 'yb', 'c', 'yb'])
})

test('the entry that was set first leaves, and is released', () => {
  const released: number[] = []
  const cache = new BoundedCache<string, number>(2, (value) => released.push(value))
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('b', 3)
  cache.set('c', 4)
  expect([cache.get('a'), cache.get('b'), cache.get('c'), released]).toEqual([undefined, 3, 4, [1]])
  cache.clear()
  expect([cache.get('c'), released]).toEqual([undefined, [1, 3, 4]])
})
