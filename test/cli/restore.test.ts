import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { copyFileSync, existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { runInProcess } from '../support/cli.ts'
import { runs } from '../support/counts.ts'
import { daybook, newFolder, program, startProcess } from '../support/process.ts'

let folder: ReturnType<typeof newFolder>
let db: string
let backup: string

const userNamed = (name: string, file = db) => runInProcess(['users', 'add', name, '--db', file])

/** The users that were added tell in which state a database is. */
async function usersOf(file: string): Promise<string[]> {
  const { out } = await runInProcess(['users', 'list', '--json', '--db', file])
  return JSON.parse(out).users.map(({ name }: { name: string }) => name)
}

/** A backup, and a database that has moved on since. */
beforeEach(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  backup = folder.file('backup.db')
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', db])
  await userNamed('early')
  await runInProcess(['backup', backup, '--db', db])
  await userNamed('late')
})
afterEach(() => folder.remove())

const BEFORE = ['owner', 'early', 'late'].sort()
const RESTORED = ['owner', 'early'].sort()

test('a restored backup takes the place of the database, which is kept; the backup stays', async () => {
  const before = await Bun.file(backup).bytes()
  expect(await runInProcess(['restore', backup, '--db', db])).toEqual({
    exitCode: 0,
    out: '',
    err: `The database ${db} is the one in ${backup} now. The one before it is kept as ${db}.before-restore.\n`,
  })
  expect((await usersOf(db)).sort()).toEqual(RESTORED)
  expect((await usersOf(`${db}.before-restore`)).sort()).toEqual(BEFORE)
  expect(await Bun.file(backup).bytes()).toEqual(before)
  expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
})

test('a second restore keeps what the first one kept', async () => {
  await runInProcess(['restore', backup, '--db', db])
  await userNamed('between')
  await runInProcess(['restore', `${db}.before-restore`, '--db', db])
  expect((await usersOf(db)).sort()).toEqual(BEFORE)
  expect((await usersOf(`${db}.before-restore`)).sort()).toEqual(BEFORE)
  expect((await usersOf(`${db}.before-restore-2`)).sort()).toEqual([...RESTORED, 'between'].sort())
})

/** Leaves the database as a crash does: with a log that holds the newest writes. */
function crash(): void {
  const database = new Database(db)
  database.run('PRAGMA journal_mode = WAL')
  database.run("UPDATE users SET name = 'in the log' WHERE name = 'late'")
  for (const suffix of ['', '-wal']) copyFileSync(db + suffix, folder.file(`crashed${suffix}`))
  database.close()
  for (const suffix of ['', '-wal']) renameSync(folder.file(`crashed${suffix}`), db + suffix)
}

test('what is only in the log of a crashed database is kept with it', async () => {
  crash()
  await runInProcess(['restore', backup, '--db', db])
  expect((await usersOf(db)).sort()).toEqual(RESTORED)
  expect(await usersOf(`${db}.before-restore`)).toContain('in the log')
  expect(readdirSync(folder.path).filter((name) => name.startsWith('daybook.db-'))).toEqual([])
})

