import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sizesOf } from '../support/database.ts'
import { runRetention } from '../support/jobs.ts'
import { declare, lastChange, list } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

const HOUR = 60 * 60 * 1000
let service: TestService

beforeEach(async () => {
  service = await startService()
  await declare(service, 'X', [{ key: 'a', type: 'text' }])
})
afterEach(() => service.close())

const ROW = { structure: 'X', data: { a: 'x' } }
const send = (path: string, body: unknown, key: string, client: Pick<TestService, 'request'> = service) =>
  client.request('POST', path, body, { 'idempotency-key': key })
const total = async () => (await list(service, 'X')).body.total

test.each([
  ['a record', '/v1/records', ROW],
  ['a batch', '/v1/records', { structure: 'X', rows: [{ data: { a: 'x' } }, { data: {} }] }],
  ['a structure', '/v1/records/structures', { name: 'Y', fields: [] }],
  ['a note', '/v1/notes', { title: 'Once' }],
  ['a property', '/v1/properties', { key: 'status', type: 'text' }],
  ['a preset', '/v1/presets', { name: 'Once' }],
  ['a view', '/v1/views', { name: 'Once' }],
  ['a lens', '/v1/lenses', { name: 'Once' }],
])('%s is created once, and a repeated call gets the first response', async (_, path, body) => {
  const first = await send(path, body, 'k')
  const counts = (await service.get('/v1/workspace')).body.workspace.counts
  const end = await lastChange(service)
  service.clock.advance(23 * HOUR)
  const again = await send(path, body, 'k')
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(again.body).toEqual(first.body)
  expect((await service.get('/v1/workspace')).body.workspace.counts).toEqual(counts)
  expect(await lastChange(service)).toBe(end)
})

test('another body under the same key is refused, and writes nothing', async () => {
  await send('/v1/records', ROW, 'k')
  const { status, body } = await send('/v1/records', { ...ROW, data: { a: 'y' } }, 'k')
  expect([status, body.code]).toEqual([400, 'refused'])
  expect(await total()).toBe(1)
})

test('a refused call is not saved: corrected, it may use its key again', async () => {
  expect((await send('/v1/records', { ...ROW, data: { b: 1 } }, 'k')).status).toBe(400)
  expect((await send('/v1/records', ROW, 'k')).status).toBe(201)
})

test('an idempotency key belongs to one API key and one path', async () => {
  const other = service.as(await service.newKey())
  await send('/v1/records', ROW, 'k')
  expect((await send('/v1/records', ROW, 'k', other)).headers.get('idempotent-replayed')).toBeNull()
  expect((await send('/v1/notes', { title: 'A' }, 'k')).status).toBe(201)
  expect(await total()).toBe(2)
})

test('after 24 hours the key is free again, and maintenance removes the saved response', async () => {
  await send('/v1/records', ROW, 'k')
  service.clock.advance(24 * HOUR)
  expect((await send('/v1/records', { ...ROW, data: {} }, 'k')).headers.get('idempotent-replayed')).toBeNull()
  await send('/v1/records', ROW, 'other')
  service.clock.advance(24 * HOUR)
  await runRetention(service.ctx)
  expect(sizesOf(service, 'idempotency_keys')).toEqual([2])
  service.clock.advance(1)
  await runRetention(service.ctx)
  expect(sizesOf(service, 'idempotency_keys')).toEqual([0])
})

test('one of simultaneous calls writes, and the others get its response', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => send('/v1/records', ROW, 'k')))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(7)
  expect(await total()).toBe(1)
})

test.each([['ä'], ['a'.repeat(256)], ['']])('the key %j is refused', async (key) => {
  const { status, body } = await send('/v1/records', ROW, key)
  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(await total()).toBe(0)
})

test('only calls that create or change an object read the header', async () => {
  const { body } = await send('/v1/notes', { title: 'Once' }, 'k')
  const append = (text: string) => send(`/v1/notes/${body.note.id}/append`, { text }, 'k')
  expect([(await append('x')).status, (await append('y')).status]).toEqual([200, 200])
})

/** Creates a note and a row to change. */
async function changeable() {
  const { body } = await service.post('/v1/notes', { title: 'Plan', content: 'one' })
  const [record] = (await service.post('/v1/records', ROW)).body.records
  const if_unchanged = body.note.updated_at
  return [
    {
      path: `/v1/notes/${body.note.id}`,
      body: { content: 'two', if_unchanged },
      later: { content: 'three' },
    },
    {
      path: `/v1/notes/${body.note.id}`,
      body: { title: 'Renamed', rewrite_links: true, content: 'four' },
      later: { content: 'five' },
    },
    {
      path: `/v1/records/${record.id}`,
      body: { data: { a: 'y' }, if_unchanged: record.updated_at },
      later: { data: { a: 'z' } },
    },
  ]
}

const patch = (path: string, body: unknown, key: string, client: Pick<TestService, 'request'> = service) =>
  client.request('PATCH', path, body, { 'idempotency-key': key })

test('a change of a note or row is written once: repeated after a later change, it overwrites nothing', async () => {
  for (const { path, body, later } of await changeable()) {
    const first = await patch(path, body, 'k')
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect((await service.request('PATCH', path, later)).status).toBe(200)
    const now = (await service.get(path)).body
    const end = await lastChange(service)
    const again = await patch(path, body, 'k')
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(again.body).toEqual(first.body)
    expect((await service.get(path)).body).toEqual(now)
    expect(await lastChange(service)).toBe(end)
    expect((await patch(path, later, 'k')).body.code).toBe('refused')
    service.clock.advance(25 * HOUR)
  }
})

test('a change that was refused is not saved', async () => {
  for (const { path, body } of await changeable()) {
    const stale = { ...body, if_unchanged: '2020-01-01T00:00:00.000Z' }
    expect((await patch(path, stale, 'k')).body.code).toBe('stale')
    service.clock.advance(25 * HOUR)
  }
})
