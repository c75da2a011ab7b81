import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import fs from 'node:fs'
import { createLog } from '../../src/lib/log.ts'
import { refused } from '../../src/lib/refusal.ts'
import { createKey } from '../../src/people/accounts/keys.ts'
import { addUser } from '../../src/people/accounts/users.ts'
import { createWorkspace } from '../../src/people/accounts/workspaces.ts'
import { type DiskCalls, WalSync } from '../../src/storage/connection/health.ts'
import { type Db, openDatabase } from '../../src/storage/database.ts'
import type { Tx } from '../../src/storage/writes/transaction.ts'
import { newFolder } from '../support/process.ts'
import { settle, startService, testClock } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

/* A disk that is slow, fails, or does not respond, like a network file system without its server. */

const clock = testClock()
const log = createLog('silent', clock, () => {})
const LATE =
  'The disk of this server does not respond, so the write may be saved or lost. Read the object once the disk responds, before you send it again.'
const COUNT = 'SELECT count(*) FROM lines'

let folder: ReturnType<typeof newFolder>
let file: string
let disk: ReturnType<typeof testDisk>

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
  disk = testDisk()
})

afterEach(() => folder.remove())

/** Somewhat longer than the disk may take for a sync. */
const LATE_MS = 11_000

/** A disk that responds at once until the test holds it, and then only on request. */
function testDisk() {
  // It stands still, so however busy the machine is, the writes of a test stay in one group.
  const own = testClock()
  const waiting: ((error: Error | null) => void)[] = []
  let isHeld = false
  const end = (error: Error | null) => {
    isHeld = false
    for (const done of waiting.splice(0)) done(error)
  }
  return {
    calls: {
      clock: own,
      fdatasync: ((descriptor: number, done: (error: Error | null) => void) => {
        if (isHeld) waiting.push(done)
        else fs.fdatasync(descriptor, done)
      }) as DiskCalls['fdatasync'],
    },
    waiting,
    clock: own,
    hold: () => {
      isHeld = true
    },
    /** Waits until a sync is held, and then until it is late. */
    becomeLate: async () => {
      await until(() => waiting.length > 0)
      await settle()
      own.advance(LATE_MS)
    },
    respond: () => end(null),
    fail: () => end(new Error('EIO')),
  }
}

const openAs = (role: 'server' | 'command'): Db =>
  openDatabase({ file, programVersion: '0.0.0', clock, log, role, disk: disk.calls })

/** Opens a database whose disk is held once the first writes are flushed. */
async function openHeld() {
  const db = openAs('server')
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  disk.hold()
  const events: string[] = []
  const line = (text: string) =>
    db
      .write((tx): void => {
        tx.sql.run('INSERT INTO lines (text) VALUES (?)', text)
        tx.afterCommit(() => events.push(`after ${text}`))
      })
      .then(
        () => events.push(`saved ${text}`),
        ({ message }) => events.push(`${text}: ${message}`),
      )
  const outside = new Database(file)
  return {
    db,
    line,
    events,
    /** Returns the state seen by another process. */
    committed: () => outside.query('SELECT text FROM lines').values().flat(),
    leave: () => outside.close(),
    [Symbol.dispose]: () => outside.close(),
  }
}

test('a write is acknowledged once it is on the disk; the next one, or another connection, writes after that', async () => {
  using held = await openHeld()
  const { db, line, events, committed } = held
  const first = line('a')
  await until(() => disk.waiting.length === 1)
  const others = [line('b'), db.pauseDuring(async () => void events.push('paused'))]
  await settle()
  expect([committed(), events, db.sql.scalar<number>(COUNT)]).toEqual([['a'], [], 0])
  disk.respond()
  await Promise.all([first, ...others])
  expect(events).toEqual(['after a', 'saved a', 'after b', 'saved b', 'paused'])
  db.close()
})

test('writes of an open group are invisible, and rolled back when the database is closed', async () => {
  using held = await openHeld()
  const { db, line, events, committed } = held
  const first = line('a')
  await until(() => disk.waiting.length === 1)
  const seen = Promise.withResolvers<unknown[]>()
  const writeSecond = ({ sql }: Tx): void => {
    sql.run("INSERT INTO lines VALUES ('b')")
    setImmediate(() => {
      seen.resolve([sql.database.inTransaction, db.sql.scalar(COUNT), committed()])
      db.close()
    })
  }
  const second = db.write(writeSecond, { schedulingKey: 'a caller' })
  disk.respond()
  await expect(second).rejects.toThrow('shutting down')
  await first
  expect(await seen.promise).toEqual([true, 1, ['a']])
  expect([events, committed()]).toEqual([['after a', 'saved a'], ['a']])
})

