import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { Sql } from '../../src/db/sql.ts'
import { WriteQueue } from '../../src/db/writes/write-queue.ts'
import { createIdSource } from '../../src/lib/ids.ts'
import { createLog } from '../../src/lib/log.ts'
import { newFolder } from '../support/process.ts'
import { testClock } from '../support/service.ts'

const folder = newFolder()
const file = folder.file('way.db')

afterEach(() => folder.remove())

test('writes wait for another connection of ours as long as it takes, and no longer for anyone else', async () => {
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  database.run('CREATE TABLE lines (text TEXT)')
  const other = new Database(file)
  const clock = testClock()
  const log = createLog('silent', clock, () => {})
  const sql = new Sql(database)
  const options = { sql, clock, log, newId: createIdSource(), lockWaitMs: 0 }
  const queue = new WriteQueue(options)
  const line = (text: string) =>
    queue.write((tx): string => {
      tx.sql.run('INSERT INTO lines (text) VALUES (?)', text)
      return text
    })
  const done = Promise.withResolvers<void>()
  const made = queue.pauseDuring(async () => {
    other.run('BEGIN IMMEDIATE')
    other.run("INSERT INTO lines (text) VALUES ('the other')")
    await done.promise
    other.run('COMMIT')
    return 'made'
  })
  const waiting = line('one that waited')
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(queue.idle).toBe(false)
  done.resolve()
  expect(await made).toBe('made')
  expect(await waiting).toBe('one that waited')
  expect(sql.column<string>('SELECT text FROM lines')).toEqual(['the other', 'one that waited'])
  const order: string[] = []
  const first = line('one that came first').then((text) => order.push(text))
  const next = queue.pauseDuring(async () => void order.push('the next action'))
  await Promise.all([first, next])
  expect(order).toEqual(['one that came first', 'the next action'])
  const [writing, moving] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pauses = [writing, moving].map(({ promise }) => queue.pauseDuring(() => promise))
  const afterBoth = line('after both')
  moving.resolve()
  await pauses[1]
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(queue.idle).toBe(false)
  writing.resolve()
  expect(await afterBoth).toBe('after both')
  other.run('BEGIN IMMEDIATE')
  expect(await line('refused').catch(({ code }) => code)).toBe('unavailable')
  other.run('ROLLBACK')
  queue.close()
  sql.finalize()
  other.close()
  database.close()
})
