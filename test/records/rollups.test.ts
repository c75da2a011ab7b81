import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { declare, field, giveTable, list, summary, write } from '../support/records.ts'
import { type Client, settle, startService, type TestService } from '../support/service.ts'
import { watch } from '../support/watch.ts'

let service: TestService
let orders: string
// biome-ignore lint/suspicious/noExplicitAny: answered by the service
let customers: any[]

const rollup = (key: string, name: string, more: object = {}) =>
  field(key, 'rollup', { via: { structure: 'Orders', field: 'customer' }, function: name, ...more })
const ROLLUPS = [
  rollup('orders', 'count'),
  rollup('amount', 'sum', { field: 'amount' }),
  rollup('mean', 'average', { field: 'amount' }),
  rollup('first', 'min', { field: 'day' }),
  rollup('last', 'max', { field: 'amount' }),
]
const NAME = field('name', 'text')
const path = '/v1/records/structures/Customers'

beforeEach(async () => {
  service = await startService()
  await declare(service, 'Customers', [NAME])
  const made = await declare(service, 'Orders', [
    field('customer', 'record', { structure: 'Customers' }),
    ...[field('amount', 'number'), field('day', 'date'), field('other', 'record'), field('text', 'text')],
  ])
  orders = made.id
  const patched = await service.patch(path, { fields: [NAME, ...ROLLUPS] })
  expect(patched.status).toBe(200)
  customers = await write(service, 'Customers', { name: 'Ada' }, { name: 'Bob' }, { name: 'Eve' })
  const [ada, bob] = customers.map(({ id }) => id)
  await write(
    service,
    'Orders',
    { customer: ada, amount: 0.1, day: '2026-11-02' },
    { customer: ada, amount: 0.2, day: '2026-11-01' },
    { customer: ada },
    { customer: bob, amount: -5 },
    { amount: 100 },
  )
})
afterEach(() => service.close())

const ADA = {
  name: 'Ada',
  orders: 3,
  amount: 0.1 + 0.2,
  mean: 0.15000000000000002,
  first: '2026-11-01',
  last: 0.2,
}
const BOB = { name: 'Bob', orders: 1, amount: -5, mean: -5, last: -5 }
const EVE = { name: 'Eve', orders: 0, amount: 0 }

const rowsOf = async (client: Client = service, more: object = {}) =>
  (await list(client, 'Customers', { sort: 'name', direction: 'asc', ...more })).body.records.map(
    ({ data }: { data: object }) => data,
  )

