import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { faultsIn } from '../../support/check.ts'
import { alter, sizesOf } from '../../support/database.ts'
import { runJobs } from '../../support/jobs.ts'
import { declare, list, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'
import { deleteStructure } from '../../support/structures.ts'
import { allDeliveriesOf, deliveriesOf, payloadsOf, subscribe } from '../../support/webhooks.ts'

const NOW = '2026-11-21T09:30:00.000Z'
const URL = 'https://hooks.example.com/tasks'

let service: TestService
let structure: { id: string; name: string }

beforeEach(async () => {
  service = await startService()
  const { id, name } = await declare(service, 'Tasks', [
    { key: 'what', type: 'text', unique: true },
    { key: 'n', type: 'number', min: 0 },
  ])
  structure = { id, name }
})
afterEach(() => service.close())

const bodies = ({ id }: { id: string }) => payloadsOf(service, id)

test('each kind of change has its complete payload', async () => {
  const webhook = await subscribe(service, 'Tasks', URL)
  const [made] = await write(service, 'Tasks', { what: 'tea', n: 1 })
  service.clock.advance(1000)
  const { record } = (await service.patch(`/v1/records/${made.id}`, { data: { n: null, what: 'green tea' } }))
    .body
  await service.patch(`/v1/records/${made.id}`, { data: { n: 7 } })
  await service.delete(`/v1/records/${made.id}`)
  await service.post(`/v1/records/${made.id}/restore`)
  await service.post(`/v1/webhooks/${webhook.id}/test`)
  const me = (await service.get('/v1/me')).body
  const common = (at: number) => ({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    occurred_at: `2026-11-21T09:30:0${at}.000Z`,
    workspace_id: me.workspace_id,
    structure,
    changed: [],
    previous: {},
    source: { surface: 'api', key_id: me.key.id },
  })
  const moved = (milliseconds: number) => `2026-11-21T09:30:01.00${milliseconds}Z`
  const grown = { ...record, data: { what: 'green tea', n: 7 }, updated_at: moved(1) }
  expect(await bodies(webhook)).toEqual([
    { ...common(0), type: 'record.created', record: made },
    {
      ...common(1),
      type: 'record.updated',
      record,
      changed: ['what', 'n'],
      previous: { what: 'tea', n: 1 },
    },
    { ...common(1), type: 'record.updated', record: grown, changed: ['n'], previous: { n: null } },
    {
      ...common(1),
      type: 'record.deleted',
      record: { ...grown, updated_at: moved(2), deleted_at: moved(2) },
    },
    { ...common(1), type: 'record.created', record: { ...grown, updated_at: moved(3) } },
    { ...common(1), type: 'webhook.test', record: null },
  ])
})

test('one event has one id, one body and a delivery for each subscription', async () => {
  const webhooks = [await subscribe(service, 'Tasks', URL), await subscribe(service, 'Tasks', `${URL}/2`)]
  const [record] = await write(service, 'Tasks', { what: 'tea' })
  const sent = await Promise.all(webhooks.map(bodies))
  expect([sent[0]?.length, sent[1]]).toEqual([1, sent[0]])
  const eventId = sent[0]?.[0].id
  for (const { id } of webhooks) {
    const [delivery, ...others] = await deliveriesOf(service, id)
    expect([delivery, others]).toEqual([
      {
        id: expect.any(String),
        webhook_id: id,
        event_id: eventId,
        event: 'record.created',
        record_id: record.id,
        status: 'pending',
        attempts: 0,
        response_status: null,
        error: null,
        next_attempt_at: NOW,
        created_at: NOW,
        last_attempt_at: null,
        delivered_at: null,
      },
      [],
    ])
  }
})

test('a batch of 500 rows makes 500 events for each of 25 subscriptions', async () => {
  const webhooks: { id: string }[] = []
  for (let number = 0; number < 25; number++) webhooks.push(await subscribe(service, 'Tasks', URL))
  const records = await write(service, 'Tasks', ...Array.from({ length: 500 }, (_, n) => ({ n })))
  for (const { id } of webhooks) expect(await allDeliveriesOf(service, id)).toHaveLength(500)
  for (const webhook of [webhooks[0], webhooks[24]])
    expect((await bodies(webhook ?? { id: '' })).map(({ record }) => record)).toEqual(records)
})

describe('leaves no event:', () => {
  const refusedBatch = { rows: [{ data: { what: 'a' } }, { data: { what: 'b' } }, { data: { n: -1 } }] }
  test.each([
    [
      'a batch whose last row is refused',
      () => service.post('/v1/records', { structure: 'Tasks', ...refusedBatch }),
    ],
    [
      'a batch that collides',
      () => service.post('/v1/records', { structure: 'Tasks', rows: [{ data: { what: 'tea' } }] }),
    ],
    [
      'a change that is refused',
      async () => service.patch(`/v1/records/${await firstId()}`, { data: { n: -1 } }),
    ],
    [
      'a change to the same values',
      async () => service.patch(`/v1/records/${await firstId()}`, { data: { what: 'tea', n: null } }),
    ],
    ['a change in another structure', () => service.post('/v1/records', { structure: 'Other', data: {} })],
  ])('%s', async (_, act) => {
    await declare(service, 'Other', [])
    await write(service, 'Tasks', { what: 'tea' })
    const { id } = await subscribe(service, 'Tasks', URL)
    const before = await list(service, 'Tasks')
    await act()
    expect((await list(service, 'Tasks')).body).toEqual(before.body)
    expect(await deliveriesOf(service, id)).toEqual([])
  })
  const firstId = async () => (await list(service, 'Tasks')).body.records[0].id
})

test('an event that cannot be stored rolls back its change', async () => {
  const { id } = await subscribe(service, 'Tasks', URL)
  await alter(
    service,
    "CREATE TRIGGER full BEFORE INSERT ON webhook_deliveries BEGIN SELECT RAISE(ABORT, 'no room'); END",
  )
  expect((await service.post('/v1/records', { structure: 'Tasks', data: { what: 'tea' } })).status).toBe(500)
  await alter(service, 'DROP TRIGGER full')
  expect((await list(service, 'Tasks')).body.total).toBe(0)
  expect(await deliveriesOf(service, id)).toEqual([])
  expect(faultsIn(service)).toEqual([])
})

test('a subscription whose change was rolled back works as before', async () => {
  const { id } = await subscribe(service, 'Tasks', URL)
  const undone = alter(
    service,
    "UPDATE webhooks SET enabled = 0; UPDATE structures SET subscriptions_version = 'other'; SELECT nothing",
  )
  await expect(undone).rejects.toThrow('nothing')
  await write(service, 'Tasks', { what: 'tea' })
  expect(await deliveriesOf(service, id)).toHaveLength(1)
})

test('under max_rows 1 a replacement is a deletion and a creation', async () => {
  await declare(service, 'Settings', [{ key: 'a', type: 'text' }], { max_rows: 1 })
  const [first] = await write(service, 'Settings', { a: 'x' })
  const webhook = await subscribe(service, 'Settings', URL)
  const [second] = await write(service, 'Settings', { a: 'y' })
  expect((await bodies(webhook)).map(({ type, record }) => [type, record.id])).toEqual([
    ['record.deleted', first.id],
    ['record.created', second.id],
  ])
})

test('an update through on_conflict is an update, and unchanged rows send no event', async () => {
  await write(service, 'Tasks', { what: 'tea', n: 1 }, { what: 'milk', n: 1 })
  const webhook = await subscribe(service, 'Tasks', URL)
  const rows = [{ data: { what: 'tea', n: 2 } }, { data: { what: 'milk', n: 1 } }, { data: { what: 'salt' } }]
  await service.post('/v1/records', { structure: 'Tasks', on_conflict: 'update', rows })
  expect(
    (await bodies(webhook)).map(({ type, changed, record }) => [type, record.data.what, changed]),
  ).toEqual([
    ['record.updated', 'tea', ['n']],
    ['record.created', 'salt', []],
  ])
})

test('a renamed structure has its new name only in later events', async () => {
  const webhook = await subscribe(service, 'Tasks', URL)
  await write(service, 'Tasks', { what: 'a' })
  await service.patch('/v1/records/structures/Tasks', { name: 'Errands' })
  await write(service, 'Errands', { what: 'b' })
  expect((await bodies(webhook)).map(({ structure: { name } }) => name)).toEqual(['Tasks', 'Errands'])
})

test('a deleted structure deletes its webhooks, deliveries and events, and frees their quota', async () => {
  for (let number = 0; number < 25; number++) await subscribe(service, 'Tasks', URL)
  await write(service, 'Tasks', { what: 'a' }, { what: 'b' })
  await deleteStructure(service, 'Tasks')
  await runJobs(service.ctx)
  expect(sizesOf(service, 'webhook_events', 'webhook_deliveries', 'webhooks')).toEqual([0, 0, 0])
  expect((await service.get('/v1/webhooks')).body).toEqual({ webhooks: [] })
})
