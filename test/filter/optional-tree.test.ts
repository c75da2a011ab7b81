import { expect, test } from 'bun:test'
import { parseOptionalTree } from '../../src/filter/tree/parse.ts'

test('a tree may be absent, or null for every note; anything else is parsed', () => {
  expect(parseOptionalTree(undefined, 'filter')).toBeUndefined()
  expect(parseOptionalTree(null, 'filter')).toBeNull()
  expect(() => parseOptionalTree(false, 'filter')).toThrow('"filter"')
})
