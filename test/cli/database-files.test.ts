import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'

let folder: ReturnType<typeof newFolder>
let db: string

beforeEach(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', db])
})
afterEach(() => folder.remove())

const OK = { exitCode: 0, out: 'ok\n', err: '' }
const checked = () => runInProcess(['check', '--db', db])

test.each(['-wal', '-shm', '-journal', '.lock', '.lock-journal'])(
  'no copy is written to %s of the database, which it uses itself',
  async (suffix) => {
    symlinkSync(folder.path, folder.file('link'))
    const before = readdirSync(folder.path)
    for (const target of [db + suffix, folder.file(`link/daybook.db${suffix}`)])
      for (const flags of [[], ['--overwrite']]) {
        const { exitCode, err } = await runInProcess(['backup', target, '--db', db, ...flags])
        expect([exitCode, err]).toEqual([1, expect.stringContaining('a name that the database itself uses')])
      }
    expect(readdirSync(folder.path)).toEqual(before)
    expect(await checked()).toEqual(OK)
  },
)

test('an invalid lock file is named as the file to remove, not as damage of the database', async () => {
  const backup = folder.file('backup.db')
  await runInProcess(['backup', backup, '--db', db])
  writeFileSync(`${db}.lock`, 'This is no lock. '.repeat(50))
  const commands = [
    ['restore', backup],
    ['serve', '--port', '0'],
    ['import', folder.path],
  ]
  for (const command of commands) {
    const { exitCode, err } = await runInProcess([...command, '--db', db])
    expect([command, exitCode, err]).toEqual([
      command,
      1,
      expect.stringContaining(`${db}.lock cannot be used as the lock of ${db}`),
    ])
  }
  rmSync(`${db}.lock`)
  expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
})

test('a folder in the place of the database is refused', async () => {
  const backup = folder.file('backup.db')
  await runInProcess(['backup', backup, '--db', db])
  mkdirSync(folder.file('folder'))
  const { exitCode, err } = await runInProcess(['restore', backup, '--db', folder.file('folder')])
  expect([exitCode, err]).toEqual([1, expect.stringContaining('is not a file; name the database with --db.')])
  expect(existsSync(folder.file('folder.lock'))).toBe(false)
})

/** Kills a process in the middle of a write, in the journal mode of database upgrades. */
async function interruptWrite(): Promise<void> {
  const script = `
    const { Database } = await import('bun:sqlite')
    const database = new Database(${JSON.stringify(db)})
    for (const pragma of ['journal_mode = DELETE', 'cache_size = 1', 'cache_spill = 1'])
      database.run('PRAGMA ' + pragma)
    database.run('BEGIN IMMEDIATE')
    database.run('CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT i, hex(zeroblob(50)) FROM n')
    database.run("UPDATE users SET name = 'half'")
    process.kill(process.pid, 'SIGKILL')`
  await Bun.spawn([process.execPath, '-e', script]).exited
  expect(existsSync(`${db}-journal`)).toBe(true)
}

describe('after an interrupted write', () => {
  test('read-only commands name the fix, and change nothing', async () => {
    await interruptWrite()
    const before = [readFileSync(db), readFileSync(`${db}-journal`)]
    for (const command of [['upgrade', '--check'], ['doctor']]) {
      const { exitCode, err } = await runInProcess([...command, '--db', db])
      expect([exitCode, err]).toEqual([
        1,
        `A write to ${db} was interrupted (${db}-journal is there); "daybook check --db ${db}" rolls it back, then try again.\n`,
      ])
    }
    expect([readFileSync(db), readFileSync(`${db}-journal`)]).toEqual(before)
    expect(await checked()).toEqual(OK)
    for (const command of [['upgrade', '--check'], ['doctor']])
      expect((await runInProcess([...command, '--db', db])).exitCode).toBe(0)
  })

  test('the database is refused as a backup before the fix, and accepted after it', async () => {
    await interruptWrite()
    const other = folder.file('other.db')
    const { exitCode, err } = await runInProcess(['restore', db, '--db', other])
    expect([exitCode, err]).toEqual([1, expect.stringContaining(`with ${db}-wal or ${db}-journal`)])
    expect(existsSync(other)).toBe(false)
    expect(await checked()).toEqual(OK)
    expect((await runInProcess(['restore', db, '--db', other])).exitCode).toBe(0)
    expect((await runInProcess(['users', 'list', '--db', other])).out).not.toContain('half')
  })
})
