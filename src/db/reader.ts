import type { Database } from 'bun:sqlite'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import type { Sql, SqlValue } from './sql.ts'

export type Orm = BunSQLiteDatabase<Record<string, never>>

/**
 * What a read needs: `sql` for the hot paths, `orm` (drizzle, always prepared) for the others. Both use one
 * connection, and see the same state of it.
 */
export interface Reader {
  readonly sql: Sql
  readonly orm: Orm
}

/** The part of a connection that drizzle uses: statements run through `Sql`, in the same snapshot and statement cache. */
class OrmConnection {
  constructor(private readonly sql: Sql) {}

  prepare(text: string) {
    const { sql } = this
    return {
      run: (...values: SqlValue[]) => sql.run(text, ...values),
      all: (...values: SqlValue[]) => sql.all(text, ...values),
      values: (...values: SqlValue[]) => sql.rows(text, ...values),
    }
  }
}

/** A reader whose query builder runs every statement through `sql`. */
export const readerOf = (sql: Sql): Reader => ({
  sql,
  orm: drizzle(new OrmConnection(sql) as unknown as Database),
})

/**
 * Builds a drizzle statement once per database: building one costs ten times as much as running it.
 * `const byId = prepared((orm) => orm.select()…prepare())`, then `byId(reader).get({ id })`.
 */
export function prepared<Query>(build: (orm: Orm) => Query): (reader: Reader) => Query {
  const built = new WeakMap<Orm, Query>()
  return ({ orm }) => {
    const known = built.get(orm)
    if (known) return known
    const query = build(orm)
    built.set(orm, query)
    return query
  }
}
