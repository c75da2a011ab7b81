import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { refuseForeignWal } from '../../src/db/connection/foreign-wal.ts'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { randomSource } from '../support/random.ts'

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

/** Copies a database and its log as a crash would leave them, under a new name. */
function crashed(name: string): string {
  const copy = folder.file(name)
  copyFileSync(file, copy)
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
  return copy
}

const SCRIPTS = [
  'INSERT INTO t (text) VALUES (hex(randomblob(3000)))',
  'INSERT INTO t (text) SELECT hex(randomblob(200)) FROM t LIMIT 200',
  'DELETE FROM t WHERE rowid % 3 = 0',
  "UPDATE t SET text = 'x' WHERE rowid = 1",
  'CREATE TABLE IF NOT EXISTS u (a); INSERT INTO u VALUES (1)',
  'DROP TABLE IF EXISTS u',
  'PRAGMA user_version = 1',
]

test('the log of a database is its own, whatever was written, checkpointed and by how many connections', () => {
  const random = randomSource(7)
  const first = new Database(file)
  first.run('PRAGMA journal_mode = WAL')
  first.run('CREATE TABLE t (text)')
  const connections = [first, new Database(file), new Database(file)]
  let judged = 0
  for (let step = 0; step < 300; step++) {
    const at = random(connections.length)
    const connection = connections[at] ?? first
    const choice = random(12)
    if (choice < 9) connection.run(SCRIPTS[random(SCRIPTS.length)] ?? '')
    else if (choice === 9) connection.run('PRAGMA wal_checkpoint(PASSIVE)')
    else if (choice === 10) connection.run('PRAGMA wal_checkpoint(TRUNCATE)')
    else if (at > 0) {
      connection.close()
      connections[at] = new Database(file)
    }
    const copy = crashed('crashed.db')
    if (existsSync(`${copy}-wal`)) judged += 1
    expect(() => refuseForeignWal(copy)).not.toThrow()
    rmSync(`${copy}-wal`, { force: true })
  }
  for (const connection of connections) connection.close()
  expect(judged).toBeGreaterThan(150)
})

/** A database in use with a log that is not empty, and a backup of an earlier state. */
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

async function expectRefusedAndUnchanged(sentence: string, args = ['keys', 'list']): Promise<void> {
  const names = [file, `${file}-wal`]
  const before = bytesOf(names)
  for (const command of [args, ['serve', '--port', '0']]) {
    const { exitCode, out, err } = await runInProcess([...command, '--db', file])
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
    expect(err).toContain(sentence)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  }
  expect(bytesOf(names)).toEqual(before)
}

test('a backup beside the log of what it replaced is refused, and neither is changed', async () => {
  const { backup, close } = await inUse()
  const copy = crashed('crashed.db')
  close()
  copyFileSync(backup, file)
  renameSync(`${copy}-wal`, `${file}-wal`)
  await expectRefusedAndUnchanged('belongs to another database')
  rmSync(`${file}-wal`)
  expect((await runInProcess(['check', '--db', file])).out).toBe('ok\n')
})

test('so is a backup that was looked at before, as that ends in the state of a backup again', async () => {
  const { backup, close } = await inUse()
  const copy = crashed('crashed.db')
  close()
  await runInProcess(['check', '--db', backup])
  copyFileSync(backup, file)
  renameSync(`${copy}-wal`, `${file}-wal`)
  await expectRefusedAndUnchanged('belongs to another database')
})

test('so is a database that crashed in an earlier session', async () => {
  const { close } = await inUse()
  const early = crashed('early.db')
  close()
  for (let session = 0; session < 2; session++)
    await runInProcess(['users', 'add', `u${session}`, '--db', file])
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  database.run('CREATE TABLE later (x)')
  const late = crashed('late.db')
  database.close()
  copyFileSync(early, file)
  renameSync(`${late}-wal`, `${file}-wal`)
  await expectRefusedAndUnchanged('belongs to another database')
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
