import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { asc } from 'drizzle-orm'
import { openDatabase } from '../../src/db/database.ts'
import { prepared, type Reader } from '../../src/db/reader.ts'
import { users } from '../../src/db/schema/account.ts'
import { createLog } from '../../src/lib/log.ts'
import { newFolder } from '../support/process.ts'
import { testClock } from '../support/service.ts'

const byBuilder = prepared((orm) =>
  orm.select({ name: users.name }).from(users).orderBy(asc(users.pk)).prepare(),
)

/** The names of all users: by SQL, by the prepared query builder, and by the query builder itself. */
const names = (reader: Reader) => [
  reader.sql.column<string>('SELECT name FROM users ORDER BY pk'),
  byBuilder(reader)
    .all()
    .map(({ name }) => name),
  reader.orm
    .select({ name: users.name })
    .from(users)
    .orderBy(asc(users.pk))
    .all()
    .map(({ name }) => name),
]
const same = (...list: string[]) => [list, list, list]

const INSERT = 'INSERT INTO users (id, name, name_fold, created_at) VALUES (?1, ?1, ?1, 0)'

test('SQL and the query builder see one state, whoever writes', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const clock = testClock()
  const log = createLog('silent', clock, () => {})
  const db = openDatabase({ file, programVersion: '0.0.0', clock, log, role: 'server' })
  const outside = new Database(file)

  expect(db.sql.scalar<number>('SELECT count(*) FROM users')).toBe(0)
  outside.run(INSERT, ['outside'])
  // No timer runs in between: this is still the snapshot that was read from before.
  expect(names(db)).toEqual(same())
  db.refresh()
  expect(names(db)).toEqual(same('outside'))

  const within = await db.write((tx): string[][] => {
    tx.sql.run(INSERT, 'within')
    expect(names(db)).toEqual(same('outside'))
    return names(tx)
  })
  expect(within).toEqual(same('outside', 'within'))
  expect(names(db)).toEqual(same('outside', 'within'))

  outside.close()
  db.close()
  folder.remove()
})
