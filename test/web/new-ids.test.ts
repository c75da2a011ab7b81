import { expect, test } from 'bun:test'
import { isId } from '../../src/lib/ids.ts'
import { newIds } from '../../src/web/data/new-ids.ts'

test('ids generated at once are valid and ascend, however many there are', () => {
  const ids = newIds(10_000)
  expect(ids.filter((id) => !isId(id))).toEqual([])
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(10_000)
})
