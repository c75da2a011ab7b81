import { expect, test } from 'bun:test'
import { parseOptionalTree, parseTree } from '../../src/filter/tree/parse.ts'

test('a tree may be absent, or null for every note; anything else is parsed', () => {
  expect(parseOptionalTree(undefined, 'filter')).toBeUndefined()
  expect(parseOptionalTree(null, 'filter')).toBeNull()
  expect(() => parseOptionalTree(false, 'filter')).toThrow('"filter"')
})

test.each([
  { type: 'tags', op: 'has_any', tag_ids: [1] },
  { type: 'property', def_id: 'p', op: 'empty' },
  { type: 'field', field: 'title', op: 'empty' },
])('a tree has at most 50 conditions such as %j', (condition) => {
  const tree = (count: number) => ({ type: 'group', match: 'all', children: Array(count).fill(condition) })
  expect(parseTree(tree(50), 'filter')).toMatchObject({ children: { length: 50 } })
  expect(() => parseTree(tree(51), 'filter')).toThrow('holds 51 conditions; 50 are allowed')
})

test('a tree has at most 500 nodes', () => {
  const empty = { type: 'group', match: 'all', children: [] }
  const tree = (count: number) => ({ ...empty, children: Array(count).fill(empty) })
  expect(parseTree(tree(499), 'filter')).toMatchObject({ children: { length: 499 } })
  expect(() => parseTree(tree(500), 'filter')).toThrow('at most 500 nodes')
})
