import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { findEarlierCopy, migrate } from '../../src/storage/connection/migrate.ts'
import { takeServerLock } from '../../src/storage/connection/server-lock.ts'
import { copyVerified } from '../../src/storage/copy.ts'
import { UnusableDatabase } from '../../src/storage/errors.ts'
import { MIGRATIONS } from '../../src/storage/schema/migrations/migrations.ts'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'

const FIRST = [{ name: '0000_first', sql: 'CREATE TABLE a (x); INSERT INTO a VALUES (1), (2);' }]
const SECOND = [...FIRST, { name: '0001_second', sql: 'ALTER TABLE a ADD COLUMN y DEFAULT 7;' }]
const BROKEN = [...FIRST, { name: '0001_broken', sql: 'UPDATE a SET x = 9; DELETE FROM missing;' }]

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

function migrateTo(migrations: typeof FIRST, version: string): void {
  const database = new Database(file)
  try {
    database.run('PRAGMA journal_mode = WAL')
    migrate(database, file, version, migrations)
  } finally {
    database.close()
  }
}

function rows(path: string): unknown[] {
  const database = new Database(path, { readonly: true })
  try {
    return database.query('SELECT * FROM a').all()
  } finally {
    database.close()
  }
}

test('a new database is migrated without a copy, and a second start changes nothing', async () => {
  migrateTo(FIRST, '1.0.0')
  const before = await Bun.file(file).bytes()
  migrateTo(FIRST, '1.0.1')
  expect(await Bun.file(file).bytes()).toEqual(before)
  expect(readdirSync(folder.path)).toEqual(['daybook.db'])
})

test('the next upgrade removes partial copies of killed ones', () => {
  migrateTo(FIRST, '1.0.0')
  const left = ['daybook.db.before-1.5.0.partial-12', 'daybook.db.before-2.0.0.partial-345-journal']
  const others = ['daybook.db.before-2.0.0.partial', 'other.db.before-2.0.0.partial-1']
  for (const name of [...left, ...others]) writeFileSync(folder.file(name), 'left')
  migrateTo(SECOND, '2.0.0')
  expect(readdirSync(folder.path).sort()).toEqual(['daybook.db', 'daybook.db.before-2.0.0', ...others].sort())
})

test('an older database is copied, whole and verified, before it is migrated', () => {
  migrateTo(FIRST, '1.0.0')
  migrateTo(SECOND, '2.0.0')
  expect(readdirSync(folder.path).sort()).toEqual(['daybook.db', 'daybook.db.before-2.0.0'])
  expect(rows(file)).toEqual([
    { x: 1, y: 7 },
    { x: 2, y: 7 },
  ])
  expect(rows(`${file}.before-2.0.0`)).toEqual([{ x: 1 }, { x: 2 }])
})

test('a second upgrade by a program of the same version keeps the copy of the first', () => {
  migrateTo(FIRST, '1.0.0')
  migrateTo(SECOND, '2.0.0-dev')
  migrateTo([...SECOND, { name: '0002_third', sql: 'ALTER TABLE a ADD COLUMN z DEFAULT 9' }], '2.0.0-dev')
  expect(rows(`${file}.before-2.0.0-dev`)).toEqual([{ x: 1 }, { x: 2 }])
  expect(rows(`${file}.before-2.0.0-dev-2`)).toEqual([
    { x: 1, y: 7 },
    { x: 2, y: 7 },
  ])
  expect(findEarlierCopy(file, 2)).toBe(`${file}.before-2.0.0-dev-2`)
  expect(findEarlierCopy(file, 1)).toBe(`${file}.before-2.0.0-dev`)
})

test('data changes of an upgrade are in its transaction, and a new database has none', () => {
  const fail = () => {
    throw new Error('too full')
  }
  const upgrade = (migrations: typeof FIRST, after: (database: Database) => void) => {
    const database = new Database(file)
    try {
      migrate(database, file, '2.0.0', migrations, after)
    } finally {
      database.close()
    }
  }
  upgrade(FIRST, fail)
  expect(() => upgrade(SECOND, fail)).toThrow('too full')
  expect(rows(file)).toEqual([{ x: 1 }, { x: 2 }])
  upgrade(SECOND, (database) => void database.run('UPDATE a SET y = x'))
  expect(rows(file)).toEqual([
    { x: 1, y: 1 },
    { x: 2, y: 2 },
  ])
})

