import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { isSecret } from '../../../src/log/message.ts'
import { sizesOf, storedValues } from '../../support/database.ts'
import { runJobs } from '../../support/jobs.ts'
import { declare } from '../../support/records.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'
import { deliveriesOf, subscribe, webhookOf } from '../../support/webhooks.ts'

const NOW = '2026-11-21T09:30:00.000Z'
const URL = 'https://hooks.example.com/tasks'
const FIELDS = [
  { key: 'what', type: 'text' },
  { key: 'n', type: 'number' },
]

let service: TestService
let structure: { id: string; name: string }

beforeEach(async () => {
  service = await startService()
  const { id, name } = await declare(service, 'Tasks', FIELDS)
  structure = { id, name }
})
afterEach(() => service.close())

const create = (more: object = {}, client: Client = service) =>
  client.post('/v1/webhooks', { structure: 'Tasks', url: URL, ...more })
const patch = (id: string, body: object) => service.patch(`/v1/webhooks/${id}`, body)
const list = async () => (await service.get('/v1/webhooks')).body.webhooks

test('a webhook is returned in full, its secret only at creation', async () => {
  const { status, body } = await create()
  const keyId = (await service.get('/v1/me')).body.key.id
  const webhook = {
    id: body.webhook.id,
    structure,
    url: URL,
    events: ['record.created', 'record.updated', 'record.deleted'],
    filter: [],
    fields: null,
    ignore_own_key: false,
    ignore_key_id: null,
    description: null,
    enabled: true,
    status: 'enabled',
    paused_at: null,
    consecutive_failures: 0,
    created_by_key_id: keyId,
    created_at: NOW,
    updated_at: NOW,
  }
  expect([status, body]).toEqual([201, { webhook, secret: body.secret }])
  expect(isSecret(body.secret)).toBe(true)
  expect((await service.get(`/v1/webhooks/${body.webhook.id}`)).body).toEqual({ webhook })
  expect((await service.get('/v1/webhooks')).body).toEqual({ webhooks: [webhook] })
  expect((await service.get('/v1/workspace')).body.workspace.counts.webhooks).toBe(1)
})

test('all given attributes are stored, by field key', async () => {
  const other = await service.newKey()
  const otherId = (await service.as(other).get('/v1/me')).body.key.id
  const given = {
    events: ['record.deleted', 'record.updated'],
    filter: [
      { field: 'n', op: 'gt', value: 3 },
      { field: 'what', op: 'not_empty' },
    ],
    fields: ['n'],
    ignore_own_key: true,
    ignore_key_id: otherId,
    description: 'Big ones',
    enabled: false,
  }
  const { body } = await create(given)
  expect(body.webhook).toMatchObject({ ...given, status: 'disabled' })
  service.clock.advance(1000)
  const bare = {
    events: ['record.created'],
    filter: [],
    fields: null,
    ignore_own_key: false,
    ignore_key_id: null,
    description: null,
    enabled: true,
  }
  const patched = await patch(body.webhook.id, { ...bare, url: `${URL}/2` })
  expect([patched.status, patched.body.webhook]).toEqual([
    200,
    {
      ...body.webhook,
      ...bare,
      url: `${URL}/2`,
      status: 'enabled',
      updated_at: '2026-11-21T09:30:01.000Z',
    },
  ])
})

test('a change that changes nothing leaves updated_at alone', async () => {
  const { id } = await subscribe(service, 'Tasks', URL, { fields: ['n'] })
  const before = await webhookOf(service, id)
  service.clock.advance(1000)
  const { body } = await patch(id, { url: URL, fields: ['n'], enabled: true, resume: true })
  expect(body.webhook).toEqual(before)
})

