import { expect, test } from 'bun:test'
import { sittingsOf } from '../../src/web/pages/notes/details/sittings.ts'

const revision = (id: string, minute: number, surface = 'web') => ({
  id,
  surface,
  created_at: new Date(minute * 60_000).toISOString(),
  title: '',
  content: '',
})

test('edits are one sitting until a long pause, or until they come another way', () => {
  const newestFirst = [
    revision('f', 61),
    revision('e', 60, 'mcp'),
    revision('d', 59),
    revision('c', 45),
    revision('b', 20),
    revision('a', 5),
  ]
  const found = sittingsOf(newestFirst).map(({ first, revisions }) => [
    first.id,
    revisions.map(({ id }) => id).join(''),
  ])
  expect(found).toEqual([
    ['f', 'f'],
    ['e', 'e'],
    ['c', 'dc'],
    ['a', 'ba'],
  ])
  expect(sittingsOf([])).toEqual([])
})
