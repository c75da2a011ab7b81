import { expect, test } from 'bun:test'
import { DAY_MS } from '../../src/lib/dates.ts'
import { runRetention } from '../support/jobs.ts'
import { declare, write } from '../support/records.ts'
import { startService } from '../support/service.ts'

/*
 * A workspace's last transaction stores only its last change forever, because numbering continues from it.
 */
test('a transaction that is no longer kept whole is not found, and none of it is undone', async () => {
  const service = await startService()
  await declare(service, 'Rows', [{ key: 'a', type: 'text' }])
  await write(service, 'Rows', { a: '1' }, { a: '2' }, { a: '3' })
  service.clock.advance(31 * DAY_MS)
  await runRetention(service.ctx)
  const { changes } = (await service.get('/v1/changes')).body
  expect(changes).toHaveLength(1)
  const { status, body } = await service.post('/v1/changes/undo', { transaction: changes[0].transaction })
  expect([status, body.code]).toEqual([404, 'not_found'])
  expect((await service.get('/v1/records?structure=Rows')).body.total).toBe(3)
  service.close()
})
