import type { Sql } from './sql.ts'

/** What a read needs. All statements of one connection see the same state of the database. */
export interface Reader {
  readonly sql: Sql
}
