import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

/** Copies a database and its log under a new name, in the state that a crash leaves. */
function crashed(name: string): string {
  const copy = folder.file(name)
  copyFileSync(file, copy)
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
  return copy
}

/** Opens a database with a non-empty log, and creates a backup of an earlier state. */
async function inUse(): Promise<{ backup: string; close(): void }> {
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', file])
  const backup = folder.file('backup.db')
  await runInProcess(['backup', backup, '--db', file])
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  database.run("UPDATE workspaces SET name = 'Changed'")
  return { backup, close: () => database.close() }
}

const bytesOf = (names: readonly string[]) =>
  names.map((name) => (existsSync(name) ? readFileSync(name).toString('base64') : null))

async function expectRefusedAndUnchanged(sentence: string): Promise<void> {
  const names = [file, `${file}-wal`]
  const before = bytesOf(names)
  for (const command of [
    ['keys', 'list'],
    ['serve', '--port', '0'],
  ]) {
    const { exitCode, out, err } = await runInProcess([...command, '--db', file])
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
    expect(err).toContain(sentence)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  }
  expect(bytesOf(names)).toEqual(before)
}

test.each([
  ['as it was made', false],
  ['that was opened since', true],
])(
  'a backup %s beside the log of what it replaced is refused, and neither is changed',
  async (_, wasOpened) => {
    const { backup, close } = await inUse()
    const copy = crashed('crashed.db')
    close()
    if (wasOpened) await runInProcess(['users', 'add', 'Vera', '--db', backup])
    copyFileSync(backup, file)
    renameSync(`${copy}-wal`, `${file}-wal`)
    await expectRefusedAndUnchanged('belongs to another database')
    rmSync(`${file}-wal`)
    expect((await runInProcess(['check', '--db', file])).out).toBe('ok\n')
  },
)

test('a database opens with its own log after a crash, also with one that holds nothing yet', async () => {
  const { close } = await inUse()
  const copy = crashed('crashed.db')
  close()
  expect((await runInProcess(['check', '--db', copy])).out).toBe('ok\n')
  expect((await runInProcess(['keys', 'list', '--db', copy])).exitCode).toBe(0)
  writeFileSync(`${copy}-wal`, '')
  expect((await runInProcess(['check', '--db', copy])).out).toBe('ok\n')
})

test('a log without its database is kept', async () => {
  const { close } = await inUse()
  const copy = crashed('crashed.db')
  close()
  renameSync(`${copy}-wal`, `${file}-wal`)
  truncateSync(file, 0)
  const { exitCode, err } = await runInProcess(['serve', '--port', '0', '--db', file])
  expect([exitCode, err]).toEqual([1, expect.stringContaining('There is no database at')])
  expect(existsSync(`${file}-wal`)).toBe(true)
})
