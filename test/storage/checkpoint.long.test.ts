import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { statSync, truncateSync } from 'node:fs'
import { repeatWrite } from '../../src/kernel/repeated.ts'
import { createLog } from '../../src/lib/log.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { testClock } from '../support/service.ts'

const clock = testClock()
const log = createLog('silent', clock, () => {})

const openAs = (role: 'server' | 'command', file: string, checkpoint: 'auto' | 'off' = 'auto') =>
  openDatabase({ file, programVersion: '0.0.0', clock, log, role, checkpoint })

/** Writes through a database that is opened and closed; returns the size of its write-ahead log afterwards. */
async function logAfterWriting(checkpoint: 'auto' | 'off'): Promise<number> {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const open = () => openAs('server', file, checkpoint)
  const db = open()
  // Another program keeps the file open, because SQLite itself checkpoints on the last close.
  const other = new Database(file)
  other.query('SELECT count(*) FROM notes').get()
  await db.write((tx): void => {
    tx.sql.run("INSERT INTO workspaces (id, name, name_fold, created_at) VALUES ('w', 'W', 'w', 0)")
  })
  db.close()
  const command = await runInProcess(['workspaces', 'list', '--db', file], {
    env: { DAYBOOK_CHECKPOINT: checkpoint },
  })
  expect(command.exitCode).toBe(0)
  const { size } = statSync(`${file}-wal`)
  other.close()
  folder.remove()
  return size
}

test('the write-ahead log is moved into the file when a database is closed', async () => {
  expect(await logAfterWriting('auto')).toBe(0)
})

test('the write-ahead log starts over under steady reads and writes, and does not grow for ever', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const db = openAs('server', file)
  await db.write((tx): void => tx.sql.script('CREATE TABLE blobs (bytes BLOB)'))
  const written = 200 * 50_000
  for (let count = 1; count <= 200; count++) {
    expect(db.sql.scalar<number>('SELECT count(*) FROM blobs')).toBe(count - 1)
    await db.write((tx): void => void tx.sql.run('INSERT INTO blobs VALUES (randomblob(50000))'))
    if (count % 10 === 0) db.checkpoint()
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(written / 5)
  db.close()
  folder.remove()
})

test('a large log is checkpointed in another thread, beside writes, and restarts', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const db = openAs('server', file)
  await db.write((tx): void => tx.sql.script('CREATE TABLE blobs (bytes BLOB)'))
  const write = () =>
    db.write((tx): void => void tx.sql.run('INSERT INTO blobs VALUES (randomblob(1000000))'))
  for (let count = 0; count < 45; count++) await write()
  const other = new Database(file)
  const pages = () => other.query('PRAGMA wal_checkpoint(NOOP)').values()[0] as [number, number, number]
  expect(pages()[1]).toBeGreaterThan(10_000)
  clock.advance(1_000)
  clock.advance(1_000)
  for (let count = 0; count < 5; count++) await write()
  // If the thread finishes before the last of these writes, the log has already restarted.
  const isLarge = ([, total, moved]: [number, number, number]) => total >= 10_000 && moved < total
  while (isLarge(pages())) await Bun.sleep(5)
  for (let count = 0; count < 5; count++) await write()
  expect(pages()[1]).toBeLessThan(5_000)
  other.close()
  await db.finishCheckpoint()
  expect(db.sql.scalar<number>('SELECT count(*) FROM blobs')).toBe(55)
  db.close()
  expect(new Database(file).query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  folder.remove()
})

test('work in chunks waits for checkpoints, so the log stays short', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const db = openAs('server', file)
  await db.write((tx): void => tx.sql.script('CREATE TABLE blobs (bytes BLOB)'))
  let chunks = 0
  const writeSome = () =>
    db.write((tx): boolean => {
      for (let at = 0; at < 10; at += 1) tx.sql.run('INSERT INTO blobs VALUES (zeroblob(1000000))')
      chunks += 1
      return chunks < 20
    })
  await repeatWrite(db, writeSome, (more) => more)
  // The log restarts after 16,000 pages; without waiting it would have 200 MB.
  expect(statSync(`${file}-wal`).size).toBeLessThan(120_000_000)
  await db.finishCheckpoint()
  db.close()
  folder.remove()
}, 20_000)

