import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import fs from 'node:fs'
import { createKey } from '../../src/account/keys.ts'
import { addUser } from '../../src/account/users.ts'
import { createWorkspace } from '../../src/account/workspaces.ts'
import type { DiskCalls } from '../../src/db/connection/log-sync.ts'
import { markWrite } from '../../src/db/connection/write-mark.ts'
import { openDatabase } from '../../src/db/database.ts'
import { Sql } from '../../src/db/sql.ts'
import { TaskQueue, type TaskQueueOptions } from '../../src/db/worker/task-queue.ts'
import { WriteQueue } from '../../src/db/writes/write-queue.ts'
import { features } from '../../src/features.ts'
import { createIdSource } from '../../src/lib/ids.ts'
import { createLog } from '../../src/lib/log.ts'
import { VERSION } from '../../src/lib/version.ts'
import { analyzeTable } from '../../src/maintenance/statistics.ts'
import { newFolder } from '../support/process.ts'
import { settle, startService, testClock } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

/* A disk that does not respond, as a network file system without its server. */

const clock = testClock()
const log = createLog('silent', clock, () => {})

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})

afterEach(() => folder.remove())

const UNCERTAIN =
  'The disk of this server does not respond, so this may be saved or lost. Read it once the disk responds, before you send it again.'
const NOTHING_WRITTEN = 'The disk of this server does not respond; nothing was written. Try again later.'

/** A disk that does not respond from `hang` on, until `respond` is called. */
function hangingDisk() {
  const waiting: (() => void)[] = []
  let hangs = false
  const disk = {
    withinMs: 2_000,
    fsyncSync: (descriptor: number) => {
      if (hangs) throw new Error('this thread would never go on')
      fs.fsyncSync(descriptor)
    },
    fsync: (descriptor: number, done: (error: Error | null) => void) => {
      if (hangs) waiting.push(() => done(null))
      else fs.fsync(descriptor, done)
    },
  } as DiskCalls
  return {
    disk,
    waiting,
    hang: () => {
      hangs = true
    },
    respond: () => {
      hangs = false
      for (const done of waiting.splice(0)) done()
    },
  }
}

/** A queue whose writes wait for a few milliseconds, on a disk that responds when the test says so. */
function openQueue() {
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  database.run('CREATE TABLE lines (text TEXT)')
  const sql = new Sql(database)
  const syncs: PromiseWithResolvers<void>[] = []
  const begin = () => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    return sync.promise
  }
  let asks = false
  const sync = {
    get hasResponded() {
      return !asks
    },
    probe: begin,
    commit: () => {
      sql.run('COMMIT')
      return begin()
    },
    now: () => {
      throw new Error('this thread would never go on')
    },
  }
  const queue = new WriteQueue({
    sql,
    clock,
    log,
    newId: createIdSource(),
    lockWaitMs: 20,
    syncWithinMs: 20,
    sync,
  })
  const events: string[] = []
  const line = (text: string) =>
    queue
      .write((tx): void => {
        tx.sql.run('INSERT INTO lines (text) VALUES (?)', text)
        tx.afterCommit(() => events.push(`after ${text}`))
      })
      .then(
        () => `saved ${text}`,
        ({ code, message }) => `${code}: ${message}`,
      )
  return {
    queue,
    events,
    line,
    askFirst: (isAsked: boolean) => {
      asks = isAsked
    },
    respond: async () => {
      for (const { resolve } of syncs.splice(0)) resolve()
      await settle()
    },
    lines: () => sql.column<string>('SELECT text FROM lines'),
    close: () => {
      queue.close()
      sql.finalize()
      database.close()
    },
  }
}

test('writes do not wait for ever for a disk that does not respond, and it is told which may be saved', async () => {
  const { line, events, queue, respond, lines, close } = openQueue()
  const running = [line('a'), line('b')]
  await settle()
  const waiting = [line('c'), line('d')]
  expect(await Promise.all([...running, ...waiting])).toEqual([
    ...[`unavailable: ${UNCERTAIN}`, `unavailable: ${UNCERTAIN}`],
    ...[`unavailable: ${NOTHING_WRITTEN}`, `unavailable: ${NOTHING_WRITTEN}`],
  ])
  expect([events, queue.problem === undefined]).toEqual([[], false])
  // A read in another thread may have seen what was committed.
  await expect(queue.synced()).rejects.toThrow('cannot be read now')
  // No write waits any more, however many there are.
  let isRefused = false
  void line('e').then(() => {
    isRefused = true
  })
  await settle()
  expect(isRefused).toBe(true)
  await respond()
  expect([events, queue.problem === undefined]).toEqual([['after a', 'after b'], true])
  const later = line('f')
  await settle()
  await respond()
  expect([await later, lines()]).toEqual(['saved f', ['a', 'b', 'f']])
  close()
})

