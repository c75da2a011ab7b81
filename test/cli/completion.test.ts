import { afterAll, expect, test } from 'bun:test'
import { spawnSync, which } from 'bun'
import { COMMANDS } from '../../src/cli/run.ts'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'

const folder = newFolder()
afterAll(() => folder.remove())

const script = async (shell: string) => (await runInProcess(['completion', shell])).out

/** Returns the candidates that bash offers for the last of these words. */
async function inBash(...words: string[]): Promise<string[]> {
  const list = words.map((word) => `'${word}'`).join(' ')
  const program = `${await script('bash')}
COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _daybook; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, success } = spawnSync(['bash', '--norc', '-u', '-c', program])
  expect([success, stderr.toString()]).toEqual([true, ''])
  return stdout.toString().split('\n').filter(Boolean).toSorted()
}

test.skipIf(!which('bash'))('bash loads the script and completes commands, flags and values', async () => {
  const firsts = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? '')), 'help']
  expect(await inBash('daybook', '')).toEqual(firsts.toSorted())
  expect(await inBash('daybook', 'ke')).toEqual(['keys'])
  expect(await inBash('daybook', 'keys', '')).toEqual(['create', 'list', 'revoke'])
  expect(await inBash('daybook', 'keys', 'cr')).toEqual(['create'])
  expect(await inBash('daybook', 'keys', 'create', '--s')).toEqual(['--scope'])
  expect(await inBash('daybook', 'keys', 'create', '--scope', '')).toEqual(['read', 'write'])
  expect(await inBash('daybook', 'serve', '--backup-k')).toEqual(['--backup-keep'])
  expect(await inBash('daybook', 'serve', '--log-level', 'w')).toEqual(['warn'])
  // The shell itself completes file names.
  expect(await inBash('daybook', 'restore', 'ba')).toEqual([])
})

test.each(COMMANDS.map(({ name }) => [name]))('bash completes every flag of %s', async (name) => {
  if (!which('bash')) return
  const flags = COMMANDS.find((command) => command.name === name)?.flags.map((flag) => `--${flag.name}`) ?? []
  const offered = await inBash('daybook', ...name.split(' '), '--')
  expect(offered).toEqual([...flags, '--quiet', '--verbose', '--help'].toSorted())
})

test.each(['zsh', 'fish'])('%s accepts the script', async (shell) => {
  const text = await script(shell)
  for (const { name } of COMMANDS) expect(text).toContain(name.split(' ').at(-1) ?? '')
  if (!which(shell)) return
  const file = folder.file(shell)
  await Bun.write(file, text)
  const { success, stderr } = spawnSync([shell, '-n', file])
  expect([success, stderr.toString()]).toEqual([true, ''])
})

test('another shell is wrong usage', async () => {
  const { exitCode, err } = await runInProcess(['completion', 'tcsh'])
  expect([exitCode, err]).toEqual([
    2,
    '<shell> must be one of bash, zsh, fish, not "tcsh".\nTry "daybook completion --help".\n',
  ])
})
