import { expect, test } from 'bun:test'
import { faultsIn } from '../../support/check.ts'
import { alter, sizesOf } from '../../support/database.ts'
import { mirrorOf } from '../../support/mirror.ts'
import { declare, write } from '../../support/records.ts'
import { startService } from '../../support/service.ts'
import { makePayments, makeSource, pathOf, stripeHeader } from '../../support/sources.ts'

test('a copy has subscriptions to notes, files and moments as the remote shows them, and sends nothing', async () => {
  const service = await startService()
  await declare(service, 'Tasks', [{ key: 'day', type: 'date' }])
  await write(service, 'Tasks', { day: '2027-01-01' })
  const url = 'https://hooks.example.com/'
  const moments = { structure: 'Tasks', events: ['record.due'], due: { field: 'day' }, format: 'ntfy' }
  for (const hook of [{ kind: 'note', quiet_seconds: 5 }, { kind: 'file' }, moments])
    expect((await service.post('/v1/webhooks', { url, ...hook })).status).toBe(201)
  const mirror = await mirrorOf(service)
  const shown = async () =>
    (await service.get('/v1/webhooks')).body.webhooks.map((webhook: object) => ({
      ...webhook,
      enabled: false,
      status: 'disabled',
    }))
  expect((await mirror.get('/v1/webhooks')).body.webhooks).toEqual(await shown())
  const [note, , due] = await shown()
  await service.patch(`/v1/webhooks/${due.id}`, { format: null, due: { field: 'day', offset_days: 1 } })
  await service.patch(`/v1/webhooks/${note.id}`, {
    filter: { type: 'field', field: 'title', op: 'contains', value: 'a' },
  })
  await service.post('/v1/notes', { title: 'a' })
  await write(service, 'Tasks', { day: '2027-01-02' })
  await mirror.catchUp()
  expect((await mirror.get('/v1/webhooks')).body.webhooks).toEqual(await shown())
  const tables = ['webhook_events', 'webhook_moments', 'webhook_schedules', 'webhook_waiting']
  expect(sizesOf(mirror, ...tables)).toEqual([0, 0, 0, 0])
  expect(faultsIn(service)).toEqual([])
  await mirror.close()
  service.close()
})

test('a source of a copy has no events, and does not differ from that of the remote because of them', async () => {
  const service = await startService()
  await makePayments(service)
  const source = await makeSource(service)
  const body = JSON.stringify({ id: 'evt_1', data: { number: 'R-1' } })
  const mirror = await mirrorOf(service)
  const called = await service.request('POST', pathOf(source.url), body, {
    'stripe-signature': stripeHeader(body, service.clock.now()),
  })
  expect(called.body.status).toBe('written')
  await mirror.catchUp()
  expect(await mirror.differing()).toEqual([])
  const [copied] = (await mirror.get('/v1/sources')).body.sources
  const [shown] = (await service.get('/v1/sources')).body.sources
  expect(shown.counts.written).toBe(1)
  expect(copied).toEqual({
    ...shown,
    url: null,
    enabled: false,
    counts: { ...shown.counts, written: 0 },
    last_event_at: null,
  })
  await mirror.close()
  service.close()
})

test('events that wait and failed deliveries of the remote make no difference to a copy', async () => {
  const service = await startService()
  await declare(service, 'Tasks', [{ key: 'title', type: 'text' }])
  await service.post('/v1/webhooks', { structure: 'Tasks', delivery: 'pull' })
  await service.post('/v1/webhooks', { structure: 'Tasks', url: 'https://hooks.example.com/' })
  const mirror = await mirrorOf(service)
  await write(service, 'Tasks', { title: 'Oak' })
  await alter(
    service,
    'UPDATE webhooks SET consecutive_failures = 1, updated_at = updated_at + 1 WHERE delivery IS NULL',
  )
  await mirror.catchUp()
  const { webhooks } = (await service.get('/v1/webhooks')).body
  expect(webhooks[0]).toMatchObject({ delivery: 'pull', pending: 1 })
  expect(await mirror.differing()).toEqual([])
  await mirror.close()
  service.close()
})
