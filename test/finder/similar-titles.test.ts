import { expect, test } from 'bun:test'
import { findNotes, type NoteReads } from '../../src/search/find-notes.ts'

interface Note {
  readonly id: string
  readonly title: string
  readonly alias: string | null
  readonly aliases?: readonly string[]
}

/** Reads that return these notes for the pieces of a word, and nothing for the words themselves. */
const similarTo = (notes: readonly Note[]): NoteReads<Note> => ({
  lastEdited: () => [],
  named: (filter) =>
    filter.type === 'group' && filter.children.some(({ type }) => type === 'group') ? notes : [],
  withWords: () => [],
})

const note = (title: string): Note => ({ id: title, title, alias: null })

test.each([
  ['weels', 'Wheels', 'a missing letter'],
  ['whheels', 'Wheels', 'an additional letter'],
  ['wjeels', 'Wheels', 'a changed letter'],
  ['handbok', 'Engine handbooks of 1900', 'the beginning of a later word'],
  ['hnadbook', 'Handbook', 'two letters that changed places in a long word'],
])('"%s" finds "%s": %s', (text, title) => {
  const found = findNotes(similarTo([note(title)]), text, 8)
  expect(found.map(({ match }) => match)).toEqual(['similar_title'])
})

test.each([
  ['whels', 'Wagons'],
  ['wjjels', 'Wheels'],
  ['hnadbokk', 'Handbag'],
  ['wheelsthatturn', 'Wheels'],
])('"%s" with more errors does not find "%s"', (text, title) => {
  expect(findNotes(similarTo([note(title)]), text, 8)).toEqual([])
})

test('the longest names of all candidates are compared fast', () => {
  const names = Array.from({ length: 20 }, (_, at) => 'ab'.repeat(95) + at)
  const notes = Array.from({ length: 200 }, (_, at) => ({
    ...note('ab'.repeat(245) + at),
    aliases: names,
  }))
  const began = performance.now()
  expect(findNotes(similarTo(notes), `${'ab'.repeat(240)}${'c'.repeat(20)}`, 8)).toEqual([])
  expect(performance.now() - began).toBeLessThan(2_000)
})