describe('is refused', () => {
  const filter = (field: string, op: string, value?: unknown) => ({ filter: [{ field, op, value }] })
  test.each([
    ['http', { url: 'http://hooks.example.com' }, 'refused'],
    ['an address that is not public', { url: 'https://10.0.0.1/' }, 'refused'],
    ['localhost', { url: 'https://localhost/' }, 'refused'],
    ['user info', { url: 'https://a:b@hooks.example.com/' }, 'refused'],
    ['a fragment', { url: 'https://hooks.example.com/#a' }, 'refused'],
    ['no url at all', { url: '' }, 'invalid_request'],
    [
      'a url of 2,049 characters',
      { url: `https://hooks.example.com/${'a'.repeat(2_023)}` },
      'invalid_request',
    ],
    ['an unknown event', { events: ['record.read'] }, 'invalid_request'],
    ['a test event', { events: ['webhook.test'] }, 'invalid_request'],
    ['no events', { events: [] }, 'invalid_request'],
    ['an event twice', { events: ['record.created', 'record.created'] }, 'invalid_request'],
    ['no fields', { fields: [] }, 'invalid_request'],
    ['a field twice', { fields: ['n', 'n'] }, 'invalid_request'],
    ['an unknown field', { fields: ['m'] }, 'refused'],
    ['a filter that is no list', { filter: {} }, 'invalid_request'],
    ['an unknown operator', filter('n', 'like', 1), 'invalid_request'],
    ['a condition without a value', filter('n', 'eq'), 'invalid_request'],
    ['51 conditions', { filter: Array(51).fill({ field: 'n', op: 'eq', value: 1 }) }, 'invalid_request'],
    ['a filter on an unknown field', filter('m', 'eq', 1), 'refused'],
    ['an operator the field does not have', filter('what', 'gt', 'a'), 'refused'],
    ['a value that does not fit', filter('n', 'eq', 'one'), 'refused'],
    ['an unknown key', { ignore_key_id: '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60' }, 'refused'],
    ['an unknown member', { secret: 'mine' }, 'invalid_request'],
  ])('%s, on POST and PATCH, and nothing changes', async (_, body, code) => {
    const { id } = await subscribe(service, 'Tasks', URL)
    const before = await list()
    const made = await create(body)
    expect([made.status, made.body]).toEqual([400, { error: expect.any(String), code }])
    const patched = await patch(id, { ...body, description: 'changed' })
    expect([patched.status, patched.body]).toEqual([400, { error: expect.any(String), code }])
    expect(await list()).toEqual(before)
  })
})

test('an unknown structure is not found, in a body and in a query', async () => {
  expect((await create({ structure: 'Nothing' })).status).toBe(404)
  expect((await service.get('/v1/webhooks?structure=Nothing')).status).toBe(404)
})

test('the list is by creation, of all or of one structure', async () => {
  const first = await subscribe(service, 'Tasks', URL)
  await declare(service, 'Other', FIELDS)
  const second = await subscribe(service, 'Other', URL)
  const third = await subscribe(service, 'Tasks', URL)
  const ids = async (query: string) =>
    (await service.get(`/v1/webhooks${query}`)).body.webhooks.map(({ id }: { id: string }) => id)
  expect(await ids('')).toEqual([first.id, second.id, third.id])
  expect(await ids('?structure=tasks')).toEqual([first.id, third.id])
})

test('a workspace has at most 25 webhooks, disabled ones included', async () => {
  const made = []
  for (let count = 0; count < 25; count++)
    made.push(await subscribe(service, 'Tasks', URL, { enabled: count % 2 === 0 }))
  const { status, body } = await create()
  expect([status, body]).toEqual([
    400,
    { error: 'A workspace has at most 25 webhooks; delete one first.', code: 'refused' },
  ])
  expect(await list()).toHaveLength(25)
  const other = service.as(await service.newWorkspace('Other'))
  await declare(other, 'Tasks', FIELDS)
  expect((await create({}, other)).status).toBe(201)
  expect((await service.delete(`/v1/webhooks/${made[3]?.id}`)).body).toEqual({ deleted: true })
  expect((await create()).status).toBe(201)
})

test('a rotated secret is new, and returned once', async () => {
  const { id, secret } = await subscribe(service, 'Tasks', URL)
  service.clock.advance(1000)
  const { status, body } = await service.post(`/v1/webhooks/${id}/rotate-secret`)
  expect(status).toBe(200)
  expect(isSecret(body.secret) && body.secret !== secret).toBe(true)
  expect(body.webhook).toEqual(await webhookOf(service, id))
})

