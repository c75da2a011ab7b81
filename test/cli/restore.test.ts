import { beforeEach, expect, test } from 'bun:test'
import { copyFileSync, existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { addUser, BEFORE, backedUpForEach, crash, RESTORED, usersOf } from '../support/backed-up.ts'
import { runInProcess } from '../support/cli.ts'
import { alter, openBeside } from '../support/database.ts'
import { daybook, startProcess } from '../support/process.ts'

const made = backedUpForEach()
let db: string
let backup: string

beforeEach(() => {
  db = made.db
  backup = made.backup
})

test('a restored backup replaces the database, which is kept, and the backup stays', async () => {
  const before = await Bun.file(backup).bytes()
  expect(await runInProcess(['restore', backup, '--db', db])).toEqual({
    exitCode: 0,
    out: '',
    err: `Restored ${db} from ${backup}. The previous database is kept as ${db}.before-restore.\n`,
  })
  expect((await usersOf(db)).sort()).toEqual(RESTORED)
  expect((await usersOf(`${db}.before-restore`)).sort()).toEqual(BEFORE)
  expect(await Bun.file(backup).bytes()).toEqual(before)
  expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
})

test('a restore says how many webhooks the restored database has enabled', async () => {
  await alter(
    backup,
    `INSERT INTO webhooks (id, workspace, kind, url, secret, events, filter, ignore_own_key, enabled, created_at, updated_at)
     SELECT 'w', pk, 'note', 'https://hooks.example.com/', 'whsec_a', '[]', '[]', 0, 1, 1, 1 FROM workspaces`,
  )
  const { err } = await runInProcess(['restore', backup, '--db', db])
  expect(err).toContain('1 webhook is enabled: a server started on it sends to the same receivers.\n')
})

test('a second restore keeps what the first one kept', async () => {
  await runInProcess(['restore', backup, '--db', db])
  await addUser('between', db)
  await runInProcess(['restore', `${db}.before-restore`, '--db', db])
  expect((await usersOf(db)).sort()).toEqual(BEFORE)
  expect((await usersOf(`${db}.before-restore`)).sort()).toEqual(BEFORE)
  expect((await usersOf(`${db}.before-restore-2`)).sort()).toEqual([...RESTORED, 'between'].sort())
})

test('the log of a crashed database is kept with it', async () => {
  crash(made)
  await runInProcess(['restore', backup, '--db', db])
  expect((await usersOf(db)).sort()).toEqual(RESTORED)
  expect(await usersOf(`${db}.before-restore`)).toContain('in the log')
  expect(readdirSync(made.folder.path).filter((name) => name.startsWith('daybook.db-'))).toEqual([])
})

test('a restore also works after a backup was copied over the database by hand, or when only the log is left', async () => {
  crash(made)
  copyFileSync(backup, db)
  expect((await runInProcess(['users', 'list', '--db', db])).err).toContain('belongs to another database')
  expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
  expect((await usersOf(db)).sort()).toEqual(RESTORED)
  expect(existsSync(`${db}.before-restore-wal`)).toBe(true)
  renameSync(`${db}.before-restore-wal`, `${db}-wal`)
  rmSync(db)
  expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
  expect((await usersOf(db)).sort()).toEqual(RESTORED)
  expect(existsSync(`${db}.before-restore-2-wal`)).toBe(true)
})

test('a restore is refused, and changes nothing, while a server runs or for an invalid backup', async () => {
  const damaged = made.folder.file('damaged.db')
  const bytes = await Bun.file(backup).bytes()
  bytes.fill(0x5a, 4096 * 20, 4096 * 24)
  await Bun.write(damaged, bytes)
  await alter(made.folder.file('foreign.db'), 'CREATE TABLE t (a)')
  await Bun.write(made.folder.file('text.db'), 'Dear diary, today was long.'.repeat(200))
  const before = await Bun.file(db).bytes()
  const refusals = [
    [damaged, 'damaged|integrity'],
    [made.folder.file('foreign.db'), 'another program'],
    [made.folder.file('text.db'), 'not a daybook database'],
    [made.folder.file('missing.db'), 'There is no backup at'],
    [db, 'the database itself'],
  ] as const
  for (const [file, sentence] of refusals) {
    const { exitCode, out, err } = await runInProcess(['restore', file, '--db', db])
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
    expect(err).toMatch(new RegExp(sentence))
  }
  expect(await Bun.file(db).bytes()).toEqual(before)
  const server = await startProcess(db, { key: 'none' })
  expect((await daybook(['restore', backup, '--db', db])).err).toContain('stop it before you restore')
  await server.end()
  expect((await usersOf(db)).sort()).toEqual(BEFORE)
  expect(existsSync(`${db}.before-restore`)).toBe(false)
})

test('the copy of an interrupted restore is refused as a backup, and stays', async () => {
  for (const suffix of ['.restoring', '.restoring.partial-12']) {
    const left = db + suffix
    copyFileSync(backup, left)
    const { exitCode, err } = await runInProcess(['restore', left, '--db', db])
    expect([exitCode, err]).toEqual([1, expect.stringContaining('name the backup itself')])
    expect(readFileSync(left)).toEqual(readFileSync(backup))
    rmSync(left)
  }
  expect((await usersOf(db)).sort()).toEqual(BEFORE)
})

test('a file with a similar name is not touched', async () => {
  const notes = `${db}.restoring.txt`
  await Bun.write(notes, 'how to restore')
  expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', db])
  expect(await Bun.file(notes).text()).toBe('how to restore')
})

test('another name of the database is recognized as the database itself', async () => {
  linkSync(db, made.folder.file('link.db'))
  const { exitCode, err } = await runInProcess(['restore', made.folder.file('link.db'), '--db', db])
  expect([exitCode, err]).toEqual([1, expect.stringContaining('is the database itself')])
})

test('a restore that fails leaves nothing beside the database', async () => {
  const other = openBeside(db)
  other.run('PRAGMA journal_mode = WAL')
  other.run('BEGIN IMMEDIATE')
  const before = readdirSync(made.folder.path).sort()
  const { exitCode, err } = await runInProcess(['restore', backup, '--db', db])
  expect([exitCode, err]).toEqual([1, expect.stringContaining('Another process uses')])
  expect(readdirSync(made.folder.path).sort()).toEqual(before)
  other.run('ROLLBACK')
  other.close()
})

test.each([
  ['trigger', 'CREATE TRIGGER evil AFTER INSERT ON notes BEGIN DELETE FROM keys; END'],
  ['trigger', 'CREATE TRIGGER rows_1_by_x_insert AFTER INSERT ON notes BEGIN DELETE FROM keys; END'],
  [
    'trigger',
    `CREATE TABLE rows_1 (pk INTEGER PRIMARY KEY);
     CREATE TRIGGER rows_1_by_x_insert AFTER INSERT ON rows_1 BEGIN DELETE FROM keys; END`,
  ],
  ['view', 'CREATE VIEW evil AS SELECT * FROM keys'],
])('a backup with a foreign %s is refused, and check reports it', async (type, statement) => {
  await alter(backup, statement)
  const { exitCode, err } = await runInProcess(['restore', backup, '--db', db])
  expect([exitCode, err]).toEqual([1, expect.stringContaining(`has the ${type} "`)])
  expect((await usersOf(db)).sort()).toEqual(BEFORE)
  const check = await runInProcess(['check', '--db', backup])
  expect([check.exitCode, check.out]).toEqual([1, expect.stringContaining(`The ${type} "`)])
})

test('a trigger of a row table that an interrupted upgrade left is restored, and the upgrade drops it', async () => {
  await alter(
    backup,
    `PRAGMA foreign_keys = OFF;
    CREATE TABLE rows_99 (pk INTEGER PRIMARY KEY);
    CREATE TABLE rows_99_by_1 (value, pk);
    CREATE TRIGGER rows_99_by_1_insert AFTER INSERT ON rows_99 BEGIN DELETE FROM rows_99_by_1; END;
    INSERT INTO structure_stats (structure, live, own_table) VALUES (99, 0, 2)`,
  )
  expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
  expect((await runInProcess(['check', '--db', db])).out).not.toContain('trigger')
})
