import { afterAll, expect, test } from 'bun:test'
import { refreshStatistics } from '../support/jobs.ts'
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
])('the hourly refresh of a %s file covers every table while requests are served', async (size, open) => {
  const service = await open(folder.file(`refreshed-${size}.db`))
  const { db } = service.ctx
  const tables = ['first', 'second', 'third']
  await db.write((tx): void => {
    for (const table of tables) {
      tx.sql.script(
        `CREATE TABLE ${table} (same INTEGER, other INTEGER);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
           INSERT INTO ${table} SELECT 1, i FROM n;
         CREATE INDEX ${table}_other ON ${table} (other);
         CREATE INDEX ${table}_same ON ${table} (same)`,
      )
      tx.sql.get(`SELECT 1 FROM ${table} WHERE same = 1 AND other = 1`)
    }
  })
  const requests: Promise<{ status: number }>[] = []
  const stop = db.onCommit(() => void requests.push(service.get('/v1/notes?limit=1')))
  await refreshStatistics(service.ctx)
  stop()
  expect(new Set((await Promise.all(requests)).map(({ status }) => status))).toEqual(new Set([200]))
  const covered = db.sql.column<string>('SELECT DISTINCT tbl FROM sqlite_stat1')
  expect(covered).toEqual(expect.arrayContaining(tables))
  const left = "SELECT name FROM sqlite_schema WHERE name LIKE 'statistics%'"
  expect(db.sql.column(left)).toEqual([])
  await service.close()
})
