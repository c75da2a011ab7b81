import { expect, test } from 'bun:test'
import { copyFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DOCUMENTATION } from '../support/documentation.ts'
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
