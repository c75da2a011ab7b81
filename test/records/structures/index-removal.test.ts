import { expect, test } from 'bun:test'
import { countJobs } from '../../../src/kernel/jobs.ts'
import {
  indexRemoval,
  markUsed,
  recordIndex,
  unusedIndexRemoval,
} from '../../../src/records/structures/storage/auto-index.ts'
import { indexesOf } from '../../support/indexes.ts'
import { runJobs, runRecurring } from '../../support/jobs.ts'
import { declare } from '../../support/records.ts'
import { startService } from '../../support/service.ts'

const DAY_MS = 86_400_000

test('all unused indexes are dropped, except those used before it is their turn', async () => {
  const service = await startService()
  const { id } = await declare(service, 'tasks', [{ key: 'status', type: 'text' }])
  const { db } = service.ctx
  const structurePk = db.sql.scalar<number>('SELECT pk FROM structures WHERE id = ?', id)
  const columns = Array.from({ length: 450 }, (_, at) => `f${at + 1}`)
  await db.write((tx): void => {
    for (const column of columns) recordIndex(tx, { structurePk, column }, tx.now)
  })
  service.clock.advance(31 * DAY_MS)
  await runRecurring(service.ctx, [unusedIndexRemoval])
  expect(countJobs(db, indexRemoval)).toBe(450)
  await db.write((tx): void => void markUsed(tx, { structurePk, column: 'f300' }, tx.now))
  await runJobs(service.ctx)
  expect(indexesOf(service)).toEqual(['f300'])
  service.close()
})
