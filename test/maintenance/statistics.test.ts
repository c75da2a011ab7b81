import { expect, test } from 'bun:test'
import { refreshStatistics } from '../../src/maintenance/statistics.ts'
import { startService } from '../support/service.ts'

test("the query planner's statistics are refreshed with a commit for each table, between which others write", async () => {
  const service = await startService()
  for (const title of ['One', 'Two', 'Three']) await service.post('/v1/notes', { title })
  const { db } = service.ctx
  let commits = 0
  const stop = db.onCommit(() => {
    commits += 1
  })
  await refreshStatistics(db)
  stop()
  const statistics = db.sql.all<{ tbl: string; stat: string }>('SELECT tbl, stat FROM sqlite_stat1')
  const counts = statistics.filter(({ tbl }) => tbl === 'notes').map(({ stat }) => stat.split(' ')[0])
  expect(counts).toContain('3')
  expect(commits).toBeGreaterThanOrEqual(new Set(statistics.map(({ tbl }) => tbl)).size)
  await service.close()
})
