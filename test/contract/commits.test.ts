import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { newFolder } from '../support/process.ts'

const CHECK = resolve('scripts/checks/commits.ts')
const REASON = 'Readers waited for the lock.'

/** Runs a command in a folder and returns its output, stdout and stderr together. */
function run(cwd: string, ...command: string[]): { text: string; exitCode: number } {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command, { cwd })
  return { text: `${stdout}${stderr}`, exitCode }
}

function repositoryWith(folder: string, messages: readonly string[]): void {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  run(folder, 'git', 'init', '--quiet')
  for (const message of ['First', ...messages])
    run(folder, 'git', ...identity, 'commit', '--quiet', '--allow-empty', '-m', message)
  run(folder, 'git', 'tag', 'start', `HEAD~${messages.length}`)
}

const check = (folder: string) => run(folder, process.execPath, CHECK, 'start')

test('commits with a short subject and a body pass', () => {
  const folder = newFolder()
  repositoryWith(folder.path, [`${'a'.repeat(72)}\n\n${REASON}`, `rows: skip the lock\n\n${REASON}`])
  expect(check(folder.path)).toEqual({ text: '2 commit messages checked.\n', exitCode: 0 })
  folder.remove()
})

test.each([
  [`${'a'.repeat(73)}\n\n${REASON}`, 'the subject has 73 characters'],
  ['rows: skip the lock', 'add a body'],
  [`rows: skip the lock\n${REASON}`, 'separate the subject'],
])('refuses the commit message %j', (message, fault) => {
  const folder = newFolder()
  repositoryWith(folder.path, [message])
  const { text, exitCode } = check(folder.path)
  expect(text).toContain(fault)
  expect(exitCode).toBe(1)
  folder.remove()
})

test('a shallow clone skips the check and says so', () => {
  const folder = newFolder()
  repositoryWith(folder.path, ['rows: skip the lock'])
  run(folder.path, 'git', 'clone', '--quiet', '--depth', '1', `file://${folder.path}`, 'shallow')
  const { text, exitCode } = check(folder.file('shallow'))
  expect(text).toStartWith('Skipped the check of commit messages')
  expect(exitCode).toBe(0)
  folder.remove()
})
