import { Database } from 'bun:sqlite'
import { VISIBLE } from '../../src/files/store.ts'
import { Sql } from '../../src/storage/sql.ts'
import type { TestService } from './service.ts'

/** Returns everything in a database, except files that no caller sees because they are incomplete or removed. */
function everythingIn(content: Uint8Array): Record<string, unknown> {
  // A database in memory has no log: bytes 18 and 19 say that the file is in journal mode instead of WAL mode.
  const bytes = new Uint8Array(content)
  bytes.fill(1, 18, 20)
  const sql = new Sql(Database.deserialize(bytes))
  const tables = sql.column<string>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'`,
  )
  const where = (name: string) => (name === 'files' ? `WHERE ${VISIBLE}` : '')
  const rows = tables.map((name) => [name, sql.rows(`SELECT * FROM "${name}" f ${where(name)}`)])
  sql.finalize()
  sql.database.close()
  return Object.fromEntries(rows)
}

/** Returns the content of the database of a service. */
export const contentOf = ({ ctx }: TestService): Uint8Array => ctx.db.sql.database.serialize()

/** Whether callers can see a difference between two contents of a database. */
export const isChanged = (before: Uint8Array, after: Uint8Array): boolean =>
  Buffer.compare(before, after) !== 0 && !Bun.deepEquals(everythingIn(before), everythingIn(after))
