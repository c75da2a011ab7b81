import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { openDatabase } from '../../src/db/database.ts'
import { Sql } from '../../src/db/sql.ts'
import { WriteQueue } from '../../src/db/writes/write-queue.ts'
import { createIdSource } from '../../src/lib/ids.ts'
import { createLog } from '../../src/lib/log.ts'
import { newFolder } from '../support/process.ts'
import { testClock } from '../support/service.ts'

let folder: ReturnType<typeof newFolder>
let file: string

beforeEach(() => {
  folder = newFolder()
  file = folder.file('way.db')
})

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
  order.length = 0
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pauses = ends.map(({ promise }, at) =>
    queue.pauseDuring(async () => {
      order.push(`begin ${at}`)
      await promise
      order.push(`end ${at}`)
    }),
  )
  const between = line('between two').then((text) => order.push(text))
  ends[1]?.resolve()
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual(['begin 0'])
  ends[0]?.resolve()
  await Promise.all([...pauses, between])
  expect(order).toEqual(['begin 0', 'end 0', 'between two', 'begin 1', 'end 1'])
  // Waiting for a turn commits nothing.
  expect(queue.commitSizes.sum).toBe(3)
  other.run('BEGIN IMMEDIATE')
  expect(await line('refused').catch(({ code }) => code)).toBe('unavailable')
  other.run('ROLLBACK')
  queue.close()
  sql.finalize()
  other.close()
  database.close()
})

test('a write that waited for others waits for the lock of another process as long as any other', async () => {
  const database = new Database(file)
  database.run('PRAGMA journal_mode = WAL')
  database.run('CREATE TABLE lines (text TEXT)')
  const other = new Database(file)
  const clock = testClock()
  const log = createLog('silent', clock, () => {})
  const sql = new Sql(database)
  const queue = new WriteQueue({ sql, clock, log, newId: createIdSource(), lockWaitMs: 200 })
  const long = queue.write((tx): void => {
    const since = performance.now()
    while (performance.now() - since < 250);
    tx.afterCommit(() => {
      other.run('BEGIN IMMEDIATE')
      // Once the next write has tried to take it.
      setImmediate(() => setImmediate(() => other.run('ROLLBACK')))
    })
  })
  const next = queue.write((tx): void => void tx.sql.run("INSERT INTO lines VALUES ('after it')"))
  await Promise.all([long, next])
  expect(sql.column<string>('SELECT text FROM lines')).toEqual(['after it'])
  queue.close()
  sql.finalize()
  other.close()
  database.close()
})

test('what another connection of ours wrote is not acknowledged if the database was moved away meanwhile', async () => {
  const clock = testClock()
  const log = createLog('silent', clock, () => {})
  const db = openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server' })
  const written = db.pauseDuring(async () => {
    renameSync(file, folder.file('moved.db'))
    return 'written'
  })
  await expect(written).rejects.toThrow('was replaced or removed')
  db.close()
})
