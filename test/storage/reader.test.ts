import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createLog } from '../../src/lib/log.ts'
import { openDatabase } from '../../src/storage/database.ts'
import type { Reader } from '../../src/storage/reader.ts'
import { newFolder } from '../support/process.ts'
import { testClock } from '../support/service.ts'

/** The names of all users. */
const names = ({ sql }: Reader) => sql.column<string>('SELECT name FROM users ORDER BY pk')

const INSERT = 'INSERT INTO users (id, name, name_fold, created_at) VALUES (?1, ?1, ?1, 0)'

test('readers see one state until a commit of their process or of another one, and a transaction its own', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const clock = testClock()
  const log = createLog('silent', clock, () => {})
  const db = openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server' })
  const outside = new Database(file)

  expect(db.sql.scalar<number>('SELECT count(*) FROM users')).toBe(0)
  // Another process commits while this thread waits.
  await Promise.try(() => outside.run(INSERT, ['outside']))
  expect(names(db)).toEqual(['outside'])

  const within = await db.write((tx): string[] => {
    tx.sql.run(INSERT, 'within')
    expect(names(db)).toEqual(['outside'])
    return names(tx)
  })
  expect(within).toEqual(['outside', 'within'])
  expect(names(db)).toEqual(['outside', 'within'])

  outside.close()
  db.close()
  folder.remove()
})
