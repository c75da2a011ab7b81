import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { type FailurePoint, watchFailurePoints } from '../../src/lib/failure-points.ts'
import { createIdSource } from '../../src/lib/ids.ts'
import { createLog } from '../../src/lib/log.ts'
import { type Refusal, refused, unavailable } from '../../src/lib/refusal.ts'
import { Sql } from '../../src/storage/sql.ts'
import { resultOf, Trial, type Tx } from '../../src/storage/writes/transaction.ts'
import { WriteQueue, type WriteQueueOptions } from '../../src/storage/writes/write-queue.ts'
import { newFolder } from '../support/process.ts'
import { settle, testClock } from '../support/service.ts'

/*
 * Which writes share a commit, and what each of them reports. Time stands still, and the disk responds when the test
 * wants it to.
 */

const TABLE = 'CREATE TABLE lines (text TEXT NOT NULL)'
const LOST = unavailable('The disk lost it.')

let clock: ReturnType<typeof testClock>
let sql: Sql
let queue: WriteQueue
/** Returns the log so far. */
let logged: () => string
/** The calls of the queue, in order; a commit lists its rows. */
let calls: string[]
let disk: { hasResponded: boolean; held?: PromiseWithResolvers<void> | undefined }

beforeEach(() => {
  clock = testClock()
  sql = new Sql(new Database(':memory:'))
  sql.script(TABLE)
  calls = []
  disk = { hasResponded: true }
  queue = open()
})

afterEach(() => {
  watchFailurePoints(undefined)
  queue.close()
  sql.database.close()
})

const rows = () => sql.column<string>('SELECT text FROM lines ORDER BY rowid')

/** Opens a queue, of a server unless it `yieldsLock`. */
function open(options: Partial<WriteQueueOptions> = {}): WriteQueue {
  let lines = ''
  const log = createLog('info', clock, (written) => {
    lines += written
  })
  logged = () => {
    log.flush()
    return lines
  }
  let before = 0
  const sync: WriteQueueOptions['sync'] = {
    get hasResponded() {
      return disk.hasResponded
    },
    run: async () => {
      calls.push('probe')
      disk.hasResponded = true
    },
    commit: () => {
      sql.run('COMMIT')
      calls.push(`commit ${rows().slice(before)}`)
      before = rows().length
      return disk.held?.promise ?? Promise.resolve()
    },
  }
  return new WriteQueue({
    ...{ sql, clock, log, newId: createIdSource(), lockWaitMs: 0, diskClock: clock },
    ...(!options.yieldsLock && { sync }),
    ...options,
  })
}

const insert = (text: string) => (tx: Tx) => {
  tx.sql.run('INSERT INTO lines VALUES (?)', text)
  return text
}
const write = (text: string, schedulingKey = '', isLong = false) =>
  queue.write(insert(text), { schedulingKey, isLong })
const refusedWrite = (sentence = 'No.') =>
  queue.write((): void => {
    throw refused(sentence)
  })
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error: Error) => error.message,
  )
const turn = () => new Promise((resolve) => setImmediate(resolve))
const sizes = () => queue.commitSizes.sum

test('a lone refused write commits nothing, and is no failure of the disk', async () => {
  expect(await messageOf(refusedWrite())).toBe('No.')
  expect([calls, sizes(), queue.problem, logged(), sql.database.inTransaction]).toEqual([
    [],
    0,
    undefined,
    '',
    false,
  ])
  expect(await write('after')).toBe('after')
})

test('a long write shares its commit with no other, and short ones share one', async () => {
  await Promise.all([write('a'), write('long', '', true), write('b', 'x'), write('longer', '', true)])
  expect(calls).toEqual(['commit a', 'commit long', 'commit b', 'commit longer'])
  await Promise.all([write('c'), write('d', 'x')])
  expect(calls.at(-1)).toBe('commit c,d')
  expect(queue.commitSizes.counts.slice(0, 3)).toEqual([4, 1, 0])
  expect(queue.commitSizes.bounds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256])
})

test('a commit has at most 256 writes', async () => {
  await Promise.all(Array.from({ length: 600 }, (_, index) => write(`${index}`)))
  expect(rows()).toHaveLength(600)
  expect(queue.commitSizes.counts).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 2, 0])
})

test('a commit takes no further write once it has taken five milliseconds', async () => {
  const slow = (ms: number) =>
    queue.write((tx): void => {
      insert(`${ms}`)(tx)
      clock.advance(ms)
    })
  await Promise.all([slow(2), slow(3), slow(1), slow(4)])
  expect(calls).toEqual(['commit 2,3,1', 'commit 4'])
})

/** Runs timers at once, as if their time had passed; returns their delays. */
function passTime(): { readonly delays: number[] } & Disposable {
  const delays: number[] = []
  const timer = spyOn(globalThis, 'setTimeout').mockImplementation(((action: () => void, ms: number) => {
    delays.push(ms)
    setImmediate(() => {
      clock.advance(ms)
      action()
    })
  }) as unknown as typeof setTimeout)
  return { delays, [Symbol.dispose]: () => timer.mockRestore() }
}

