import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { asUnavailable } from '../../src/storage/errors.ts'

/** An error of SQLite; the class cannot be constructed directly. */
function errorOfSqlite(): unknown {
  using database = new Database(':memory:')
  try {
    return database.run('COMMIT')
  } catch (error) {
    return error
  }
}

const sentenceFor = (code: string) =>
  (asUnavailable(Object.create(errorOfSqlite() as object, { code: { value: code } })) as Error).message

test('a commit that the disk fails to sync is reported as possibly written', () => {
  expect(sentenceFor('SQLITE_IOERR_WRITE')).toContain('nothing was written')
  expect(sentenceFor('SQLITE_IOERR_FSYNC')).toContain('may be lost. Read it again before you send it again')
})