describe('a roll-up', () => {
  test.each([false, true])(
    'counts the rows that point to its row, in lists, boards and single reads (own table: %p)',
    async (own) => {
      if (own) for (const name of ['Customers', 'Orders']) await giveTable(service, name)
      expect(await rowsOf()).toEqual([ADA, BOB, EVE])
      expect(Object.keys((await rowsOf())[0])).toEqual(Object.keys(ADA))
      const paged = await list(service, 'Customers', {
        cursor: 'start',
        limit: 2,
        sort: 'name',
        direction: 'asc',
      })
      expect(paged.body.records.map(({ data }: { data: object }) => data)).toEqual([ADA, BOB])
      const single = await service.get(`/v1/records/${customers[0].id}?expand=`)
      expect(single.status).toBe(400)
      expect((await service.get(`/v1/records/${customers[0].id}`)).body.record.data).toEqual(ADA)
      await service.delete(`/v1/records/${customers[2].id}`)
      const deleted = await list(service, 'Customers', { deleted: true })
      expect(deleted.body.records[0].data).toEqual(EVE)
    },
  )

  test('follows every change of the other rows at once, without events, history or another tag', async () => {
    const row = `/v1/records/${customers[1].id}`
    const before = await service.get(row)
    const changes = async () => (await service.get('/v1/changes?limit=1000')).body.changes.length
    const count = await changes()
    const [order] = await write(service, 'Orders', { customer: customers[1].id, amount: 7 })
    expect((await rowsOf())[1]).toEqual({ ...BOB, orders: 2, amount: 2, mean: 1, last: 7 })
    await service.delete(`/v1/records/${order.id}`)
    expect((await rowsOf())[1]).toEqual(BOB)
    expect(await changes()).toBe(count + 2)
    expect((await service.get(`${row}/history`)).body.versions).toHaveLength(1)
    await write(service, 'Orders', { customer: customers[1].id, amount: 7 })
    const after = await service.get(row)
    expect(after.body.record.data.orders).toBe(2)
    expect(after.body.record.updated_at).toBe(before.body.record.updated_at)
    const tag = before.headers.get('etag') ?? ''
    expect(after.headers.get('etag')).toBe(tag)
    const patched = await service.request('PATCH', row, { data: { name: 'Rob' } }, { 'if-match': tag })
    expect([patched.status, patched.body.record.data]).toEqual([200, { name: 'Rob' }])
  })

  test('counts nothing that the caller may not read', async () => {
    const key = await service.newKey({
      access: { structures: { [orders]: 'none' } },
      user: 'Vera',
      role: 'editor',
    })
    const vera = service.as(key)
    const names = [
      { name: 'Ada', orders: 0 },
      { name: 'Bob', orders: 0 },
      { name: 'Eve', orders: 0 },
    ]
    expect(await rowsOf(vera)).toEqual(names)
    const opened = await watch({ app: service.app, key }, 'Customers')
    const { records } = await opened.event('answer')
    expect(records.map(({ data }: { data: { orders: number } }) => data.orders)).toEqual([0, 0, 0])
    const { body } = await vera.get(path)
    expect(body.structure.fields[1].via).toEqual({ structure: orders, field: 'customer' })
    expect((await vera.patch(path, { fields: body.structure.fields })).status).toBe(200)
  })

  test('is refused where a value would have to be stored', async () => {
    const refused = async (answer: { status: number; body: { code: string } }) =>
      expect([answer.status, answer.body.code]).toEqual([400, 'refused'])
    await refused(await service.post('/v1/records', { structure: 'Customers', data: { orders: 1 } }))
    await refused(await service.patch(`/v1/records/${customers[0].id}`, { data: { amount: 1 } }))
    await refused(await list(service, 'Customers', { sort: 'orders' }))
    await refused(await list(service, 'Customers', { filter: [{ field: 'orders', op: 'eq', value: 1 }] }))
    await refused(await list(service, 'Customers', { filter: [{ field: 'orders', op: 'is_empty' }] }))
    await refused(await summary(service, 'Customers', { field: 'amount' }))
    await refused(await summary(service, 'Customers', { by: 'orders' }))
    const fields = [NAME, ...ROLLUPS]
    await refused(await service.patch(path, { fields, label_field: 'orders' }))
    await refused(await service.patch(path, { fields, unique_together: [['name', 'orders']] }))
    await refused(
      await service.patch(path, { fields: [...fields, field('x', 'formula', { expression: '{orders}' })] }),
    )
  })

  test.each([
    rollup('x', 'sum'),
    rollup('x', 'count', { field: 'amount' }),
    rollup('x', 'sum', { field: 'day' }),
    rollup('x', 'min', { field: 'text' }),
    rollup('x', 'sum', { field: 'nothing' }),
    rollup('x', 'count', { unique: true }),
    rollup('x', 'count', { required: true }),
    rollup('x', 'count', { via: { structure: 'Orders', field: 'other' } }),
    rollup('x', 'count', { via: { structure: 'Orders', field: 'amount' } }),
    rollup('x', 'count', { via: { structure: 'Nothing', field: 'customer' } }),
    field('x', 'rollup', { function: 'count' }),
    field('x', 'rollup', { via: { structure: 'Orders', field: 'customer' } }),
    field('x', 'number', { function: 'count' }),
  ])('%j is refused', async (wrong) => {
    const { status, body } = await service.patch(path, { fields: [NAME, ...ROLLUPS, wrong] })
    expect([status, body.code]).toEqual([400, 'refused'])
  })

  test('keeps the fields that it counts from removal', async () => {
    const { body } = await service.get('/v1/records/structures/Orders')
    for (const key of ['customer', 'amount']) {
      const fields = body.structure.fields.filter((one: { key: string }) => one.key !== key)
      const answer = await service.patch('/v1/records/structures/Orders', { fields })
      expect([key, answer.status, answer.body.code]).toEqual([key, 409, 'in_use'])
    }
  })

  test('of a hidden structure is not named where it keeps a field', async () => {
    const { id } = (await service.get(path)).body.structure
    const key = await service.newKey({
      access: { structures: { [id]: 'none' } },
      user: 'Vera',
      role: 'editor',
    })
    const vera = service.as(key)
    const { fields } = (await vera.get('/v1/records/structures/Orders')).body.structure
    const kept = fields.filter((one: { key: string }) => one.key !== 'amount')
    const { status, body } = await vera.patch('/v1/records/structures/Orders', { fields: kept })
    expect([status, body.code, body.error.includes('mean')]).toEqual([409, 'in_use', false])
  })

  test('adds up fractions that follow whole numbers, and names no field of a webhook', async () => {
    const of = (key: string, name: string) =>
      field(key, 'rollup', {
        ...{ via: { structure: 'Parts', field: 'parent' }, function: name },
        ...(name !== 'count' && { field: 'size' }),
      })
    const totals = ['count', 'sum', 'average', 'min', 'max'].map((name) => of(`${name}_of`, name))
    const parts = [field('parent', 'record', { structure: 'Parts' }), field('size', 'number'), ...totals]
    await declare(service, 'Parts', parts)
    const [root] = await write(service, 'Parts', { size: 1 })
    const wholes = Array.from({ length: 21 }, () => ({ parent: root.id, size: 1 }))
    await write(service, 'Parts', ...wholes, { parent: root.id, size: 0.1 }, { parent: root.id, size: 0.2 })
    expect((await service.get(`/v1/records/${root.id}`)).body.record.data).toEqual({
      ...{ size: 1, count_of: 23, sum_of: 21.3, average_of: 21.3 / 23, min_of: 0.1, max_of: 1 },
    })
    const webhook = { structure: 'Parts', url: 'https://hooks.example.com/', fields: ['sum_of'] }
    const refused = await service.post('/v1/webhooks', webhook)
    expect([refused.status, refused.body.code]).toEqual([400, 'refused'])
  })

  test('may count the rows of its own structure', async () => {
    await declare(service, 'Parts', [
      field('parent', 'record', { structure: 'Parts' }),
      field('parts', 'rollup', { via: { structure: 'Parts', field: 'parent' }, function: 'count' }),
    ])
    const [root] = await write(service, 'Parts', {})
    await write(service, 'Parts', { parent: root.id }, { parent: root.id })
    expect((await service.get(`/v1/records/${root.id}`)).body.record.data).toEqual({ parts: 2 })
  })
})