test('a disk that does not respond is found out before anything is written, where it is asked first', async () => {
  const { line, queue, askFirst, respond, lines, close } = openQueue()
  askFirst(true)
  expect(await Promise.all([line('a'), line('b')])).toEqual([
    `unavailable: ${NOTHING_WRITTEN}`,
    `unavailable: ${NOTHING_WRITTEN}`,
  ])
  expect([lines(), queue.problem === undefined]).toEqual([[], false])
  // Reads go on in other threads, too: nothing was committed that they might see.
  await queue.synced()
  askFirst(false)
  await respond()
  expect(queue.problem).toBeUndefined()
  const later = line('c')
  await settle()
  await respond()
  expect([await later, lines()]).toEqual(['saved c', ['c']])
  close()
})

test('a disk that responded too late is asked again before the next write', async () => {
  const { line, askFirst, respond, lines, close } = openQueue()
  askFirst(true)
  expect(await line('a')).toBe(`unavailable: ${NOTHING_WRITTEN}`)
  await respond()
  expect(await line('b')).toBe(`unavailable: ${NOTHING_WRITTEN}`)
  expect(lines()).toEqual([])
  await respond()
  close()
})

test('writes that wait for another connection of this process are refused once that waits for the disk for too long', async () => {
  const { line, queue, respond, lines, close } = openQueue()
  const [writes, syncs] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isLate = false
  const paused = queue.pauseDuring(async (beginSync) => {
    await writes.promise
    beginSync(() => {
      isLate = true
    })
    await syncs.promise
  })
  const waiting = [line('a'), queue.pauseDuring(async () => {}).catch(({ message }) => message)]
  const since = performance.now()
  while (performance.now() - since < 60) await settle()
  expect([queue.problem === undefined, isLate]).toEqual([true, false])
  writes.resolve()
  expect(await Promise.all(waiting)).toEqual([`unavailable: ${NOTHING_WRITTEN}`, NOTHING_WRITTEN])
  expect([queue.problem === undefined, isLate]).toEqual([false, true])
  syncs.resolve()
  await paused
  expect(queue.problem).toBeUndefined()
  const later = line('b')
  await settle()
  await respond()
  expect([await later, lines()]).toEqual(['saved b', ['b']])
  close()
})

test('a queue that is closed does not wait for a disk that does not respond', async () => {
  const { line, close } = openQueue()
  expect(await line('a')).toBe(`unavailable: ${UNCERTAIN}`)
  expect(close).not.toThrow()
})

test('a service whose disk does not respond says so, goes on reading, and has what it was sent once that responds', async () => {
  const { disk, hang, respond } = hangingDisk()
  const service = await startService({ file, disk })
  const note = { title: 'Sent twice' }
  const send = () => service.request('POST', '/v1/notes', note, { 'Idempotency-Key': 'one' })
  const titles = async () =>
    (await service.get('/v1/notes')).body.notes.map(({ title }: typeof note) => title)
  await service.post('/v1/notes', { title: 'Before' })
  hang()
  const sent = await send()
  expect(sent).toMatchObject({ status: 503, body: { error: UNCERTAIN, code: 'unavailable' } })
  expect(await send()).toMatchObject({
    status: 503,
    body: { error: NOTHING_WRITTEN, code: 'unavailable' },
  })
  expect(await titles()).toEqual(['Before'])
  expect((await service.get('/healthz')).status).toBe(503)
  respond()
  await until(async () => (await service.get('/healthz')).status === 200)
  const again = await send()
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([201, 'true'])
  expect(await titles()).toEqual(['Sent twice', 'Before'])
  service.close()
}, 20_000)

test('a task whose commit waits for the disk for too long has an answer before it has ended', async () => {
  const options = { programVersion: VERSION, clock, log, role: 'server' } as const
  const db = openDatabase({ file, ...options })
  await db.write((tx): void => {
    for (const name of ['A', 'B'])
      tx.sql.run('INSERT INTO workspaces (id, name, name_fold, created_at) VALUES (?1, ?1, ?1, 0)', name)
  })
  db.close()
  // Stands for a disk that takes longer than any limit.
  const around: TaskQueueOptions['around'] = (run) => run((onLate) => onLate())
  const queue = new TaskQueue({ clock, log, ids: createIdSource(), around, onWrite: () => {} })
  const task = { file, kind: 'task', name: analyzeTable.name, input: 'ANALYZE "main"."workspaces"' } as const
  await expect(queue.run(task, false)).rejects.toThrow(UNCERTAIN)
  await queue.close()
  const again = openDatabase({ file, ...options })
  expect(again.sql.scalar<number>("SELECT count(*) > 0 FROM sqlite_stat1 WHERE tbl = 'workspaces'")).toBe(1)
  again.close()
})