test('a repeated creation returns the webhook without its secret, which is not stored', async () => {
  const send = () =>
    service.request('POST', '/v1/webhooks', { structure: 'Tasks', url: URL }, { 'idempotency-key': 'k' })
  const first = await send()
  const again = await send()
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(again.body).toEqual({ webhook: first.body.webhook })
  expect(await list()).toHaveLength(1)
  const kept = storedValues<string>(service, 'SELECT response FROM idempotency_keys')
  expect(kept).toHaveLength(1)
  expect(kept.join()).not.toContain('whsec_')
})

describe('a field that a webhook names', () => {
  test.each([
    ['its filter', { filter: [{ field: 'n', op: 'gt' as const, value: 3 }] }],
    ['its fields', { fields: ['n'] }],
  ])('in %s cannot be removed or retyped', async (_, naming) => {
    const { id } = await subscribe(service, 'Tasks', URL, { ...naming, enabled: false })
    const before = await service.get('/v1/records/structures/Tasks')
    for (const n of [[], [{ key: 'n', type: 'text' }], [{ key: 'm', type: 'number' }]]) {
      const { status, body } = await service.patch('/v1/records/structures/Tasks', {
        fields: [FIELDS[0], ...n],
      })
      expect([status, body.code]).toEqual([409, 'in_use'])
      expect(body.error).toContain(id)
    }
    expect((await service.get('/v1/records/structures/Tasks')).body).toEqual(before.body)
    await service.delete(`/v1/webhooks/${id}`)
    const freed = await service.patch('/v1/records/structures/Tasks', { fields: [FIELDS[0]] })
    expect(freed.status).toBe(200)
  })

  test('may be relabelled, and others may go', async () => {
    await subscribe(service, 'Tasks', URL, { fields: ['n'] })
    const { status } = await service.patch('/v1/records/structures/Tasks', {
      fields: [{ key: 'n', type: 'number', label: 'Number' }],
    })
    expect(status).toBe(200)
  })
})

test('a deleted webhook is removed with its deliveries and events; others keep theirs', async () => {
  const gone = await subscribe(service, 'Tasks', URL)
  const kept = await subscribe(service, 'Tasks', URL)
  await service.post('/v1/records', { structure: 'Tasks', data: { n: 1 } })
  await service.post(`/v1/webhooks/${gone.id}/test`)
  expect((await service.delete(`/v1/webhooks/${gone.id}`)).body).toEqual({ deleted: true })
  for (const path of ['', '/deliveries'])
    expect((await service.get(`/v1/webhooks/${gone.id}${path}`)).status).toBe(404)
  expect((await service.delete(`/v1/webhooks/${gone.id}`)).status).toBe(404)
  expect(await deliveriesOf(service, kept.id)).toHaveLength(1)
  await runJobs(service.ctx)
  expect(sizesOf(service, 'webhooks', 'webhook_deliveries', 'webhook_events')).toEqual([1, 1, 1])
})

test('an unknown webhook or delivery is not found', async () => {
  const { id } = await subscribe(service, 'Tasks', URL)
  const other = await subscribe(service, 'Tasks', URL)
  const { delivery } = (await service.post(`/v1/webhooks/${other.id}/test`)).body
  for (const path of [`${id}/deliveries/${delivery.id}/redeliver`, `${id}/deliveries/x/redeliver`, 'x/test'])
    expect((await service.post(`/v1/webhooks/${path}`)).status).toBe(404)
})

test('a percent-encoded host is stored and shown as the name that is called', async () => {
  const structure = (await declare(service, 'Encoded', [{ key: 'a', type: 'text' }])).id
  const url = 'https://hooks.exa%6Dple.com:8443/a%20b?c=%6d'
  const plain = 'https://hooks.example.com:8443/a%20b?c=%6d'
  const made = await service.post('/v1/webhooks', { structure, url })
  expect([made.status, made.body.webhook.url]).toEqual([201, plain])
  const patched = await service.patch(`/v1/webhooks/${made.body.webhook.id}`, {
    url: url.replace('a%20b', 'x'),
  })
  expect(patched.body.webhook.url).toBe(plain.replace('a%20b', 'x'))
})
