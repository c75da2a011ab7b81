import { expect, test } from 'bun:test'
import { copyFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseInput, WrongUsage } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/run.ts'
import { DOCUMENTATION, shellBlocks } from '../support/documentation.ts'
import { newFolder, program, startProcess } from '../support/process.ts'

/** A marked block of a page; `printed` is the documented output. */
interface Block {
  readonly script: string
  readonly printed: string | undefined
}

const MARKED = /<!-- (tour|recipe|last|stopped) -->\n```sh\n([\s\S]*?)```(?:\n\n```json\n([\s\S]*?)```)?/g

/** The blocks of each page with one of these marks. */
const blocksMarked = (...marks: readonly string[]) =>
  DOCUMENTATION.map(({ path, text }) => ({
    path,
    blocks: [...text.matchAll(MARKED)].flatMap(([, mark = '', script = '', printed]): Block[] =>
      marks.includes(mark) ? [{ script, printed }] : [],
    ),
  })).filter(({ blocks }) => blocks.length > 0)

/** Both pages that define the shell function for API calls use the same definition. */
const HELPERS = DOCUMENTATION.flatMap(({ text }) => /^api\(\) \{.*\}$/m.exec(text)?.[0] ?? [])
const END_OF_BLOCK = '\u001e'

const printedPattern = (printed: string) =>
  new RegExp(`^${printed.trim().split('…').map(RegExp.escape).join('[^]*?')}$`)

/** The files that blocks for a stopped server read. */
const FILES = {
  'Vault/Plans/Oak.md': '---\ntags: [wood]\n---\nAsk about #oak.\n',
  'expenses.csv': 'what,amount\nPaper,12.5\n',
  'june.csv': 'what,amount\nInk,"7,25"\nGlue,NA\n',
}

async function runPage(
  { path, blocks }: ReturnType<typeof blocksMarked>[number],
  options: { cwd: string; env: Record<string, string> },
): Promise<void> {
  const parts = blocks.map(({ script }) => `${script}\nprintf '${END_OF_BLOCK}'\n`)
  const shell = Bun.spawn(['bash', '-e', '-o', 'pipefail', '-c', `${HELPERS[0]}\n${parts.join('')}`], {
    ...options,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, exitCode] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited])
  expect([path, exitCode === 0 ? '' : `${out}${err}`]).toEqual([path, ''])
  const outputs = out.split(END_OF_BLOCK)
  for (const [at, { printed }] of blocks.entries()) {
    const output = outputs[at]?.trim() ?? ''
    // curl exits with 0 on a refusal: a refusal is expected only where the page prints it.
    if (printed === undefined)
      expect([path, output]).not.toEqual([path, expect.stringMatching(/^\{"error"/m)])
    else expect(output).toMatch(printedPattern(printed))
  }
}

test('every marked block runs beside a server or after its end, and prints what the page says', async () => {
  expect(new Set(HELPERS).size).toBe(1)
  const folder = newFolder()
  const server = await startProcess(folder.file('daybook.db'))
  const [executable = ''] = program()
  const env = {
    HOME: folder.path,
    PATH: `${dirname(executable)}:${process.env.PATH}`,
    KEY: server.key ?? '',
    URL: server.url,
    DAYBOOK_DB: folder.file('daybook.db'),
  }
  const options = { env, cwd: folder.path }
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  Bun.spawnSync(['git', 'init', '--quiet'], { cwd: folder.path })
  Bun.spawnSync(['git', ...identity, 'commit', '--quiet', '--allow-empty', '-m', 'A commit'], {
    cwd: folder.path,
  })
  try {
    try {
      for (const page of [...blocksMarked('tour', 'recipe'), ...blocksMarked('last')])
        await runPage(page, options)
    } finally {
      await server.end()
    }
    for (const [name, text] of Object.entries(FILES)) await Bun.write(folder.file(name), text)
    const [backup = ''] = readdirSync(folder.file('backups'))
    copyFileSync(folder.file(join('backups', backup)), folder.file('backups/daybook-2026-11-21.db'))
    copyFileSync(folder.file('daybook.db'), folder.file('old.db'))
    await (await startProcess(folder.file('new.db'))).end()
    for (const page of blocksMarked('stopped')) await runPage(page, options)
    const pages = blocksMarked('tour', 'recipe', 'last', 'stopped')
    expect(pages.flatMap(({ blocks }) => blocks).length).toBeGreaterThan(35)
  } finally {
    folder.remove()
  }
}, 120_000)

const WORD = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*\)|[^\s'"])+/g
/** Words that end a shell command. */
const END_OF_COMMAND = /^(?:\||\|\||&&|&|;|<|>|\d?>.*)$/

/** Whether the word after this one is a program, rather than a user, a unit or a value. */
const isCalled = (before = '') =>
  before === '--' || !/^(?:-.*|exec|restart|enable|userdel|useradd|--now)$/.test(before)

/** Returns the arguments of every call of daybook in a shell block. */
function daybookCalls(block: string): string[][] {
  const lines = block.replaceAll(/\\\n\s*/g, ' ').split('\n')
  return lines.flatMap((line) => {
    const words = [...line.replace(/(?:^| )#.*$/, '').matchAll(WORD)].map(([word]) => word)
    const starts = words.flatMap((word, at) =>
      /^(?:\.\/)?daybook(?:-new)?$/.test(word) && isCalled(words[at - 1]) ? [at + 1] : [],
    )
    const calls = starts.map((start) => {
      const rest = words.slice(start)
      const end = rest.findIndex((word) => END_OF_COMMAND.test(word))
      return (end === -1 ? rest : rest.slice(0, end)).map((word) => word.replace(/^['"]|['"]$/g, ''))
    })
    return calls.filter((args) => args.length > 0)
  })
}

function usageFault(args: readonly string[]): string | undefined {
  if (args[0] === 'help' || args.includes('--help')) return undefined
  const named = (name: string | undefined) => COMMANDS.find((command) => command.name === name)
  const command = named(args.slice(0, 2).join(' ')) ?? named(args[0])
  if (!command) return `There is no command "${args.join(' ')}".`
  try {
    parseInput(command, args.slice(command.name.split(' ').length))
  } catch (error) {
    if (error instanceof WrongUsage) return `daybook ${args.join(' ')}: ${error.message}`
    throw error
  }
}

test('the command line accepts every call of daybook in the documentation', () => {
  const calls = DOCUMENTATION.flatMap(({ text }) => shellBlocks(text).flatMap(daybookCalls))
  expect(calls.length).toBeGreaterThan(100)
  expect(calls.flatMap((args) => usageFault(args) ?? [])).toEqual([])
})