test('a command that has held the lock for 25 ms leaves it free for 12 ms', async () => {
  using passed = passTime()
  queue = open({ yieldsLock: true })
  const hold = async (...all: number[]) => {
    for (const ms of all)
      await queue.write((): void => {
        clock.advance(ms)
      })
    return passed.delays.splice(0)
  }
  expect(await hold(10, 10, 4, 1)).toEqual([])
  expect(await hold(24)).toEqual([12])
  expect(await hold(1)).toEqual([])
  // The lock is free for long enough while nothing is written.
  clock.advance(12)
  expect(await hold(24, 1)).toEqual([])
  expect(await hold(0)).toEqual([12])
})

test('a write waits for the lock of another process, asks every 10 ms, and is refused when its time is over', async () => {
  const folder = newFolder()
  const file = folder.file('lines.db')
  using passed = passTime()
  sql = new Sql(new Database(file))
  sql.script(TABLE)
  using other = new Database(file)
  queue = open({ lockWaitMs: 30 })
  for (let round = 0; round < 2; round++) {
    other.run('BEGIN IMMEDIATE')
    const waiting = [messageOf(write('a'))]
    await turn()
    waiting.push(messageOf(write('b')))
    expect(await Promise.all(waiting)).toEqual(Array(2).fill(expect.stringContaining('locked')))
    expect([passed.delays.splice(0), queue.problem?.code]).toEqual([[10, 10, 10], 'unavailable'])
    other.run('ROLLBACK')
    expect([await write('c'), queue.problem]).toEqual(['c', undefined])
  }
  folder.remove()
})

test('writes of requests wait one turn for as many as before, and those of the server for none', async () => {
  const both = (one: string, other: string, key: string) => {
    // The second arrives in the turn in which the first has run.
    const first = write(one, key)
    return Promise.all([first, turn().then(() => write(other, key && `${key} too`))])
  }
  await Promise.all([write('a', 'x'), write('b', 'y'), write('c', 'z')])
  await both('d', 'e', 'x')
  await Promise.all([write('f', 'x'), write('g', 'y'), write('h', 'z')])
  await both('i', 'j', '')
  expect(calls).toEqual(['commit a,b,c', 'commit d,e', 'commit f,g,h', 'commit i', 'commit j'])
})

test('a write that waits for others is committed without them', async () => {
  await Promise.all([write('a', 'x'), write('b', 'y')])
  await write('c', 'x')
  await write('d', 'x')
  expect(calls).toEqual(['commit a,b', 'commit c', 'commit d'])
})

test('the disk is probed before the first write after a pause', async () => {
  disk.hasResponded = false
  await Promise.all([write('a'), write('b')])
  await write('c')
  expect(calls).toEqual(['probe', 'commit a,b', 'commit c'])
  expect(queue.commitSizes.counts.reduce((sum, count) => sum + count)).toBe(2)
})

test('neither another write nor a pause begins while a commit is being synced', async () => {
  disk.held = Promise.withResolvers()
  const first = write('a').then(() => calls.push('a saved'))
  await settle()
  const others = [
    write('b').then(() => calls.push('b saved')),
    queue.pauseDuring(async () => void calls.push('pause')),
  ]
  queue.afterSync(() => calls.push('synced'))
  await settle()
  expect(calls).toEqual(['commit a'])
  disk.held.resolve()
  disk.held = undefined
  await Promise.all([first, ...others])
  expect(calls.slice(1).toSorted()).toEqual(['a saved', 'b saved', 'commit b', 'pause', 'synced'])
  expect(calls.indexOf('synced')).toBeLessThan(calls.indexOf('commit b'))
  queue.afterSync(() => calls.push('at once'))
  expect(calls.at(-1)).toBe('at once')
})

test('no write runs during a pause, and the queue goes on after it, also after a failure', async () => {
  const end = Promise.withResolvers<void>()
  const pause = messageOf(queue.pauseDuring(() => end.promise))
  await settle()
  const waiting = write('a')
  await settle()
  expect(calls).toEqual([])
  end.reject(new Error('broken'))
  expect(await pause).toBe('broken')
  expect(await waiting).toBe('a')
  expect(await queue.pauseDuring(async () => 'result')).toBe('result')
})

test('a sync that fails refuses its writes, their refusals and the queued writes', async () => {
  disk.held = Promise.withResolvers()
  const first = [write('a', 'x'), refusedWrite('It rests on a.')].map(messageOf)
  await settle()
  const queued = messageOf(write('b', 'y'))
  disk.held.reject(LOST)
  disk.held = undefined
  expect(await Promise.all([...first, queued])).toEqual([LOST.message, LOST.message, LOST.message])
  expect([queue.problem, rows()]).toEqual([LOST, ['a']])
  expect(await write('c')).toBe('c')
  expect(queue.problem).toBeUndefined()
})

