import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { commandCaller } from '../../src/cli/open-database.ts'
import {
  type Credential,
  guestCredential,
  openKernel,
  ownCredential,
  streamCredential,
} from '../../src/kernel/call.ts'
import { jobPreparing, jobRunning, settle } from '../../src/kernel/job-steps.ts'
import { defineLongJob, enqueue, isPending, type Job } from '../../src/kernel/jobs.ts'
import { long, type Operation, read, type Snapshot, write } from '../../src/kernel/operation.ts'
import { createLog } from '../../src/lib/log.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { credentials } from '../../src/people/sessions/sessions.ts'
import { type Db, openDatabase } from '../../src/storage/database.ts'
import type { WorkerOptions } from '../../src/storage/worker/client.ts'
import type { WorkerRequest } from '../../src/storage/worker/thread.ts'
import type { Tx } from '../../src/storage/writes/transaction.ts'
import { newFolder } from '../support/process.ts'
import { newDatabase, testClock } from '../support/service.ts'
import { threadsHere } from '../support/threads.ts'

/* Where operations run, and that their outputs, refusals and effects are the same in another thread. */

const ALWAYS = { manyRows: -1, maxWriteLength: -1 }
const owner = ownCredential('nothing')

let folder: ReturnType<typeof newFolder>
let file: string
let db: Db
let isClosed: boolean
let opened: ReturnType<typeof openKernel>
const clock = testClock()
const operations = new Map<string, { readonly name: string }>()
/** The messages to threads, in order: what each of them must do. */
let sent: string[]
let notified: number

const declared = <Declared extends { readonly name: string }>(operation: Declared): Declared => {
  operations.set(operation.name, operation)
  return operation
}

function open(options: Partial<WorkerOptions> = ALWAYS): void {
  opened = openKernel({
    db,
    clock,
    credentials,
    log: createLog('silent', clock, () => {}),
    listeners: {
      notify: () => {
        notified += 1
      },
    },
    startThread: threadsHere(
      async (name) => operations.get(name) ?? Promise.reject(new Error(`no ${name}`)),
      (message) => sent.push((message as WorkerRequest).kind),
    ),
    ...options,
  })
}

beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
  writeFileSync(file, newDatabase())
  db = openDatabase({
    file,
    programVersion: '0.0.0',
    clock,
    log: createLog('silent', clock, () => {}),
    role: 'server',
  })
  isClosed = false
  sent = []
  notified = 0
})

async function close(): Promise<void> {
  await opened.kernel.close()
  if (!isClosed) db.close()
  isClosed = true
}

afterEach(async () => {
  await close()
  folder.remove()
})

const call = async <Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
  credential: Credential = owner,
): Promise<Output> => opened.kernel.call(operation, credential, input)

const named = (name: string) => ({ name, covers: 'nothing' }) as const
const text = (length: number) => 'x'.repeat(length)
/** Runs a declared operation that acts as a test says. */
let act: (place: Tx & Snapshot, input: unknown) => unknown
const acting = declared(
  write({ ...named('test.acting'), run: (tx, _, input: unknown) => act(tx as Tx & Snapshot, input) }),
)
const seeing = declared(
  read({
    ...named('test.seeing'),
    run: (reader, _, input: unknown) => {
      // The first statement exceeds the limit of the main thread.
      reader.sql.scalar('SELECT 1')
      return act(reader as Tx & Snapshot, input)
    },
  }),
)
const trial = declared(write({ ...acting, name: 'test.trial', isTrial: () => true }))
const insert = ({ sql }: Tx, name: string) =>
  sql.run('INSERT INTO users (id, name, name_fold, created_at) VALUES (?1, ?1, ?1, 0)', name)
const userNames = ({ sql }: { sql: Db['sql'] }) => sql.column<string>('SELECT name FROM users ORDER BY pk')

let runs = 0
const counted = declared(
  write({ ...named('test.counted'), run: (_, __, { body }: { body: string }) => `${++runs} ${body.length}` }),
)
const longCounted = declared(long({ ...counted, name: 'test.long-counted' }))
const scan = declared(
  read({
    ...named('test.scan'),
    run: ({ sql, isSlow }: Snapshot, _, { rows }: { rows: number }) => {
      runs += 1
      const all = sql.rows(
        'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n',
        rows,
      )
      return { rows: all.length, isSlow }
    },
  }),
)

test('a write runs in a thread if it is long or its text is, and only there', async () => {
  open({ maxWriteLength: 1_000 })
  const tried = async (operation: typeof counted, length: number) => {
    runs = 0
    sent = []
    const output = await call(operation, { body: text(length) })
    return [output, sent.includes('task')]
  }
  expect(await tried(counted, 1_000)).toEqual(['1 1000', false])
  expect(await tried(counted, 1_001)).toEqual(['1 1001', true])
  expect(await tried(longCounted, 1)).toEqual(['1 1', true])
})

