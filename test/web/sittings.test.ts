import { expect, test } from 'bun:test'
import { editSessionsOf } from '../../src/web/pages/notes/details/edit-sessions.ts'

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
  const found = editSessionsOf(newestFirst, new Map()).map(({ first, revisions }) => [
    first.id,
    revisions.map(({ id }) => id).join(''),
  ])
  expect(found).toEqual([
    ['f', 'f'],
    ['e', 'e'],
    ['c', 'dc'],
    ['a', 'ba'],
  ])
  expect(editSessionsOf([], new Map())).toEqual([])
})

test('edits of two people are two sittings', () => {
  const [later, earlier] = [revision('b', 2), revision('a', 1)]
  const authors = new Map([
    [later.created_at, 'Edith'],
    [earlier.created_at, 'Ida'],
  ])
  expect(editSessionsOf([later, earlier], authors).map(({ author, first }) => [author, first.id])).toEqual([
    ['Edith', 'b'],
    ['Ida', 'a'],
  ])
})
