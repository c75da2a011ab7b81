import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { createLog } from '../../src/lib/log.ts'
import { type Db, openDatabase } from '../../src/storage/database.ts'
import { newFolder } from '../support/process.ts'
import { settle, testClock } from '../support/service.ts'

let folder: ReturnType<typeof newFolder>
let file: string
let db: Db

beforeEach(() => {
  folder = newFolder()
  file = folder.file('way.db')
  const clock = testClock()
  const log = createLog('silent', clock, () => {})
  db = openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server' })
})

afterEach(() => {
  db.close()
  folder.remove()
})

const line = (text: string) =>
  db.write((tx): string => {
    tx.sql.run('INSERT INTO lines (text) VALUES (?)', text)
    return text
  })

test('writes wait without limit for another connection of this process, for one action at most', async () => {
  await db.write((tx): void => tx.sql.script('CREATE TABLE lines (text TEXT)'))
  const other = new Database(file)
  const order: string[] = []
  const pause = (name: string, until: Promise<void>) =>
    db.pauseDuring(async () => {
      order.push(`begin ${name}`)
      other.run('BEGIN IMMEDIATE')
      other.run('INSERT INTO lines (text) VALUES (?)', [name])
      await until
      other.run('COMMIT')
      order.push(`end ${name}`)
    })
  const end = Promise.withResolvers<void>()
  const before = line('before').then((text) => order.push(text))
  const pauses = [pause('first', end.promise), pause('second', Promise.resolve())]
  const between = line('between').then((text) => order.push(text))
  while (order.length < 2) await settle()
  for (let turn = 0; turn < 20; turn++) await settle()
  expect(order).toEqual(['before', 'begin first'])
  end.resolve()
  await Promise.all([before, ...pauses, between])
  expect(order).toEqual(['before', 'begin first', 'end first', 'between', 'begin second', 'end second'])
  expect(db.sql.column<string>('SELECT text FROM lines')).toEqual(['before', 'first', 'between', 'second'])
  other.close()
})

test('writes of another connection are not acknowledged if the database was moved meanwhile', async () => {
  const written = db.pauseDuring(async () => {
    renameSync(file, folder.file('moved.db'))
    return 'written'
  })
  await expect(written).rejects.toThrow('was replaced or removed')
})
