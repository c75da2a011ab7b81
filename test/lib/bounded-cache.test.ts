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

test('computes each result once, even a falsy one', () => {
  const { compute, computed } = counted(10)
  expect([compute('yes'), compute('no'), compute('yes'), compute('no')]).toEqual([true, false, true, false])
  expect(computed).toEqual(['yes', 'no'])
})

test('never exceeds the limit, and returns correct results', () => {
  const { compute, computed } = counted(2)
  const texts = ['a', 'yb', 'a', 'c', 'yb', 'c']
  expect(texts.map(compute)).toEqual([false, true, false, false, true, false])
  expect(computed).toEqual(['a', 'yb', 'c', 'yb'])
})

test('evicts and releases the oldest entry', () => {
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
