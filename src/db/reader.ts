import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { Sql } from './sql.ts'

export type Orm = BunSQLiteDatabase<Record<string, never>>

/** What a read needs: `sql` for the hot paths, `orm` (drizzle, always prepared) for the calm ones. */
export interface Reader {
  readonly sql: Sql
  readonly orm: Orm
}

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