type Pages = [blocked: number, total: number, moved: number]
const pagesOf = (database: Database) => database.query('PRAGMA wal_checkpoint(NOOP)').values()[0] as Pages

test('another thread truncates a long log once no writes arrive; no commit does', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const db = openAs('server', file)
  await db.write((tx): void => tx.sql.script('CREATE TABLE blobs (bytes BLOB)'))
  const write = (megabytes: number) =>
    db.write((tx): void => void tx.sql.run(`INSERT INTO blobs VALUES (zeroblob(${megabytes}000000))`))
  const other = new Database(file)
  await write(200)
  db.checkpoint()
  for (let count = 0; count < 2; count++) await write(1)
  expect(pagesOf(other)[1]).toBeLessThan(1_000)
  const size = () => statSync(`${file}-wal`).size
  expect(size()).toBeGreaterThan(200_000_000)
  // The checkpoint waits for a reader of the log, but not forever.
  const reader = new Database(file, { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM blobs').get()
  await write(1)
  clock.advance(1_000)
  expect(size()).toBeGreaterThan(200_000_000)
  for (let [, total, moved] = pagesOf(other); moved === 0 || total === 0; [, total, moved] = pagesOf(other)) {
    clock.advance(1_000)
    await Bun.sleep(5)
  }
  reader.run('COMMIT')
  reader.close()
  while (size() > 100_000_000) {
    clock.advance(1_000)
    await Bun.sleep(5)
  }
  other.close()
  await db.finishCheckpoint()
  expect(db.sql.scalar<number>('SELECT sum(length(bytes)) FROM blobs')).toBe(203_000_000)
  db.close()
  folder.remove()
}, 20_000)

test('a server that writes nothing checkpoints the log of another process', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const db = openAs('server', file)
  db.onExternalWrite(() => {})
  const other = new Database(file)
  other.run('PRAGMA wal_autocheckpoint = 0')
  other.run('CREATE TABLE blobs AS SELECT zeroblob(20000000) AS bytes')
  clock.advance(200)
  for (let [, total, moved] = pagesOf(other); moved < total; [, total, moved] = pagesOf(other)) {
    clock.advance(1_000)
    await Bun.sleep(5)
  }
  other.close()
  await db.finishCheckpoint()
  db.close()
  folder.remove()
})

test('a log that cannot be checkpointed when a database is closed loses nothing', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const db = openAs('server', file)
  await db.write((tx): void => tx.sql.script('CREATE TABLE written (x)'))
  // Simulates a disk without room for the file.
  truncateSync(`${file}-wal`, 100)
  expect(() => db.close()).not.toThrow()
  folder.remove()
})

test('a command that closes during a read of an older state does not wait', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const server = openAs('server', file)
  const reader = new Database(file)
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM notes').get()
  await server.write((tx): void => tx.sql.script('CREATE TABLE written (x)'))
  const command = openAs('command', file)
  await command.write((tx): void => void tx.sql.run('INSERT INTO written VALUES (1)'))
  const started = performance.now()
  command.close()
  // SQLite waits five seconds for a lock, and blocks writers meanwhile.
  expect(performance.now() - started).toBeLessThan(2_500)
  reader.close()
  server.close()
  folder.remove()
})

test('with --checkpoint off neither the server nor a command moves it', async () => {
  expect(await logAfterWriting('off')).toBeGreaterThan(0)
})

test('--checkpoint takes no other word, in the environment too', async () => {
  const { exitCode, err } = await runInProcess(['workspaces', 'list'], { env: { DAYBOOK_CHECKPOINT: 'on' } })
  expect([exitCode, err]).toEqual([2, expect.stringContaining('--checkpoint must be one of auto, off')])
})

test('the write-ahead log is moved into the file once nothing was committed for a second', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const db = openAs('server', file)
  const before = statSync(file).size
  await db.write((tx): void => tx.sql.script('CREATE TABLE blobs AS SELECT randomblob(1500000) AS bytes'))
  clock.advance(999)
  expect(statSync(file).size).toBe(before)
  clock.advance(1)
  // The rest of the bytes fills free pages of the file.
  while (statSync(file).size < before + 1_000_000) await Bun.sleep(5)
  await db.finishCheckpoint()
  db.close()
  folder.remove()
})