test('a disk that is late is logged, and so is its next response', async () => {
  const late: string[] = []
  queue.onLateSync(() => late.push(logged()))
  disk.held = Promise.withResolvers()
  const writing = messageOf(write('a'))
  await settle()
  clock.advance(9_999)
  expect([late, queue.isLate]).toEqual([[], false])
  clock.advance(1_001)
  expect(await writing).toContain('does not respond')
  expect([late.length, queue.isLate, await messageOf(write('b'))]).toEqual([1, true, await writing])
  disk.held.resolve()
  disk.held = undefined
  await settle()
  expect([queue.isLate, await write('c'), rows()]).toEqual([false, 'c', ['a', 'c']])
  expect(logged().match(/(?<="message":").*?(?=")/g)).toEqual([
    'the disk does not respond: writes are refused until it does',
    'the disk responds again',
  ])
})

test('a commit that fails is logged, refused, and tried again every second until one succeeds', async () => {
  let isFull = true
  queue = open({
    beforeCommit: () => {
      if (isFull) throw unavailable('Full.')
    },
  })
  expect(await Promise.all([write('a'), write('b')].map(messageOf))).toEqual(['Full.', 'Full.'])
  expect(logged()).toContain('"message":"commit failed"')
  expect(logged()).toContain('"writes":2')
  expect([rows(), sql.database.inTransaction, queue.problem?.message]).toEqual([[], false, 'Full.'])
  clock.advance(1_000)
  await settle()
  expect(queue.problem?.message).toBe('Full.')
  isFull = false
  clock.advance(1_000)
  await settle()
  expect([queue.problem, calls]).toEqual([undefined, ['commit ']])
  clock.advance(10_000)
  await settle()
  expect(calls).toEqual(['commit '])
})

test('a closed queue refuses everything and tries nothing again', async () => {
  queue = open({
    beforeCommit: () => {
      calls.push('try')
      throw unavailable('Full.')
    },
  })
  await messageOf(write('a'))
  const waiting = [write('b'), queue.pauseDuring(async () => 'paused')].map(messageOf)
  queue.close(unavailable('Closed.'))
  expect(await Promise.all([...waiting, messageOf(write('c'))])).toEqual(['Closed.', 'Closed.', 'Closed.'])
  clock.advance(10_000)
  await settle()
  expect([calls, queue.refusal?.message, queue.problem?.message]).toEqual([['try'], 'Closed.', 'Closed.'])
  queue.close(unavailable('Closed again.'))
  expect(queue.refusal?.message).toBe('Closed.')
})

test('a refusal after the commit rejects the writes and the pause that may be lost', async () => {
  const seen: (Refusal | undefined)[] = []
  queue = open({
    onCommit: (failure) => {
      seen.push(failure)
      return LOST
    },
  })
  expect(await messageOf(write('a'))).toBe(LOST.message)
  expect(await messageOf(queue.pauseDuring(async () => {}))).toBe(LOST.message)
  expect([rows(), seen]).toEqual([['a'], [undefined, undefined]])
})

test('a write that ends the transaction itself takes the whole group with it', async () => {
  const breaking = (tx: Tx): void => {
    tx.sql.run('ROLLBACK')
    throw new Error('broken')
  }
  const outcomes = await Promise.all([write('a'), queue.write(breaking)].map(messageOf))
  expect([outcomes, rows(), queue.problem]).toEqual([['broken', 'broken'], [], undefined])
  expect(await write('b')).toBe('b')
})

test('a transaction that cannot begin refuses the queued writes with the error', async () => {
  sql.run('BEGIN')
  expect(await messageOf(write('a'))).toContain('cannot start a transaction within a transaction')
  sql.run('COMMIT')
  expect([queue.problem, await write('b')]).toEqual([undefined, 'b'])
})

test('a refused write is rolled back alone, whatever its place in the group', async () => {
  const failing = (text: string) =>
    queue.write((tx): void => {
      insert(text)(tx)
      throw new Error(text)
    })
  const all = [failing('1'), write('a'), failing('2'), write('b'), failing('3')]
  expect(await Promise.all(all.map(messageOf))).toEqual(['1', 'a', '2', 'b', '3'])
  expect(rows()).toEqual(['a', 'b'])
  expect(calls.at(-1)).toContain('b')
})

test('a dry run returns its outcome and is rolled back; other errors are thrown', async () => {
  const trial = queue.write((tx): string => {
    insert('never')(tx)
    throw new Trial('outcome')
  })
  expect(await resultOf(trial)).toBe('outcome')
  expect(await messageOf(resultOf(refusedWrite()))).toBe('No.')
  expect(await resultOf(write('a'))).toBe('a')
  expect(rows()).toEqual(['a'])
})

test('an after-commit action that fails is logged, and the others run', async () => {
  const ran: string[] = []
  await queue.write((tx): void => {
    tx.afterCommit(() => {
      throw new Error('broken')
    })
    tx.afterCommit(() => ran.push('second'))
  })
  expect(ran).toEqual(['second'])
  expect(logged()).toContain('after-commit action failed')
})

test('tests can fail a write between its commit and its response', async () => {
  const reached: FailurePoint[] = []
  watchFailurePoints((point) => reached.push(point))
  await write('a').then(() => reached.push('checkpointed'))
  expect(reached).toEqual(['synced', 'notified', 'checkpointed'])
})
