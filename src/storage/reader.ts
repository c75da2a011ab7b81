import type { Sql } from './sql.ts'

/** The context of a read. All statements of one connection see the same state of the database. */
export interface Reader {
  readonly sql: Sql
}