/** Sends two writes of one group: the second is refused because of the first. */
function sendConflicting({ db, line, events }: Awaited<ReturnType<typeof openHeld>>) {
  const first = line('a')
  const second = db
    .write(({ sql }): void => {
      if (sql.scalar<number>(COUNT) > 0) throw refused('There is a line already.')
    })
    .catch(({ message }) => void events.push(`b: ${message}`))
  return Promise.all([first, second])
}

test('a refusal that rests on a write of its group is sent once that write is on the disk', async () => {
  using held = await openHeld()
  const { db, events } = held
  const sent = sendConflicting(held)
  await until(() => disk.waiting.length === 1)
  await settle()
  expect([events, db.sql.scalar<number>(COUNT)]).toEqual([[], 0])
  disk.respond()
  await sent
  expect([events, db.sql.scalar<number>(COUNT)]).toEqual([
    ['after a', 'saved a', 'b: There is a line already.'],
    1,
  ])
  db.close()
})

test('a refusal that rests on a write that the disk may have lost is the failure of the disk', async () => {
  using held = await openHeld()
  const { db, events, leave } = held
  const sent = sendConflicting(held)
  await until(() => disk.waiting.length === 1)
  disk.fail()
  await sent
  expect(events).toEqual([
    'after a',
    expect.stringMatching(/^a: .*may be lost/),
    expect.stringMatching(/^b: The disk of this server failed/),
  ])
  leave()
  await db.finishCheckpoint()
  db.close()
})

test('a refusal based on an uncommitted write reports the disk that does not respond', async () => {
  using held = await openHeld()
  const { db, events } = held
  await Promise.all([sendConflicting(held), disk.becomeLate()])
  expect(events).toEqual([`a: ${LATE}`, `b: ${LATE}`])
  disk.respond()
  await until(() => db.problem === undefined)
  db.close()
})

test('a refusal based on a rolled back write becomes the refusal of its group', async () => {
  using held = await openHeld()
  const { db, line, events, committed } = held
  const before = [line('a'), line('b'), line('c')]
  await until(() => disk.waiting.length === 1)
  const refusals = ['first', 'second'].map((schedulingKey) => {
    const write = ({ sql }: Tx): void => {
      if (schedulingKey === 'second') {
        setImmediate(() => db.close())
        throw refused('There is a line already.')
      }
      sql.run("INSERT INTO lines VALUES ('d')")
    }
    return db.write(write, { schedulingKey: schedulingKey }).catch(({ message }) => message)
  })
  disk.respond()
  await Promise.all(before)
  expect(await Promise.all(refusals)).toEqual(Array(2).fill(expect.stringContaining('shutting down')))
  expect([events.length, committed()]).toEqual([6, ['a', 'b', 'c']])
})

test('a refusal of a read in another thread is sent once the commit it depends on is on disk', async () => {
  const service = await startService({ file, disk: disk.calls })
  const { id } = (await service.post('/v1/notes', { title: 'Shared' })).body.note
  const { share } = (await service.post('/v1/shares', { kind: 'note', target_id: id })).body
  const open = () => service.as(undefined).get(new URL(share.url).pathname)
  expect((await open()).status).toBe(200)
  // The disk has responded, so no sync precedes the next write.
  await service.post('/v1/notes', { title: 'Before' })
  disk.hold()
  const events: unknown[] = []
  const deleted = service.delete(`/v1/notes/${id}`).then(() => events.push('deleted'))
  await until(() => disk.waiting.length === 1)
  const read = open().then(({ status }) => events.push(status))
  await Bun.sleep(300)
  expect(events).toEqual([])
  disk.respond()
  await Promise.all([deleted, read])
  expect(events.toSorted()).toEqual([404, 'deleted'])
  service.close()
})

