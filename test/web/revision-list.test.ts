import { expect, test } from 'bun:test'
import { joinRevisions } from '../../src/web/pages/notes/details/join-revisions.ts'

const revisions = (...ids: string[]) => ids.map((id) => ({ id }))

const ids = (found: readonly { id: string }[] | undefined) => found?.map(({ id }) => id).join('')

test('revisions that are new come before those that were read, each once', () => {
  expect(ids(joinRevisions(revisions('d', 'c'), revisions('c', 'b', 'a')))).toBe('dcba')
  expect(ids(joinRevisions(revisions('b', 'a'), revisions('b', 'a')))).toBe('ba')
})

test('where so many are new that some between were not read, the lists are not joined', () => {
  expect(joinRevisions(revisions('f', 'e'), revisions('c', 'b', 'a'))).toBeUndefined()
})
