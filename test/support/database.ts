import { Database } from 'bun:sqlite'
import { spyOn } from 'bun:test'
import { Sql, type SqlValue } from '../../src/storage/sql.ts'
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

/**
 * Puts the database into a state that no request makes: one of an older version, damaged, or far larger. In memory,
 * the statements run at once, and no listener is notified.
 */
export async function alter(target: Target, script: string, ...values: SqlValue[]): Promise<void> {
  if (typeof target === 'string') inFile(target, {}, (database) => run(new Sql(database), script, values))
  else if (target.ctx.db.file === ':memory:')
    target.ctx.db.sql.database.transaction(() => run(target.ctx.db.sql, script, values))()
  else await target.ctx.db.write((tx): void => run(tx.sql, script, values))
}

function run(sql: Sql, script: string, values: readonly SqlValue[]): void {
  if (values.length > 0) sql.run(script, ...values)
  else sql.script(script)
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

/** Returns the texts of the statements that an action runs in this thread. */
export async function statementsIn(
  { ctx }: Pick<TestService, 'ctx'>,
  action: () => Promise<unknown>,
): Promise<string[]> {
  const spies = (['run', 'get', 'all', 'rows'] as const).map((method) => spyOn(ctx.db.sql, method))
  await action()
  const texts = spies.flatMap(({ mock }) => mock.calls.map(([text]) => String(text)))
  for (const spy of spies) spy.mockRestore()
  return texts
}

/** Opens a database beside the commands and servers that use it, as another program does: to lock or to read it. */
export const openBeside = (file: string): Database => new Database(file)
