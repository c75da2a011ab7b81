import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startService, type TestService } from '../../support/service.ts'
import { makePayments, makeSource, pay } from '../../support/sources.ts'

let service: TestService
let id: string

beforeAll(async () => {
  service = await startService()
  await makePayments(service)
  id = (await makeSource(service)).id
})
afterAll(() => service.close())

const tried = async (map: object, body: unknown, more: object = {}) =>
  (await service.post(`/v1/sources/${id}/try`, { body, map, ...more })).body

describe('a value', () => {
  test.each([
    ['a pointer', { raw: '/a/b' }, { a: { b: 'x' } }, { raw: 'x' }],
    ['a pointer with escapes', { raw: '/a~1b/c~0d' }, { 'a/b': { 'c~d': 'x' } }, { raw: 'x' }],
    ['an entry of a list', { amount: '/list/1' }, { list: [1, 2] }, { amount: 2 }],
    ['what no list has', { raw: '/list/01' }, { list: ['a', 'b'] }, {}],
    ['what every object inherits', { raw: '/constructor' }, {}, {}],
    ['null', { raw: '/a', amount: { path: '/a', default: 3 } }, { a: null }, { amount: 3 }],
    ['a constant', { paid: { value: true }, raw: { value: 'x' } }, {}, { paid: true, raw: 'x' }],
    ['a number as text', { raw: { path: '/a', as: 'text' } }, { a: 1.5 }, { raw: '1.5' }],
    ['a text as number', { amount: { path: '/a', as: 'number' } }, { a: '-1.5e2' }, { amount: -150 }],
    ['a text as bool', { paid: { path: '/a', as: 'bool' } }, { a: '0' }, { paid: false }],
    [
      'an object as json',
      { raw: { path: '/a', as: 'json' } },
      { a: { z: 1, b: [] } },
      { raw: '{"z":1,"b":[]}' },
    ],
    ['cents', { amount: { path: '/a', as: 'cents' } }, { a: '1999' }, { amount: 19.99 }],
    [
      'seconds',
      { paid_at: { path: '/a', as: 'epoch_s' }, paid_on: { path: '/a', as: 'epoch_s' } },
      { a: 1_795_426_871.5 },
      { paid_at: '2026-11-23T09:41:11.500Z', paid_on: '2026-11-23' },
    ],
    [
      'milliseconds',
      { paid_at: { path: '/a', as: 'epoch_ms' } },
      { a: '0' },
      { paid_at: '1970-01-01T00:00:00.000Z' },
    ],
  ])('%s', async (_, map, body, data) => {
    expect(await tried(map, body)).toEqual({ status: 'written', data, error: null })
  })

  test.each([
    ['an object as text', { raw: { path: '/a', as: 'text' } }, { a: {} }],
    ['a hexadecimal number', { amount: { path: '/a', as: 'number' } }, { a: '0x10' }],
    ['an instant after the year 9999', { paid_at: { path: '/a', as: 'epoch_ms' } }, { a: 1e17 }],
    ['another word as bool', { paid: { path: '/a', as: 'bool' } }, { a: 'yes' }],
    ['an object as it is', { raw: '/a' }, { a: {} }],
    ['nothing, by an empty map', {}, { a: 1 }],
  ])('%s is unmapped', async (_, map, body) => {
    const { status, error } = await tried(map, body)
    expect([status, error]).toEqual(['unmapped', expect.stringMatching(/\.$/)])
  })

  test.each([
    ['an unknown key', { other: '/a' }],
    ['cents of a text', { raw: { path: '/a', as: 'cents' } }],
    ['epoch of a number', { amount: { path: '/a', as: 'epoch_s' } }],
    ['text of a number', { amount: { path: '/a', as: 'text' } }],
    ['an unknown conversion', { raw: { path: '/a', as: 'upper' } }],
    ['no pointer', { raw: 'a/b' }],
    ['a wrong escape', { raw: '/a~2' }],
    ['no name of a header', { raw: 'header:' }],
    ['two places', { raw: { path: '/a', header: 'X' } }],
    ['an unknown member', { raw: { path: '/a', otherwise: 1 } }],
    ['a constant of another type', { amount: { value: 'x' } }],
  ])('a map with %s is refused', async (_, map) => {
    const { status, body } = await service.patch(`/v1/sources/${id}`, { map })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
  })
})

describe('when', () => {
  const body = { type: 'paid', n: 5, none: null, list: ['a'] }
  test.each([
    [[{ event: true, op: 'eq', value: 'paid' }], true],
    [[{ path: '/n', op: 'eq', value: '5' }], false],
    [[{ path: '/n', op: 'in', value: [4, 5] }], true],
    [[{ path: '/gone', op: 'neq', value: 1 }], true],
    [[{ path: '/gone', op: 'not_in', value: [1] }], true],
    [[{ path: '/none', op: 'exists' }], false],
    [[{ path: '', op: 'exists' }], true],
    [[{ header: 'X-Kind', op: 'starts_with', value: 'a' }], true],
    [
      [
        { event: true, op: 'eq', value: 'paid' },
        { path: '/n', op: 'neq', value: 5 },
      ],
      false,
    ],
  ])('%j', async (when, holds) => {
    const { status } = await tried({ amount: '/n' }, body, { when, headers: { 'X-Kind': 'abc' } })
    expect(status).toBe(holds ? 'written' : 'ignored')
  })

  test.each([
    [{ path: '/a', op: 'eq' }],
    [{ path: '/a', op: 'exists', value: 1 }],
    [{ path: '/a', op: 'exists', value: null }],
    [{ path: '/a', op: 'like', value: 'a' }],
    [{ path: '/a', op: 'in', value: 'a' }],
    [{ op: 'eq', value: 'a' }],
    [{ path: '/a', header: 'X', op: 'exists' }],
    [{ event: false, op: 'exists' }],
    [{ path: '/a', op: 'eq', value: 1, other: 1 }],
  ])('%j is refused', async (condition) => {
    const { status, body: answer } = await service.patch(`/v1/sources/${id}`, { when: [condition] })
    expect([status, answer.code]).toEqual([400, 'invalid_request'])
  })

  test('has up to 20 conditions', async () => {
    const when = Array.from({ length: 21 }, () => ({ path: '/a', op: 'exists' }))
    expect((await service.patch(`/v1/sources/${id}`, { when })).status).toBe(400)
  })
})

test('a trial writes nothing, is open to any reader, and accepts stored events', async () => {
  const before = (await service.get('/v1/changes?before=now&limit=1')).body
  const { body: received } = await pay(
    service,
    await service.get(`/v1/sources/${id}`).then(({ body }) => body.source),
    'evt_1',
    {
      number: 'A1',
    },
  )
  const reader = service.as(await service.newKey({ scope: 'read' }))
  const { status, body } = await reader.post(`/v1/sources/${id}/try`, {
    event_id: received.event_id,
    map: { raw: '/data/number' },
  })
  expect([status, body]).toEqual([200, { status: 'written', data: { raw: 'A1' }, error: null }])
  expect(received.status).toBe('written')
  expect((await service.get('/v1/records?structure=Payments')).body.total).toBe(1)
  expect(before.changes).toHaveLength(1)
  const both = await service.post(`/v1/sources/${id}/try`, { event_id: received.event_id, body: {} })
  expect(both.status).toBe(400)
  const gone = await service.post(`/v1/sources/${id}/try`, { event_id: id })
  expect(gone.status).toBe(404)
})