test('a write that turns out to read long text starts again in a thread', async () => {
  open({ maxWriteLength: 1_000 })
  const tried = async (length: number) => {
    sent = []
    runs = 0
    act = (tx) => {
      runs += 1
      insert(tx, `user ${length}`)
      return String(tx.sql.scalar(`SELECT printf('%.*c', ?, 'x')`, length)).length
    }
    expect(await call(acting, {})).toBe(length)
    return [runs, sent.includes('task')]
  }
  expect(await tried(700)).toEqual([1, false])
  expect(await tried(1_100)).toEqual([2, true])
  expect(userNames(db)).toEqual(['user 700', 'user 1100'])
})

test('a read of many rows starts again in a thread, and runs there at once when it is repeated', async () => {
  open({ manyRows: 1_000 })
  const tried = async (rows: number) => {
    runs = 0
    sent = []
    const { isSlow } = await call(scan, { rows })
    return [isSlow, runs, sent.includes('query')]
  }
  expect(await tried(900)).toEqual([false, 1, false])
  expect(await tried(1_100)).toEqual([true, 2, true])
  expect(await tried(1_100)).toEqual([true, 1, true])
})

test('a refusal in a thread has its code, its sentence and its data', async () => {
  open()
  act = () => {
    throw new Refusal('invalid_request', '"title" is empty.', { retryAfterSeconds: 7 })
  }
  for (const operation of [acting, seeing])
    expect(await call(operation, {}).catch((error) => error)).toEqual(
      new Refusal('invalid_request', '"title" is empty.', { retryAfterSeconds: 7 }),
    )
})

test('an error in a thread names its place, and the thread goes on', async () => {
  open()
  act = () => {
    throw new Error('broken')
  }
  for (const operation of [acting, seeing])
    await expect(call(operation, {})).rejects.toThrow(/Error: broken\n.*threads\.test\.ts/)
  // A failing disk may end the transaction itself.
  act = ({ sql }) => {
    sql.database.run('ROLLBACK')
    throw new Error('failed')
  }
  for (const operation of [acting, seeing]) await expect(call(operation, {})).rejects.toThrow('failed')
  act = (_, input) => input
  for (const operation of [acting, seeing]) expect(await call(operation, 'next')).toBe('next')
})

test('a write that a request waits for keeps temporary tables in memory, one in the background does not', async () => {
  open()
  act = ({ sql }) => sql.scalar('PRAGMA temp_store')
  expect(await call(acting, {}, guestCredential('192.0.2.1'))).toBe(2)
  expect(await call(acting, {}, owner)).toBe(0)
})

test('a failed write and a dry run in a thread leave nothing, and notify nobody', async () => {
  open()
  act = (tx) => {
    insert(tx, 'failed')
    tx.afterCommit(() => {})
    throw new Error('broken')
  }
  await expect(call(acting, {})).rejects.toThrow('broken')
  act = (tx) => {
    insert(tx, 'tried')
    tx.afterCommit(() => {})
    return userNames(tx)
  }
  expect(await call(trial, {})).toEqual(['tried'])
  expect([userNames(db), notified]).toEqual([[], 0])
  expect(await call(acting, {})).toEqual(['tried'])
  expect([userNames(db), notified]).toEqual([['tried'], 1])
  act = (tx) => insert(tx, 'quiet').changes
  expect(await call(acting, {})).toBe(1)
  expect(notified).toBe(1)
})

test('ids and instants of writes in a thread continue those of the main thread', async () => {
  open()
  const ids: string[] = []
  act = (tx) => [tx.newId(), tx.newId(), tx.now, tx.transaction.startedAt]
  for (let time = 0; time < 3; time++) {
    ids.push(db.ids(clock.now()))
    const [first, second, now, startedAt] = (await call(acting, {})) as [string, string, number, number]
    ids.push(first, second)
    expect([now, startedAt]).toEqual([clock.now(), clock.now()])
  }
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(9)
})

test('a read in a thread sees one state of the database, of the instant of its call', async () => {
  open()
  const other = new Database(file)
  act = (reader) => {
    const before = userNames(reader).length
    other.run("INSERT INTO users (id, name, name_fold, created_at) VALUES ('o', 'other', 'other', 0)")
    return [before, userNames(reader).length, reader.now]
  }
  expect(await call(seeing, {})).toEqual([0, 0, clock.now()])
  act = (reader) => userNames(reader)
  expect(await call(seeing, {})).toEqual(['other'])
  other.close()
})

test('text, bytes and large bodies cross to a thread and back unchanged', async () => {
  open()
  act = (_, input) => input
  for (const value of ['', 'Grüße 🙂', { body: 'x' }, null, 12])
    expect(await call(acting, value)).toEqual(value as never)
  const bytes = new TextEncoder().encode('bytes')
  const sentBack: Uint8Array[] = []
  act = () => {
    sentBack.push(bytes.slice())
    return sentBack.at(-1)
  }
  for (const operation of [acting, seeing]) expect(await call(operation, null)).toEqual(bytes)
  // Their memory moves to the main thread, without a copy.
  expect(sentBack.map(({ byteLength }) => byteLength)).toEqual([0, 0])
  act = (_, input) => input
  const input = { id: 'a', body: { title: 'Grüße 🙂', list: [1, null] } }
  const respond = (bodyText: string, sentInput: unknown = input) =>
    opened.kernel.respond(acting as Operation<unknown, object>, owner, sentInput, { bodyText })
  expect(JSON.parse(String(await respond(JSON.stringify(input.body))))).toEqual(input)
  expect(JSON.parse(String(await respond('')))).toEqual(input)
  expect(JSON.parse(String(await respond('unused', { id: 'a' })))).toEqual({ id: 'a' })
  // A thread encodes long text, so that the main thread only sends it.
  const encoded = await respond('', { title: text(70_000) })
  expect(JSON.parse(new TextDecoder().decode(encoded as Uint8Array))).toEqual({ title: text(70_000) })
})

