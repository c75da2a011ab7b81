import { expect, test } from 'bun:test'
import { refreshStatistics } from '../../src/maintenance/statistics.ts'
import { startService } from '../support/service.ts'

test("the query planner's statistics are refreshed with a commit for each table, between which others write", async () => {
  const service = await startService()
  for (const title of ['One', 'Two', 'Three']) await service.post('/v1/notes', { title, tags: ['t'] })
  const { db } = service.ctx
  const statistics = () =>
    db.sql.all<{ tbl: string; stat: string }>('SELECT tbl, stat FROM sqlite_stat1 ORDER BY tbl, idx')
  let commits = 0
  const stop = db.onCommit(() => {
    commits += 1
  })
  await refreshStatistics(db)
  stop()
  const tables = new Set(statistics().map(({ tbl }) => tbl))
  expect(tables).toContain('notes')
  expect(statistics().find(({ tbl }) => tbl === 'notes')?.stat).toStartWith('3 ')
  await service.close()
  expect(commits).toBeGreaterThanOrEqual(tables.size)
})
