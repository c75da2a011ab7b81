import { expect, test } from 'bun:test'
import { joined } from '../../src/web/pages/notes/details/joined.ts'

const revisions = (...ids: string[]) => ids.map((id) => ({ id }))

const ids = (found: readonly { id: string }[] | undefined) => found?.map(({ id }) => id).join('')

test('revisions that are new come before those that were read, each once', () => {
  expect(ids(joined(revisions('d', 'c'), revisions('c', 'b', 'a')))).toBe('dcba')
  expect(ids(joined(revisions('b', 'a'), revisions('b', 'a')))).toBe('ba')
})

test('where so many are new that some between were not read, the two are not joined', () => {
  expect(joined(revisions('f', 'e'), revisions('c', 'b', 'a'))).toBeUndefined()
})