test('reads see every acknowledged write, and no other', async () => {
  using held = await openHeld()
  const { db, committed } = held
  disk.respond()
  let acknowledged = 0
  let wasEarlier = 0
  for (let count = 1; count <= 200; count++) {
    const written = db
      .write((tx): void => void tx.sql.run("INSERT INTO lines VALUES ('a')"))
      .then(() => {
        acknowledged += 1
      })
    while (acknowledged < count) {
      if (committed().length > acknowledged) wasEarlier += 1
      expect(db.sql.scalar<number>(COUNT)).toBe(acknowledged)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await written
    expect(db.sql.scalar<number>(COUNT)).toBe(count)
  }
  expect(wasEarlier).toBeGreaterThan(0)
  db.close()
})

test('neither writes that the disk lost nor later ones are acknowledged, as it reports a loss only once', async () => {
  using held = await openHeld()
  const { db, line, events, committed } = held
  let ends = 0
  db.onLost(() => {
    ends += 1
  })
  const lost = line('lost')
  await until(() => disk.waiting.length === 1)
  // From here on every sync succeeds again.
  disk.fail()
  await lost
  await line('later')
  expect([ends, db.problem === undefined, committed(), db.sql.scalar<number>(COUNT)]).toEqual([
    1,
    false,
    ['lost'],
    0,
  ])
  expect(events).toEqual([
    'after lost',
    expect.stringMatching(/^lost: .*may be lost/),
    expect.stringMatching(/^later: .*is shutting down/),
  ])
  // A read in another thread may have seen the lost write.
  await expect(db.synced()).rejects.toThrow('may be lost')
  held.leave()
  await db.finishCheckpoint()
  db.close()
  expect(fs.existsSync(`${file}-wal`)).toBe(false)
})

test('after a sync that failed no other one succeeds', async () => {
  fs.writeFileSync(`${file}-wal`, '')
  const failures: string[] = []
  const sync = new WalSync({ file, disk: disk.calls, onFailure: (error) => failures.push(String(error)) })
  await sync.run()
  disk.hold()
  const failed = sync.run()
  disk.fail()
  await expect(failed).rejects.toThrow('may be lost')
  await expect(sync.run()).rejects.toThrow('may be lost')
  expect(failures).toEqual(['Error: EIO'])
  sync.close()
})

test.each(['respond', 'fail'] as const)(
  'a write that is not synced when the database is closed is not acknowledged, also if the disk will %s',
  async (end) => {
    using held = await openHeld()
    const { db, line, events, committed } = held
    const written = line('a')
    await until(() => disk.waiting.length === 1)
    const reading = db.synced()
    db.close()
    await expect(reading).rejects.toThrow('may be lost')
    disk[end]()
    await written
    await settle()
    expect(events).toEqual(['after a', expect.stringMatching(/^a: .*may be lost/)])
    expect(committed()).toEqual(['a'])
  },
)

test('writes of another process during a sync are announced after it', async () => {
  using held = await openHeld()
  const { db, line } = held
  const seen: number[] = []
  db.onExternalWrite(() => seen.push(db.sql.scalar<number>(COUNT)))
  const written = line('own')
  await until(() => disk.waiting.length === 1)
  const outside = new Database(file)
  outside.run("INSERT INTO lines VALUES ('of another')")
  outside.close()
  clock.advance(200)
  await settle()
  expect(seen).toEqual([])
  disk.respond()
  await written
  await settle()
  expect(seen).toEqual([2])
  db.close()
})

test('the first write after a pause probes the disk, and an unresponsive one gets no write', async () => {
  const db = openAs('server')
  disk.hold()
  const write = db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  const late = disk.becomeLate()
  await expect(write).rejects.toThrow(LATE)
  await late
  expect(db.sql.scalar<number>("SELECT count(*) FROM sqlite_schema WHERE name = 'lines'")).toBe(0)
  // Reads in other threads continue, too, because no uncommitted data is visible to them.
  await db.synced()
  disk.respond()
  await until(() => db.problem === undefined)
  db.close()
})

test('a service whose disk does not respond reports it, continues reading, and completes writes once it responds', async () => {
  const service = await startService({ file, disk: disk.calls })
  const note = { title: 'Sent twice' }
  const send = () => service.request('POST', '/v1/notes', note, { 'Idempotency-Key': 'one' })
  const titles = async () =>
    (await service.get('/v1/notes')).body.notes.map(({ title }: typeof note) => title)
  await service.post('/v1/notes', { title: 'Before' })
  disk.hold()
  const refusal = { status: 503, body: { error: LATE, code: 'unavailable' } }
  const sent = send()
  await settle()
  const waiting = service.post('/v1/notes', { title: 'Never written' })
  const paused = service.ctx.db.pauseDuring(async () => {}).catch(({ message }) => message)
  const all = [sent, waiting, send()]
  await disk.becomeLate()
  for (const late of all) expect(await late).toMatchObject(refusal)
  expect(await paused).toBe(LATE)
  expect(await titles()).toEqual(['Before'])
  expect(await service.get('/healthz')).toMatchObject(refusal)
  // A read in another thread may have seen the committed data.
  await expect(service.ctx.db.synced()).rejects.toThrow(LATE)
  disk.respond()
  await until(async () => (await service.get('/healthz')).status === 200)
  const again = await send()
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([201, 'true'])
  expect(await titles()).toEqual(['Sent twice', 'Before'])
  service.close()
})

test('a thread whose commit waits too long for the disk delays no response', async () => {
  using held = await openHeld()
  const { db, line, events } = held
  disk.respond()
  const [writes, syncs] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isLate = false
  const paused = db.pauseDuring(async (beginSync) => {
    await writes.promise
    beginSync(() => {
      isLate = true
    })
    await syncs.promise
  })
  const waiting = line('a')
  // The write may take as long as it needs.
  await settle()
  disk.clock.advance(LATE_MS)
  await settle()
  expect([db.refusal, events, isLate]).toEqual([undefined, [], false])
  writes.resolve()
  await settle()
  disk.clock.advance(LATE_MS)
  await waiting
  expect([events, isLate, db.refusal === undefined]).toEqual([[`a: ${LATE}`], true, false])
  syncs.resolve()
  await paused
  await line('b')
  expect(events.at(-1)).toBe('saved b')
  db.close()
})

const createReader = (db: Db, workspace: number, user: number) =>
  db.write((tx) => createKey(tx, { workspace, user, name: 'new', scope: 'read', expiresAt: null }).secret)

test("a command's write during a sync is visible immediately, with the commit that it synced", async () => {
  const service = await startService({ file, disk: disk.calls })
  await service.post('/v1/notes', { title: 'Before' })
  disk.hold()
  const sent = service.post('/v1/notes', { title: 'Being synced' })
  await until(() => disk.waiting.length === 1)
  const command = openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'command' })
  const secret = await createReader(command, 1, 1)
  const { status, body } = await service.as(secret).get('/v1/notes')
  expect([status, body.total]).toEqual([200, 2])
  const other = await command.write((tx) => {
    const workspace = createWorkspace(tx, 'New')
    return { workspace: workspace.pk, user: addUser(tx, 'new', workspace, 'owner').pk }
  })
  const inOther = await createReader(command, other.workspace, other.user)
  expect((await service.as(inOther).get('/v1/notes')).body.total).toBe(0)
  command.close()
  disk.respond()
  expect((await sent).status).toBe(201)
  service.close()
})

test('a commit being synced is not revealed by an earlier commit of a command', async () => {
  const service = await startService({ file, disk: disk.calls })
  await service.post('/v1/notes', { title: 'Before' })
  // A read that takes some milliseconds, as the first one may, goes on in a thread and waits for the disk.
  for (const path of ['/v1/notes', '/v1/workspace']) await service.get(path)
  const command = new Database(file)
  command.run("UPDATE workspaces SET name = 'Of the command'")
  disk.hold()
  const sent = service.post('/v1/notes', { title: 'Being synced' })
  await until(() => disk.waiting.length === 1)
  expect((await service.get('/v1/notes')).body.total).toBe(1)
  expect((await service.get('/v1/workspace')).body.workspace.name).toBe('Of the command')
  disk.respond()
  expect((await sent).status).toBe(201)
  expect((await service.get('/v1/notes')).body.total).toBe(2)
  command.close()
  service.close()
})

test('a database whose disk does not respond is left open, as closing it would wait for the disk', async () => {
  const db = openAs('server')
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  disk.hold()
  await Promise.all([db.finishCheckpoint(), disk.becomeLate()])
  expect([db.close(), disk.waiting.length]).toEqual([false, 1])
})