describe('a watch of rows with roll-ups', () => {
  const merge = async () => {
    await settle()
    service.clock.advance(250)
  }

  test('sends another answer when the other rows change, and says which rows changed', async () => {
    const opened = await watch(service, 'Customers', { changes: true })
    await opened.event('answer')
    await write(service, 'Orders', { customer: customers[2].id, amount: 1 })
    await merge()
    const { changes } = await opened.event('answer')
    expect(changes.updated.map(({ data }: { data: object }) => data)).toEqual([
      { name: 'Eve', orders: 1, amount: 1, mean: 1, last: 1 },
    ])
  })

  test('ends when the roll-ups count the rows of other structures than before', async () => {
    const opened = await watch(service, 'Orders')
    await opened.event('answer')
    const { body } = await service.get('/v1/records/structures/Orders')
    const linked = await service.get(path)
    const fields = [...linked.body.structure.fields, field('order', 'record', { structure: 'Orders' })]
    await service.patch(path, { fields })
    const via = { structure: 'Customers', field: 'order' }
    const added = field('used', 'rollup', { via, function: 'count' })
    expect(
      (await service.patch('/v1/records/structures/Orders', { fields: [...body.structure.fields, added] }))
        .status,
    ).toBe(200)
    await merge()
    expect((await opened.event('closed')).code).toBe('access_changed')
  })
})
