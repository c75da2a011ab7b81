import { Database } from 'bun:sqlite'
import type { SqlValue } from '../../src/storage/sql.ts'
import type { TestService } from './service.ts'

/*
 * The only ways of a test into the database: for states that no request makes, and for facts that the API hides.
 * `contract/architecture.test.ts` lists the files that use them, by reason.
 */

/** A service, or the path of a database that nothing else writes to. */
type Target = Pick<TestService, 'ctx'> | string

function inFile<Result>(
  path: string,
  options: { readonly?: true },
  use: (database: Database) => Result,
): Result {
  const database = new Database(path, options.readonly ? options : { readwrite: true, create: true })
  try {
    database.run('PRAGMA busy_timeout = 5000')
    return use(database)
  } finally {
    database.close()
  }
}

/** Puts the database into a state that no request makes: one of an older version, damaged, or far larger. */
export async function alter(target: Target, script: string, ...values: SqlValue[]): Promise<void> {
  if (typeof target === 'string')
    inFile(
      target,
      {},
      (database) => void (values.length > 0 ? database.run(script, values as never) : database.run(script)),
    )
  else
    await target.ctx.db.write((tx): void => {
      if (values.length > 0) tx.sql.run(script, ...values)
      else tx.sql.script(script)
    })
}

/** Returns rows that the API hides: secrets in their stored form, data that expires, the work that is pending. */
export function stored<Row = Record<string, SqlValue>>(
  target: Target,
  query: string,
  ...values: SqlValue[]
): Row[] {
  if (typeof target !== 'string') return target.ctx.db.sql.all<Row & object>(query, ...values)
  return inFile(
    target,
    { readonly: true },
    (database) => database.query(query).all(...(values as never[])) as Row[],
  )
}

/** Returns the first value of each row. */
export const storedValues = <Value = SqlValue>(
  target: Target,
  query: string,
  ...values: SqlValue[]
): Value[] => stored(target, query, ...values).map((row) => Object.values(row)[0] as Value)

/** Counts the rows of tables, for removals that must leave nothing behind. */
export const sizesOf = (target: Target, ...tables: string[]): number[] =>
  tables.map((table) => storedValues<number>(target, `SELECT count(*) FROM ${table}`)[0] ?? 0)

/** Resolves after the commit of all writes so far, such as the time of the last use of a key. */
export const committed = ({ ctx }: Pick<TestService, 'ctx'>): Promise<void> => ctx.db.write((): void => {})
