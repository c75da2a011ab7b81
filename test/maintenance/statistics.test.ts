import { afterAll, expect, spyOn, test } from 'bun:test'
import { refreshStatistics } from '../../src/maintenance/statistics.ts'
import { newFolder } from '../support/process.ts'
import { declare, field, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

const folder = newFolder()
afterAll(() => folder.remove())

async function withNotes(file?: string): Promise<TestService> {
  const service = await startService(file === undefined ? {} : { file })
  for (const title of ['One', 'Two', 'Three']) await service.post('/v1/notes', { title })
  return service
}

const statistics = ({ ctx }: TestService) =>
  ctx.db.sql.all<{ tbl: string; stat: string }>('SELECT tbl, stat FROM sqlite_stat1')

/** How many notes SQLite's query planner believes in. */
const countedNotes = (service: TestService) =>
  statistics(service)
    .filter(({ tbl }) => tbl === 'notes')
    .map(({ stat }) => stat.split(' ')[0])

/** Returns how many transactions were committed meanwhile, by all threads. */
async function refreshCountingCommits({ ctx }: TestService): Promise<number> {
  let commits = 0
  const stop = ctx.db.onCommit(() => {
    commits += 1
  })
  await refreshStatistics(ctx)
  stop()
  return commits
}

test('each table gets a transaction of its own, between which others write', async () => {
  const service = await withNotes()
  const commits = await refreshCountingCommits(service)
  expect(countedNotes(service)).toContain('3')
  expect(commits).toBeGreaterThanOrEqual(new Set(statistics(service).map(({ tbl }) => tbl)).size)
  await service.close()
})

async function withLongNotes(file: string): Promise<TestService> {
  const service = await withNotes(file)
  const content = 'text '.repeat(200_000)
  for (let at = 0; at < 20; at += 1) await service.post('/v1/notes', { title: `Long ${at}`, content })
  return service
}

test('in a large file the main thread only asks which tables are to be counted, and announces it', async () => {
  const service = await withLongNotes(folder.file('large.db'))
  const tasks = spyOn(service.ctx.worker, 'write')
  const commits = await refreshCountingCommits(service)
  expect(countedNotes(service)).toContain('23')
  expect(tasks.mock.calls.length).toBe(commits - 2)
  tasks.mockRestore()
  await service.close()
})

test('a table of a large file that has grown much is counted again once', async () => {
  const service = await withLongNotes(folder.file('grown.db'))
  await refreshStatistics(service.ctx)
  await declare(service, 'Numbers', [field('number', 'number')])
  await write(service, 'Numbers', ...Array.from({ length: 400 }, (_, number) => ({ number })))
  const tasks = spyOn(service.ctx.worker, 'write')
  const counted: unknown[] = []
  for (const key of [0, 1]) {
    // SQLite looks at the tables for which it has planned a query lately.
    await service.ctx.db.write(
      (tx): void => void tx.sql.get(`SELECT 1 FROM changes WHERE object = x'00' AND key > ${key}`),
    )
    tasks.mockClear()
    await refreshStatistics(service.ctx)
    counted.push(tasks.mock.calls.map(([, statement]) => statement))
  }
  expect(counted).toEqual([expect.arrayContaining(['ANALYZE "main"."changes"']), []])
  tasks.mockRestore()
  await service.close()
})

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
      // One that is kept would keep the state that it has read.
      const statement = db.sql.database.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query(table)}`)
      const [step] = statement.all()
      statement.finalize()
      return step?.detail
    }
    const plans = () => tables.map(planOf)
    const stop = db.onCommit(() => void plans())
    await refreshStatistics(service.ctx)
    stop()
    expect(plans()).toEqual(tables.map((table) => `SEARCH ${table} USING INDEX ${table}_other (other=?)`))
    await service.close()
  },
)
