import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { FileNames, splitExtension } from '../../src/transfer/workspace/format.ts'
import { runs } from '../support/counts.ts'

test.each([
  ['report.pdf', 'report', '.pdf'],
  ['archive.tar.gz', 'archive.tar', '.gz'],
  ['.hidden', '.hidden', ''],
  ['plain', 'plain', ''],
  ['ends.', 'ends.', ''],
  ['a.日本', 'a.日本', ''],
  [`a.${'b'.repeat(17)}`, `a.${'b'.repeat(17)}`, ''],
])('%s is split into %s and %s', (fileName, name, extension) => {
  expect(splitExtension(fileName)).toEqual([name, extension])
})

test('any name becomes one that is valid on every system', () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 500 }),
    fc.constantFrom('😀', '日', 'a', '.').map((letter) => letter.repeat(500)),
  )
  fc.assert(
    fc.property(name, (fileName) => {
      const stored = new FileNames().take(...splitExtension(fileName))
      expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(230)
      expect(stored).toMatch(/^[^-.\s\p{C}\\/:*?"<>|][^\p{C}\\/:*?"<>|]*$/u)
      expect(stored).not.toMatch(/[.\s]$/)
    }),
    { numRuns: runs(200, 10_000) },
  )
})

test.each(['-rf', '--help', 'COM¹', 'lpt³.txt', 'con .md', 'NUL', 'CONIN$', 'com0.log'])(
  'no file is called %s, which a program or system takes for something else',
  (name) => {
    expect(new FileNames().take(name, '.md')).toBe(`_${name}.md`)
  },
)

test('names that some file system treats as equal are made different', () => {
  const names = new FileNames()
  const taken = ['Straße', 'STRASSE', 'straße', 'ΣΑΣ', 'σας'].map((name) => names.take(name, '.md'))
  expect(taken).toEqual(['Straße.md', 'STRASSE (2).md', 'straße (3).md', 'ΣΑΣ.md', 'σας (2).md'])
})