test('a response holds text and bytes as they are, and anything else as JSON', async () => {
  for (const options of [ALWAYS, {}]) {
    open(options)
    for (const [output, body] of [
      ['Grüße', 'Grüße'],
      [new TextEncoder().encode('bytes'), 'bytes'],
      [{ list: ['a', null] }, '{"list":["a",null]}'],
    ] as const) {
      act = () => output
      const response = await opened.kernel.respond(
        acting as Operation<unknown, object>,
        owner,
        {},
        { bodyText: '' },
      )
      expect(response instanceof Uint8Array ? new TextDecoder().decode(response) : String(response)).toBe(
        body,
      )
    }
    await opened.kernel.close()
  }
})

test('a read in a thread stops once its client has disconnected', async () => {
  open()
  const request = (signal: AbortSignal): Credential => ({ ...guestCredential('192.0.2.1'), signal })
  const stream = (signal: AbortSignal) => streamCredential(guestCredential('192.0.2.1'), signal)
  const seen: string[] = []
  for (const credentialOf of [request, stream]) {
    const controller = new AbortController()
    act = (reader) => {
      seen.push('begun')
      controller.abort()
      userNames(reader)
      seen.push('continued')
      return null
    }
    await expect(call(seeing, {}, credentialOf(controller.signal))).rejects.toThrow('closed the connection')
  }
  await opened.kernel.close()
  expect(seen).toEqual(['begun', 'begun'])
})

test('a caller may have 72 reads in threads at a time, and streams any number', async () => {
  open()
  act = (_, input) => input
  const refusedOf = async (credential: Credential) => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 75 }, (_, at) => call(seeing, at, credential)),
    )
    return outcomes.filter(({ status }) => status === 'rejected').length
  }
  const guest = guestCredential('192.0.2.1')
  expect(await refusedOf(guest)).toBe(3)
  expect(await refusedOf(streamCredential(guest))).toBe(0)
  expect(await refusedOf(owner)).toBe(0)
})

test('threads do not open a file that replaced the database', async () => {
  open()
  act = (place) => userNames(place)
  renameSync(file, folder.file('moved.db'))
  writeFileSync(file, newDatabase())
  await expect(call(seeing, {})).rejects.toThrow('was replaced or removed')
  expect(sent).toEqual(['query'])
})

test('threads close their connections, so that SQLite removes the log with the last one', async () => {
  open()
  act = (place) => userNames(place)
  await call(seeing, {})
  await call(acting, {})
  expect(existsSync(`${file}-wal`)).toBe(true)
  await close()
  expect(existsSync(`${file}-wal`)).toBe(false)
})

test('the steps of a long job run in a thread, with what a thread has prepared for them', async () => {
  open({ manyRows: -1 })
  const seen: unknown[] = []
  const job: Job<string, number> = {
    ...defineLongJob<string, number>('test.long', ({ sql }, __, left, prepared) => {
      seen.push([left, prepared])
      // In the background, temporary tables are files.
      expect(sql.scalar('PRAGMA temp_store')).toBe(0)
      return left === 0 ? 'done' : left - 1
    }),
    prepare: { read: (reader, key) => `${key} ${userNames(reader).length}` },
  }
  declared(jobRunning([job as Job]))
  declared(jobPreparing([job as Job]))
  await db.write((tx): void => enqueue(tx, job, 'a', 1))
  await settle({ db, worker: opened.worker }, job, 'a')
  expect(seen).toEqual([
    [1, 'a 0'],
    [0, 'a 0'],
  ])
  expect([isPending(db, job, 'a'), sent.filter((kind) => kind !== 'open')]).toEqual([
    false,
    ['query', 'task', 'query', 'task'],
  ])
})

test('a job stops being prepared in a thread once its caller has disconnected', async () => {
  open({ manyRows: -1 })
  const controller = new AbortController()
  const job: Job<string, number> = {
    ...defineLongJob<string, number>('test.stopped', () => 'done'),
    prepare: {
      read: (reader) => {
        userNames(reader)
        controller.abort()
        return userNames(reader)
      },
    },
  }
  declared(jobPreparing([job as Job]))
  await db.write((tx): void => enqueue(tx, job, 'a', 1))
  const caller = { ...commandCaller({ pk: 1, id: '' }), signal: controller.signal }
  await expect(settle({ db, worker: opened.worker }, job, 'a', caller)).rejects.toThrow(
    'closed the connection',
  )
  expect(isPending(db, job, 'a')).toBe(true)
})