test('a key that a command creates while a commit is being synced is valid at once, and sees that commit, which the command synced', async () => {
  const { disk, hang, respond } = hangingDisk()
  const service = await startService({ file, disk })
  await service.post('/v1/notes', { title: 'Before' })
  hang()
  const sent = service.post('/v1/notes', { title: 'Being synced' })
  await settle()
  const command = openDatabase({ file, programVersion: VERSION, clock, log, role: 'command' })
  const secret = await command.write(
    (tx) => createKey(tx, { workspace: 1, user: 1, name: 'new', scope: 'read', expiresAt: null }).secret,
  )
  command.close()
  const { status, body } = await service.as(secret).get('/v1/notes')
  expect([status, body.total]).toEqual([200, 2])
  respond()
  expect((await sent).status).toBe(201)
  service.close()
})

test('what is being synced is not seen because of a command that committed before it', async () => {
  const { disk, hang, respond } = hangingDisk()
  const service = await startService({ file, disk })
  await service.post('/v1/notes', { title: 'Before' })
  const command = new Database(file)
  command.run("UPDATE workspaces SET name = 'Of the command'")
  hang()
  const sent = service.post('/v1/notes', { title: 'Being synced' })
  await settle()
  markWrite(file)
  expect((await service.get('/v1/notes')).body.total).toBe(1)
  expect((await service.get('/v1/workspace')).body.workspace.name).toBe('Of the command')
  respond()
  expect((await sent).status).toBe(201)
  expect((await service.get('/v1/notes')).body.total).toBe(2)
  command.close()
  service.close()
})

test('a workspace that a command creates while a commit is being synced is there at once', async () => {
  const { disk, hang, respond } = hangingDisk()
  const service = await startService({ file, disk })
  await service.post('/v1/notes', { title: 'Before' })
  hang()
  const sent = service.post('/v1/notes', { title: 'Being synced' })
  await settle()
  const command = openDatabase({ file, programVersion: VERSION, clock, log, role: 'command' })
  const secret = await command.write((tx) => {
    const workspace = createWorkspace(tx, features, 'New')
    const user = addUser(tx, 'new', workspace, 'owner').pk
    return createKey(tx, { workspace: workspace.pk, user, name: 'new', scope: 'read', expiresAt: null })
      .secret
  })
  command.close()
  const { status, body } = await service.as(secret).get('/v1/notes')
  expect([status, body.total]).toEqual([200, 0])
  respond()
  expect((await sent).status).toBe(201)
  service.close()
})

test('a database is closed although the disk does not respond, and has the commit when it is opened again', async () => {
  const { disk, hang, waiting } = hangingDisk()
  const open = (own = {}) =>
    openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server', ...own })
  const db = open({ disk })
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  hang()
  const write = db.write((tx): void => void tx.sql.run("INSERT INTO lines VALUES ('a')"))
  await expect(write).rejects.toThrow(UNCERTAIN)
  await db.finishCheckpoint()
  expect(db.close()).toBe(false)
  expect(waiting).toHaveLength(1)
  const again = open()
  expect(again.sql.column<string>('SELECT text FROM lines')).toEqual(['a'])
  expect(again.close()).toBe(true)
}, 20_000)

test('a database that was idle when the disk stopped to respond is left open, too', async () => {
  const { disk, hang, waiting } = hangingDisk()
  const db = openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server', disk })
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  hang()
  await db.finishCheckpoint()
  expect([db.close(), waiting.length]).toEqual([false, 1])
}, 20_000)

test('a database is left open, too, if a thread is given up whose commit waits for the disk', async () => {
  const { disk, hang } = hangingDisk()
  const db = openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server', disk })
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  const thread = Promise.withResolvers<void>()
  const task = db.pauseDuring((beginSync) => {
    beginSync(() => {})
    return thread.promise
  })
  hang()
  await until(() => db.refusal !== undefined)
  const finished = db.finishCheckpoint()
  thread.resolve()
  await Promise.all([task, finished])
  expect(db.close()).toBe(false)
}, 20_000)
