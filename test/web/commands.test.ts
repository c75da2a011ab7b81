import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { COMMANDS } from '../../src/cli/run.ts'

/** A `daybook` command in a sentence: `daybook`, its words, then the first character that is not part of it. */
const COMMAND = /(?:<code>|[A-Z_]+=\S+ |`)daybook ((?:[a-z]+ ?)+)/g

test('every command of daybook that the application names exists', async () => {
  const names = new Set(COMMANDS.map(({ name }) => name))
  const named: string[] = []
  for await (const path of new Glob('src/web/**/*.{ts,tsx}').scan('.')) {
    const text = await Bun.file(path).text()
    named.push(...Array.from(text.matchAll(COMMAND), ([, words = '']) => words.trim()))
  }
  const isKnown = (words: string) => {
    const [first = '', second = ''] = words.split(' ')
    return names.has(first) || names.has(`${first} ${second}`)
  }
  expect(named.filter((words) => !isKnown(words))).toEqual([])
  expect(named).toContain('webhooks create')
  expect(named).toContain('mcp')
})
