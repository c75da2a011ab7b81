import { afterAll, expect, test } from 'bun:test'
import { statisticsRefresh } from '../../src/kernel/statistics.ts'
import { runRecurring } from '../support/jobs.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

const folder = newFolder()
afterAll(() => folder.remove())

async function withNotes(file?: string): Promise<TestService> {
  const service = await startService(file === undefined ? {} : { file })
  for (const title of ['One', 'Two', 'Three']) await service.post('/v1/notes', { title })
  return service
}

async function withLongNotes(file: string): Promise<TestService> {
  const service = await withNotes(file)
  const content = 'text '.repeat(200_000)
  for (let at = 0; at < 20; at += 1) await service.post('/v1/notes', { title: `Long ${at}`, content })
  return service
}

test.each([
  ['small', withNotes],
  ['large', withLongNotes],
])(
  'requests use the statistics of every table of a %s file, also those that read meanwhile',
  async (size, open) => {
    const service = await open(folder.file(`read-${size}.db`))
    const { db } = service.ctx
    const tables = ['first', 'second', 'third']
    let queries = 0
    const query = (table: string) => `SELECT ${queries++} FROM ${table} WHERE same = 1 AND other = 1`
    await db.write((tx): void => {
      for (const table of tables)
        tx.sql.script(
          `CREATE TABLE ${table} (same INTEGER, other INTEGER);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
           INSERT INTO ${table} SELECT 1, i FROM n;
         CREATE INDEX ${table}_other ON ${table} (other);
         CREATE INDEX ${table}_same ON ${table} (same)`,
        )
      for (const table of tables) tx.sql.get(query(table))
    })
    const planOf = (table: string) => {
      db.sql.get('SELECT 1 FROM sqlite_schema')
      // A cached statement would keep the statistics that it was prepared with.
      const statement = db.sql.database.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query(table)}`)
      const [step] = statement.all()
      statement.finalize()
      return step?.detail
    }
    const plans = () => tables.map(planOf)
    const stop = db.onCommit(() => void plans())
    await runRecurring(service.ctx, [statisticsRefresh])
    stop()
    expect(plans()).toEqual(tables.map((table) => `SEARCH ${table} USING INDEX ${table}_other (other=?)`))
    await service.close()
  },
)
