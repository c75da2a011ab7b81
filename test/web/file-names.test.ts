import { expect, test } from 'bun:test'
import { fileName, freeName } from '../../src/web/data/file-names.ts'

test('a title becomes the name of a file on any system', () => {
  expect(fileName('Kiln log, November')).toBe('Kiln log, November')
  expect(fileName('a/b\\c: "d" <e>?*|\n')).toBe('a-b-c- -d- -e-----')
  expect(fileName('Dots...')).toBe('Dots')
  expect(fileName('...')).toBe('Note')
  expect(fileName('é'.repeat(300))).toHaveLength(120)
})

test('no two files of an export have one name, also where capitals do not count', () => {
  const taken = new Set<string>()
  expect(['Log', 'log', 'Log', 'Log 2'].map((name) => freeName(taken, name))).toEqual([
    'Log',
    'log 2',
    'Log 3',
    'Log 2 2',
  ])
  expect(['a.png', 'a.txt', 'A.png', 'a.png'].map((name) => freeName(taken, name))).toEqual([
    'a.png',
    'a.txt',
    'A 2.png',
    'a 3.png',
  ])
})
