import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { createLog } from '../../src/lib/log.ts'
import { refused } from '../../src/refusal.ts'
import { newFolder } from '../support/process.ts'
import { testClock } from '../support/service.ts'

/* Writes that do a part of their work in steps, before the commit. */

const clock = testClock()
const log = createLog('silent', clock, () => {})
/** Ends a write that is never interrupted. */
const MOST_STEPS = 200_000

let folder: ReturnType<typeof newFolder>
let db: Db
/** Another connection, which sees only what is committed. */
let outside: Database

const open = (role: 'server' | 'command') =>
  openDatabase({ file: folder.file('daybook.db'), programVersion: '0.0.0', clock, log, role })

beforeEach(async () => {
  folder = newFolder()
  db = open('server')
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT NOT NULL) STRICT'))
  outside = new Database(folder.file('daybook.db'))
})
afterEach(() => {
  outside.close()
  db.close()
  folder.remove()
})

const countOutside = () => outside.query<[number], []>('SELECT count(*) FROM lines').values()[0]?.[0]
const countRead = () => db.sql.scalar<number>('SELECT count(*) FROM lines')
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A write that writes a line in each step, until it is told to end. */
function writeUntil(isOver: () => boolean) {
  const written = { steps: 0 }
  const done = db.write((tx): void => {
    tx.inSteps(() => {
      tx.sql.run("INSERT INTO lines (text) VALUES ('step')")
      written.steps += 1
      return !isOver() && written.steps < MOST_STEPS
    })
  }, true)
  const hasBegun = async () => {
    while (written.steps === 0) await nextTurn()
  }
  return { written, done, hasBegun }
}

test('between the steps of a write reads are served, which see nothing of it, and other writes wait', async () => {
  let isSeen = false
  const order: string[] = []
  const { written, done, hasBegun } = writeUntil(() => isSeen)
  const long = done.then(() => order.push('long'))
  await hasBegun()
  const other = db
    .write((tx): void => void tx.sql.run("INSERT INTO lines (text) VALUES ('other')"))
    .then(() => order.push('other'))
  await nextTurn()
  expect([countRead(), countOutside()]).toEqual([0, 0])
  isSeen = true
  await Promise.all([long, other])
  expect(order).toEqual(['long', 'other'])
  expect(written.steps).toBeLessThan(MOST_STEPS)
  expect([countRead(), countOutside()]).toEqual([written.steps + 1, written.steps + 1])
})

test('a command does all steps at once: it reads from the connection that writes', async () => {
  db.close()
  db = open('command')
  let turns = 0
  const { done } = writeUntil(() => false)
  const counting = (async () => {
    while (countRead() === 0) {
      await nextTurn()
      turns += 1
    }
  })()
  await done
  await counting
  expect(countRead()).toBe(MOST_STEPS)
  expect(turns).toBeLessThan(10)
})

test('a database that is closed between two steps has the whole write', async () => {
  const { written, done, hasBegun } = writeUntil(() => written.steps === 100_000)
  await hasBegun()
  expect(written.steps).toBeLessThan(100_000)
  db.close()
  await done
  expect(countOutside()).toBe(100_000)
  db = open('server')
})

test('a refused write does none of its steps, and those of its group do theirs', async () => {
  const steps: string[] = []
  const write = (name: string, isRefused: boolean) =>
    db.write((tx): void => {
      tx.inSteps(() => {
        steps.push(name)
        tx.sql.run('INSERT INTO lines (text) VALUES (?)', name)
        return false
      })
      if (isRefused) throw refused('No.')
    })
  const outcomes = await Promise.allSettled([write('a', false), write('b', true), write('c', false)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect([steps, countOutside()]).toEqual([['a', 'c'], 2])
})

test('a step that fails leaves nothing of its write, and the next one is written', async () => {
  const failing = db.write((tx): void => {
    tx.sql.run("INSERT INTO lines (text) VALUES ('never')")
    tx.inSteps(() => {
      throw new Error('a mistake')
    })
  })
  const [outcome] = await Promise.allSettled([failing])
  expect([outcome.status, countRead(), countOutside()]).toEqual(['rejected', 0, 0])
  await db.write((tx): void => void tx.sql.run("INSERT INTO lines (text) VALUES ('next')"))
  expect(countOutside()).toBe(1)
})
