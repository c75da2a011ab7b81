import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { Sql } from '../../src/storage/sql.ts'

const ROWS = 5_000
const READ = 'SELECT value FROM numbers LIMIT ?'

test('a statement that once exceeded the read limit is soon read completely again', () => {
  const sql = new Sql(new Database(':memory:'))
  sql.script('CREATE TABLE numbers (value)')
  sql.run(
    `INSERT INTO numbers SELECT value FROM json_each(?)`,
    JSON.stringify(Array.from({ length: 2 * ROWS }, (_, at) => at)),
  )
  const isRead = (rows: number): boolean => {
    try {
      return (
        sql.withRowLimit(
          ROWS,
          () => new Error('too long'),
          () => sql.all(READ, rows),
        ).length === rows
      )
    } catch {
      return false
    }
  }
  const fits = ROWS / 2
  expect([isRead(fits), isRead(2 * ROWS)]).toEqual([true, false])
  const tries = Array.from({ length: 100 }, () => isRead(fits))
  expect(tries.indexOf(true)).toBeLessThan(20)
  expect(tries.slice(tries.indexOf(true))).not.toContain(false)
  sql.finalize()
  sql.database.close()
})
