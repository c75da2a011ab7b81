import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import fs from 'node:fs'
import { LogSync } from '../../src/db/connection/log-sync.ts'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { Sql } from '../../src/db/sql.ts'
import type { Sync } from '../../src/db/writes/sync.ts'
import { WriteQueue } from '../../src/db/writes/write-queue.ts'
import { createIdSource } from '../../src/lib/ids.ts'
import { createLog } from '../../src/lib/log.ts'
import { unavailable } from '../../src/refusal.ts'
import { newFolder } from '../support/process.ts'
import { settle, testClock } from '../support/service.ts'

const clock = testClock()
const log = createLog('silent', clock, () => {})

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})

afterEach(() => folder.remove())

const COUNT = 'SELECT count(*) FROM lines'

/** A queue whose commits wait for the disk until the test has them go on. */
function openQueue() {
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  database.run('CREATE TABLE lines (text TEXT)')
  const outside = new Database(file)
  const sql = new Sql(database)
  let confirm = Promise.withResolvers<void>()
  let syncs = 0
  const sync: Sync = {
    hasResponded: true,
    probe: async () => {},
    commit: () => {
      sql.run('COMMIT')
      confirm = Promise.withResolvers<void>()
      return confirm.promise
    },
    now: () => {
      syncs += 1
    },
  }
  const queue = new WriteQueue({ sql, clock, log, newId: createIdSource(), lockWaitMs: 60_000, sync })
  const events: string[] = []
  const line = (text: string) =>
    queue
      .write((tx): void => {
        tx.sql.run('INSERT INTO lines (text) VALUES (?)', text)
        tx.afterCommit(() => events.push(`after ${text}`))
      })
      .then(
        () => events.push(`saved ${text}`),
        ({ code }) => events.push(`${code} ${text}`),
      )
  return {
    queue,
    events,
    line,
    confirm: () => confirm.resolve(),
    fail: () => confirm.reject(unavailable('The disk fails.')),
    syncsNow: () => syncs,
    committed: () =>
      outside.query<{ n: number }, []>(`${COUNT.replace('count(*)', 'count(*) AS n')}`).get()?.n,
    close: () => {
      queue.close()
      sql.finalize()
      outside.close()
      database.close()
    },
  }
}

test('a write is acknowledged once it is on the disk, and the next one runs after that', async () => {
  const { line, events, committed, confirm, close, queue } = openQueue()
  const first = line('a')
  await settle()
  const second = line('b')
  await settle()
  expect([committed(), events, queue.idle]).toEqual([1, [], false])
  let isSynced = false
  const synced = queue.synced().then(() => {
    isSynced = true
  })
  await settle()
  expect(isSynced).toBe(false)
  confirm()
  await first
  await synced
  await settle()
  expect([committed(), events]).toEqual([2, ['after a', 'saved a']])
  confirm()
  await second
  expect([events, queue.idle]).toEqual([['after a', 'saved a', 'after b', 'saved b'], true])
  close()
})

test('another connection of this process writes only once what was committed is on the disk', async () => {
  const { line, events, confirm, close, queue } = openQueue()
  line('a')
  await settle()
  const paused = queue.pauseDuring(async () => void events.push('paused'))
  await settle()
  expect(events).toEqual([])
  confirm()
  await settle()
  confirm()
  await paused
  expect(events).toEqual(['after a', 'saved a', 'paused'])
  close()
})

test('a write that the disk does not confirm is refused, listeners learn of it, and the queue recovers', async () => {
  const { line, events, committed, confirm, fail, close, queue } = openQueue()
  const written = line('a')
  await settle()
  fail()
  await written
  expect([committed(), events, queue.problem === undefined]).toEqual([1, ['after a', 'unavailable a'], false])
  clock.advance(1_000)
  await settle()
  confirm()
  await settle()
  expect(queue.problem).toBeUndefined()
  close()
})

test('a queue that is closed meanwhile syncs at once, and acknowledges', async () => {
  const { line, events, syncsNow, close } = openQueue()
  const written = line('a')
  await settle()
  close()
  await written
  expect([events, syncsNow()]).toEqual([['after a', 'saved a'], 1])
})

const openServer = (options: { disk?: ReturnType<typeof failingDisk> } = {}): Db =>
  openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server', ...options })