test('it also helps where a backup was copied over the database by hand, or nothing is left but the log', async () => {
  crash()
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

test('a restore is refused, and changes nothing, while a server runs or for what is no sound backup', async () => {
  const damaged = folder.file('damaged.db')
  const bytes = await Bun.file(backup).bytes()
  bytes.fill(0x5a, 4096 * 20, 4096 * 24)
  await Bun.write(damaged, bytes)
  const foreign = new Database(folder.file('foreign.db'))
  foreign.run('CREATE TABLE t (a)')
  foreign.close()
  await Bun.write(folder.file('text.db'), 'Dear diary, today was long.'.repeat(200))
  const before = await Bun.file(db).bytes()
  const refusals = [
    [damaged, 'damaged|integrity'],
    [folder.file('foreign.db'), 'another program'],
    [folder.file('text.db'), 'not a daybook database'],
    [folder.file('missing.db'), 'There is no backup at'],
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

test('a copy that an interrupted restore left is no backup: it is refused, and still there afterwards', async () => {
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

test('a file whose name only begins like that of such a copy is left alone', async () => {
  const notes = `${db}.restoring.txt`
  await Bun.write(notes, 'how to restore')
  expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
  await runInProcess(['serve', '--port', '0', '--log-level', 'silent', '--db', db])
  expect(await Bun.file(notes).text()).toBe('how to restore')
})

test('another name of the database is the database itself', async () => {
  linkSync(db, folder.file('link.db'))
  const { exitCode, err } = await runInProcess(['restore', folder.file('link.db'), '--db', db])
  expect([exitCode, err]).toEqual([1, expect.stringContaining('is the database itself')])
})

test('a restore that fails leaves nothing beside the database', async () => {
  const other = new Database(db)
  other.run('PRAGMA journal_mode = WAL')
  other.run('BEGIN IMMEDIATE')
  const before = readdirSync(folder.path).sort()
  const { exitCode, err } = await runInProcess(['restore', backup, '--db', db])
  expect([exitCode, err]).toEqual([1, expect.stringContaining('Another process uses')])
  expect(readdirSync(folder.path).sort()).toEqual(before)
  other.run('ROLLBACK')
  other.close()
})

/** Restores in a process that kills itself after this many steps, if ever; `prepare` is run in it before. */
async function restoreUntil(step: number, prepare = ''): Promise<void> {
  const module = resolve('src/db/connection/restore.ts')
  const script = `
    ${prepare}
    const { restoreDatabase } = await import(${JSON.stringify(module)})
    let left = ${step}
    restoreDatabase(${JSON.stringify(backup)}, ${JSON.stringify(db)}, () => {
      if (--left === 0) process.kill(process.pid, 'SIGKILL')
    })`
  const child = Bun.spawn([process.execPath, '-e', script], { stderr: 'pipe' })
  expect(await child.stderr.text()).toBe('')
  await child.exited
  expect(child.signalCode).toBe(step === Number.POSITIVE_INFINITY ? null : 'SIGKILL')
}

/** As on a file system of a memory card. */
const WITHOUT_LINKS = `require('node:fs').linkSync = () => { throw new Error('EPERM') }`

test.each([1, 2, 3, 4, 5, Number.POSITIVE_INFINITY])(
  'also where the file system knows no second names, and killed after step %p, one of the two is whole',
  async (step) => {
    await restoreUntil(step, WITHOUT_LINKS)
    expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    expect((await usersOf(db)).sort()).toEqual(step < 4 ? BEFORE : RESTORED)
    if (step >= 3) expect((await usersOf(`${db}.before-restore`)).sort()).toEqual(BEFORE)
  },
)

test.each([1, 2, 3, 4, 5])(
  'killed after step %i, a restore leaves the old or the new database whole',
  async (step) => {
    await restoreUntil(step)
    expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    expect((await usersOf(db)).sort()).toEqual(step < 4 ? BEFORE : RESTORED)
    const server = await startProcess(db, { key: 'none' })
    await server.end()
    expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
    expect((await usersOf(db)).sort()).toEqual(RESTORED)
    expect(readdirSync(folder.path).filter((name) => name.includes('restoring'))).toEqual([])
  },
)

test.each([1, 2, 3, 4, 5, 6])(
  'killed after step %i, a restore beside a log of another database has touched neither it nor the two databases',
  async (step) => {
    crash()
    copyFileSync(backup, db)
    const [old, log] = [readFileSync(db), readFileSync(`${db}-wal`)]
    await restoreUntil(step)
    const left = readFileSync(db)
    if (step < 4) expect(left).toEqual(old)
    else expect(readFileSync(`${db}.before-restore`)).toEqual(old)
    expect(readFileSync(step < 5 ? `${db}-wal` : `${db}.before-restore-wal`)).toEqual(log)
    const { exitCode, err } = await runInProcess(['users', 'list', '--db', db])
    expect([exitCode, step < 5 ? err : '']).toEqual(
      step < 5 ? [1, expect.stringContaining('belongs to another database')] : [0, ''],
    )
    if (step < 5) expect(readFileSync(db)).toEqual(left)
    expect((await runInProcess(['restore', backup, '--db', db])).exitCode).toBe(0)
    expect((await usersOf(db)).sort()).toEqual(RESTORED)
    expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  },
)

test('killed at any moment, too', async () => {
  for (let kill = 0; kill < runs(5, 50); kill++) {
    crash()
    const child = Bun.spawn([...program(), 'restore', backup, '--db', db], { stderr: 'ignore' })
    await Bun.sleep(20 + Math.random() * 60)
    child.kill('SIGKILL')
    await child.exited
    expect(await runInProcess(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
    expect([RESTORED, [...RESTORED, 'in the log'].sort(), BEFORE]).toContainEqual((await usersOf(db)).sort())
  }
}, 60_000)
