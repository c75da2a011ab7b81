import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { measureProcessorTime } from '../support/processor-time.ts'
import { newVaultTest, type VaultTest } from '../support/vault.ts'

let vault: VaultTest

beforeEach(async () => {
  vault = await newVaultTest()
})
afterEach(() => vault.remove())

describe('a body', () => {
  const long = 1_000_000
  const PIECES: [string, string, string?, string?][] = [
    ['brackets', '['],
    ['double brackets', '[[a'],
    ['links never closed', '[a]('],
    ['links into each other', '[](<'],
    ['links with titles never closed', '[a](b "'],
    ['blanks in a link', `[a](b${' '.repeat(1_000)}`],
    ['signs of parts', '[[#'],
    ['references', '[a][b'],
    ['labels never closed', '[a\n]: b\n\n[a\\'],
    ['definitions', '[a]: b "c\n'],
    ['a definition with blanks', '[a]: b\n[b]: c', ' ', 'x'],
    ['signs of tags', '#a'],
    ['tags', '#a '],
    ['backticks', '`a``'],
    ['backslashes', '\\'],
    ['signs of parts in one link', '[[', '#', ']]'],
    ['steps up', '[[', '../', ']]'],
  ]
  test.each(PIECES.map(([name, some, more = some, end = '']) => ({ name, some, more, end })))(
    'of a million characters of $name is read in a moment',
    async ({ some, more, end }) => {
      vault.write({ 'Note.md': some + more.repeat((long - some.length - end.length) / more.length) + end })
      const processorTime = measureProcessorTime()
      expect((await vault.run()).exitCode).toBe(0)
      expect(processorTime()).toBeLessThan(3_000)
    },
  )
})
