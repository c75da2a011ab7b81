import { afterEach, beforeEach, expect, test } from 'bun:test'
import { nearest } from '../../src/lib/near-miss.ts'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

let folder: ReturnType<typeof newFolder>
let db: string

beforeEach(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  const service = await startService({ file: db })
  service.close()
})
afterEach(() => folder.remove())

const run = (...args: string[]) => runInProcess([...args, '--db', db])

test.each([
  [['seve'], 'There is no command "seve". Did you mean "serve"?'],
  [['note', 'ad'], '"note" has no command "ad"; it has add. Did you mean "add"?'],
  [['keys', 'revok', 'x'], 'it has create, list, revoke. Did you mean "revoke"?'],
  [['keys', 'list', '--jsn'], "Unknown option '--jsn'. Did you mean --json?"],
  [['serve', '--backup-dri', 'x'], "Unknown option '--backup-dri'. Did you mean --backup-dir?"],
  [['users', 'role', 'owner', 'viewr'], 'not "viewr". Did you mean "viewer"?'],
])('%j is answered with a suggestion', async (args, sentence) => {
  const { exitCode, err } = await run(...args)
  expect(exitCode).toBe(2)
  expect(err).toContain(sentence)
})

test.each([
  [['users', 'link', 'ownr'], 'There is no user "ownr". Did you mean "owner"?'],
  [['users', 'role', 'Ownr', 'viewer'], 'Did you mean "owner"?'],
  [['keys', 'create', '--name', 'k', '--user', 'ownr'], 'Did you mean "owner"?'],
  [['note', 'add', '--title', 'x', '--workspace', 'persnal'], 'Did you mean "Personal"?'],
  [['structures', 'delete', 'Expnses', '--yes'], 'There is no structure "Expnses". Did you mean "Expenses"?'],
  [['records', 'add', 'expense'], 'There is no structure "expense". Did you mean "Expenses"?'],
  [['export', '--structure', 'Expnses'], 'Did you mean "Expenses"?'],
  [
    ['webhooks', 'create', '--structure', 'Expnses', '--url', 'https://example.com/x'],
    'There is no structure "Expnses". Did you mean "Expenses"?',
  ],
])('%j is answered with the suggested name', async (args, sentence) => {
  await Bun.write(folder.file('e.csv'), 'what\ntea\n')
  await run('import', '--structure', 'Expenses', folder.file('e.csv'))
  const { exitCode, out, err } = await run(...args)
  expect([exitCode, out]).toEqual([1, ''])
  expect(err).toContain(sentence)
})

test('unrelated words get no suggestion', async () => {
  for (const args of [['frobnicate'], ['keys', 'list', '--frobnicate']]) {
    expect((await run(...args)).err).not.toContain('Did you mean')
  }
  expect(nearest('x'.repeat(100_000), ['x'])).toBeUndefined()
})

test('-q leaves out messages, and neither results nor errors', async () => {
  const link = expect.stringMatching(/^http:\S+#setup=\S+\n$/)
  expect(await run('users', 'add', 'mira', '-q')).toEqual({ exitCode: 0, out: link, err: '' })
  expect(await run('users', 'role', 'mira', 'viewer', '-q')).toEqual({ exitCode: 0, out: '', err: '' })
  const list = await run('users', 'list', '--quiet', '--json')
  expect(JSON.parse(list.out).users).toHaveLength(2)
  const failed = await run('users', 'add', 'mira', '-q')
  expect([failed.exitCode, failed.err.length > 20]).toEqual([1, true])
})

test('-v prints the database and the duration; alone it prints the version', async () => {
  const { exitCode, err } = await run('users', 'list', '-v')
  expect(exitCode).toBe(0)
  expect(err).toMatch(/^The database is \/.*daybook\.db\.\n"users list" took \d+ ms\.\n$/)
  expect(await runInProcess(['-v'])).toEqual(await runInProcess(['version']))
})

test('a role is changed, except that of the last owner of a workspace', async () => {
  await run('users', 'add', 'mira', '--role', 'viewer')
  const roles = async () =>
    JSON.parse((await run('users', 'list', '--json')).out).users.map(
      (user: { name: string; memberships: { role: string }[] }) => [user.name, user.memberships[0]?.role],
    )
  const last = await run('users', 'role', 'owner', 'editor')
  expect([last.exitCode, last.err]).toEqual([
    1,
    '"owner" is the last owner of the workspace "Personal"; add another owner first.\n',
  ])
  expect((await run('users', 'role', 'mira', 'owner')).exitCode).toBe(0)
  expect((await run('users', 'role', 'owner', 'editor')).exitCode).toBe(0)
  expect(await roles()).toEqual([
    ['owner', 'editor'],
    ['mira', 'owner'],
  ])
  expect((await run('users', 'role', 'mira', 'viewer')).exitCode).toBe(1)
  expect((await run('users', 'role', 'nobody', 'viewer')).exitCode).toBe(1)
  expect((await run('users', 'role', 'mira', 'king')).exitCode).toBe(2)
})

test('a key is revoked by its name, unless several have it', async () => {
  for (const name of ['laptop', 'twice', 'twice']) await run('keys', 'create', '--name', name)
  expect(await run('keys', 'revoke', 'laptop')).toEqual({
    exitCode: 0,
    out: '',
    err: 'The key "laptop" was revoked.\n',
  })
  expect((await run('keys', 'revoke', 'laptop')).exitCode).toBe(0)
  const several = await run('keys', 'revoke', 'twice')
  expect(several.exitCode).toBe(1)
  const { keys } = JSON.parse((await run('keys', 'list', '--json')).out)
  const state = (name: string) =>
    keys
      .filter((key: { name: string }) => key.name === name)
      .map((key: { revoked_at: string }) => key.revoked_at)
  expect([state('laptop'), state('twice')]).toEqual([[expect.any(String)], [null, null]])
  for (const { id, name } of keys) if (name === 'twice') expect(several.err).toContain(id)
  expect((await run('keys', 'revoke', 'nobody')).exitCode).toBe(1)
})