test('a migration that fails leaves the database as it was', async () => {
  migrateTo(FIRST, '1.0.0')
  const before = await Bun.file(file).bytes()
  expect(() => migrateTo(BROKEN, '2.0.0')).toThrow('missing')
  expect(await Bun.file(file).bytes()).toEqual(before)
  expect(rows(`${file}.before-2.0.0`)).toEqual(rows(file))
})

test('a database of a newer program is refused unchanged', async () => {
  migrateTo(SECOND, '2.0.0')
  const before = await Bun.file(file).bytes()
  expect(() => migrateTo(FIRST, '1.0.0')).toThrow(UnusableDatabase)
  expect(await Bun.file(file).bytes()).toEqual(before)
})

test('the copy before an upgrade is readable', () => {
  migrateTo(FIRST, '1.0.0')
  migrateTo(SECOND, '2.0.0')
  mkdirSync(`${file}.before-2.0.1`)
  symlinkSync(folder.file('missing'), `${file}.before-2.0.2`)
  writeFileSync(`${file}.before-2.0.3`, 'short')
  expect(findEarlierCopy(file, 1)).toBe(`${file}.before-2.0.0`)
  expect(findEarlierCopy(folder.file('no folder/daybook.db'), 1)).toBeUndefined()
})

test('a copy that cannot be made leaves nothing behind and stops the migration', async () => {
  migrateTo(FIRST, '1.0.0')
  const before = await Bun.file(file).bytes()
  // A folder at the path of the copy makes the rename fail.
  await Bun.$`mkdir -p ${`${file}.before-2.0.0/in-the-way`}`.quiet()
  expect(() => migrateTo(SECOND, '2.0.0')).toThrow()
  expect(await Bun.file(file).bytes()).toEqual(before)
  expect(readdirSync(folder.path).filter((name) => name.includes('partial'))).toEqual([])
})

test('a verified copy includes the write-ahead log', () => {
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  database.run('CREATE TABLE a (x)')
  database.run('INSERT INTO a VALUES (1)')
  copyVerified(database, folder.file('copy.db'))
  expect(rows(folder.file('copy.db'))).toEqual([{ x: 1 }])
  database.close()
})

test('a copy that does not pass its check does not take the place of an earlier one', async () => {
  const copy = folder.file('copy.db')
  const sound = new Database(file)
  sound.run('CREATE TABLE a (x DEFAULT 1)')
  sound.run('INSERT INTO a VALUES (NULL)')
  copyVerified(sound, copy)
  sound.close()
  const before = await Bun.file(copy).bytes()
  const text = Buffer.from(await Bun.file(file).bytes()).toString('latin1')
  await Bun.write(file, Buffer.from(text.replace('x DEFAULT 1', 'x NOT NULL '), 'latin1'))
  const damaged = new Database(file)
  expect(() => copyVerified(damaged, copy)).toThrow('integrity check: NULL value in a.x')
  damaged.close()
  expect(await Bun.file(copy).bytes()).toEqual(before)
  expect(readdirSync(folder.path).sort()).toEqual(['copy.db', 'daybook.db'])
})

test('a command does not migrate a database that a server is using', async () => {
  const database = new Database(file)
  migrate(database, file, '0.0.1', MIGRATIONS.slice(0, -1))
  database.close()
  const before = await Bun.file(file).bytes()
  const lock = takeServerLock(file)
  const { exitCode, err } = await runInProcess(['keys', 'list', '--db', file])
  lock?.release()
  expect({ exitCode, err }).toEqual({
    exitCode: 1,
    err: `An older daybook serves ${file}, or another one upgrades it; stop it, or wait until it is done.\n`,
  })
  expect(await Bun.file(file).bytes()).toEqual(before)
})