test('reads never see what is not acknowledged, and see everything that is', async () => {
  const db = openServer()
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  const outside = new Database(file)
  const committed = () => outside.query<{ n: number }, []>('SELECT count(*) AS n FROM lines').get()?.n ?? 0
  let acknowledged = 0
  let wasEarlier = 0
  for (let count = 1; count <= 200; count++) {
    const written = db
      .write((tx): void => void tx.sql.run("INSERT INTO lines VALUES ('a')"))
      .then(() => {
        acknowledged += 1
      })
    while (acknowledged < count) {
      if (committed() > acknowledged) wasEarlier += 1
      expect(db.sql.scalar<number>(COUNT)).toBe(acknowledged)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await written
    expect(db.sql.scalar<number>(COUNT)).toBe(count)
  }
  expect(wasEarlier).toBeGreaterThan(0)
  outside.close()
  db.close()
})

/** A disk that fails as long as `fails` is true. */
function failingDisk(): { fails: boolean } & Pick<typeof fs, 'fsync' | 'fsyncSync'> {
  const disk = {
    fails: false,
    fsyncSync: (descriptor: number) => {
      if (disk.fails) throw new Error('EIO')
      fs.fsyncSync(descriptor)
    },
    fsync: (descriptor: number, done: (error: Error | null) => void) =>
      disk.fails ? done(new Error('EIO')) : fs.fsync(descriptor, done),
  }
  return disk as typeof disk & Pick<typeof fs, 'fsync' | 'fsyncSync'>
}

test('after a failure of the disk no sync succeeds any more, in either thread', async () => {
  fs.writeFileSync(`${file}-wal`, '')
  const disk = failingDisk()
  const failures: string[] = []
  const sync = new LogSync({ file, disk, onFailure: (error) => failures.push(String(error)) })
  sync.now()
  await sync.inThread()
  disk.fails = true
  await expect(sync.inThread()).rejects.toMatchObject({ code: 'unavailable' })
  disk.fails = false
  expect(() => sync.now()).toThrow('may be lost')
  await expect(sync.inThread()).rejects.toMatchObject({ code: 'unavailable' })
  expect(failures).toEqual(['Error: EIO'])
  sync.close()
})

test('when the disk fails to keep a commit, nothing is acknowledged any more, and closing keeps all that was seen', async () => {
  const disk = failingDisk()
  const db = openServer({ disk })
  let lost = 0
  db.onLost(() => {
    lost += 1
  })
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  const write = (text: string, isKept = true) =>
    db
      .write((tx): void => {
        tx.sql.run('INSERT INTO lines VALUES (?)', text)
        disk.fails = !isKept
      })
      .then(
        () => 'saved',
        ({ code, message }) => `${code}: ${message}`,
      )
  expect(await write('kept')).toBe('saved')
  for (const outcome of await Promise.all([write('lost', false), write('lost too', false)]))
    expect(outcome).toMatch(/^unavailable: .*may be lost/)
  disk.fails = false
  expect([lost, db.problem === undefined]).toEqual([1, false])
  expect(await write('later')).toMatch(/^unavailable: .*stops/)
  await db.finishCheckpoint()
  db.close()
  expect(fs.existsSync(`${file}-wal`)).toBe(false)
  const after = new Database(file)
  expect(after.query('SELECT text FROM lines').values().flat()).toEqual(['kept', 'lost', 'lost too'])
  expect(after.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  after.close()
})

test('what another process writes while a commit is being synced is announced after it', async () => {
  const disk = failingDisk()
  const db = openServer({ disk })
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  const finish: (() => void)[] = []
  disk.fsync = ((_: number, done: (error: Error | null) => void) => {
    finish.push(() => done(null))
  }) as typeof disk.fsync
  const seen: number[] = []
  db.onExternalWrite(() => seen.push(db.sql.scalar<number>(COUNT)))
  const written = db.write((tx): void => void tx.sql.run("INSERT INTO lines VALUES ('own')"))
  while (finish.length === 0) await settle()
  const outside = new Database(file)
  outside.run("INSERT INTO lines VALUES ('of another')")
  outside.close()
  clock.advance(200)
  await settle()
  expect(seen).toEqual([])
  for (const done of finish.splice(0)) done()
  await written
  await settle()
  expect(seen).toEqual([2])
  db.close()
})

test('a disk has responded for a while after a sync, and not while it syncs', async () => {
  fs.writeFileSync(`${file}-wal`, '')
  let time = 0
  const finish: (() => void)[] = []
  const disk = failingDisk()
  disk.fsync = ((_: number, done: (error: Error | null) => void) => {
    finish.push(() => done(null))
  }) as typeof disk.fsync
  const sync = new LogSync({ file, disk, onFailure: () => {}, now: () => time })
  const syncAndLook = async () => {
    const synced = sync.inThread()
    const before = sync.hasResponded
    finish.shift()?.()
    await synced
    return [before, sync.hasResponded]
  }
  expect(sync.hasResponded).toBe(false)
  expect(await syncAndLook()).toEqual([false, true])
  expect(await syncAndLook()).toEqual([false, true])
  time += 1_000
  expect(sync.hasResponded).toBe(false)
  sync.close()
})
