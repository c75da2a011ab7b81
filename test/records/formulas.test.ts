import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { runJobs } from '../support/jobs.ts'
import { declare, field, giveTable, list, summary, write } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { watch } from '../support/watch.ts'

let service: TestService

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const PRICE = field('price', 'number')
const COUNT = field('count', 'number')
const formula = (key: string, expression: string) => field(key, 'formula', { expression })
const TOTAL = formula('total', '{price} * {count}')

const path = '/v1/records/structures/Orders'
const fieldOf = async (key: string) => {
  const { body } = await service.get(path)
  return body.structure.fields.find((one: { key: string }) => one.key === key)
}
const declareOrders = (...more: ReturnType<typeof field>[]) =>
  declare(service, 'Orders', [PRICE, TOTAL, COUNT, ...more])
const patchFields = (...fields: object[]) => service.patch(path, { fields })

describe('a formula', () => {
  test('has the type of its result, and its values in every row, in the order of the fields', async () => {
    await declareOrders(formula('big', '{price} > 10'), formula('name', '"#" & {count}'))
    expect(await fieldOf('total')).toMatchObject({
      ...{ type: 'formula', expression: '{price} * {count}', result: 'number' },
    })
    expect(await fieldOf('total')).not.toHaveProperty('computing')
    const [row, blank] = await write(service, 'Orders', { price: 20, count: 3 }, { count: 1 })
    expect(JSON.stringify(row.data)).toBe('{"price":20,"total":60,"count":3,"big":true,"name":"#3"}')
    expect(blank.data).toEqual({ count: 1, name: '#1' })
    const { body } = await service.patch(`/v1/records/${row.id}`, { data: { count: null } })
    expect(body.record.data).toEqual({ price: 20, big: true, name: '#' })
  })

  test('is refused when it is written', async () => {
    await declareOrders()
    const [row] = await write(service, 'Orders', { price: 1, count: 1 })
    for (const total of [1, null, 'x']) {
      const answers = [
        await service.post('/v1/records', { structure: 'Orders', data: { price: 1, total } }),
        await service.patch(`/v1/records/${row.id}`, { data: { total } }),
      ]
      for (const { status, body } of answers) expect([status, body.code]).toEqual([400, 'refused'])
    }
  })

  test.each([false, true])(
    'is filtered, sorted, summed, and grouped like its result (own table: %p)',
    async (own) => {
      await declareOrders(formula('big', '{price} > 10'), formula('day', 'DATE({count}, 1, 1)'))
      await write(
        service,
        'Orders',
        { price: 20, count: 3 },
        { price: 5, count: 2 },
        { price: 9, count: 10_000 },
        { count: 4 },
      )
      if (own) await giveTable(service, 'Orders')
      const totals = async (more: object) =>
        (await list(service, 'Orders', { ...more })).body.records.map(
          ({ data }: { data: { total?: number } }) => data.total ?? null,
        )
      expect(await totals({ sort: 'total', direction: 'asc' })).toEqual([10, 60, 90_000, null])
      expect(await totals({ filter: [{ field: 'total', op: 'gte', value: 60 }] })).toEqual([90_000, 60])
      expect(await totals({ filter: [{ field: 'big', op: 'eq', value: true }] })).toEqual([60])
      expect(await totals({ filter: [{ field: 'day', op: 'lt', value: '0003-01-01' }] })).toEqual([10])
      expect((await summary(service, 'Orders', { field: 'total' })).body.buckets[0].sum).toBe(90_070)
      expect((await list(service, 'Orders', { search: '90000' })).body.total).toBe(1)
      const board = await service.get('/v1/records/board?structure=Orders&group_by=big')
      expect(board.body.columns.map(({ total }: { total: number }) => total)).toEqual([2, 1, 1])
      const days = await summary(service, 'Orders', { date: 'day', period: 'year', field: 'total' })
      expect(days.status).toBe(200)
    },
  )

  test.each([
    [{}, undefined],
    [{ expression: '' }, undefined],
    [{ expression: '1'.repeat(2_001) }, undefined],
    [{ expression: '{price} +' }, 9],
    [{ expression: '1 + {nothing}' }, 4],
    [{ expression: '{total}' }, 0],
    [{ expression: '{id}' }, 0],
    [{ expression: 'BLANK' }, 0],
    [{ expression: '1', required: true }, undefined],
    [{ expression: '1', unique: true }, undefined],
    [{ expression: '1', min: 0 }, undefined],
    [{ expression: '1', options: ['a'] }, undefined],
  ])('%p is refused', async (more, position) => {
    const fields = [PRICE, formula('other', '1'), field('total', 'formula', more)]
    const { status, body: text } = await service.request(
      'POST',
      '/v1/records/structures',
      { name: 'Orders', fields },
      { accept: 'application/problem+json' },
    )
    const body = JSON.parse(text)
    expect([status, body.position, body.errors[0]?.position]).toEqual([400, position, position])
    if (position !== undefined) {
      expect(body.code).toBe('refused')
      expect(body.detail).toContain(`position ${position}`)
    }
    expect((await service.get(path)).status).toBe(404)
  })

  test('cannot use other formulas, and others cannot be unique with it', async () => {
    const refused = async (body: object) => {
      const answer = await service.post('/v1/records/structures', { name: 'Orders', ...body })
      expect([answer.status, answer.body.code]).toEqual([400, 'refused'])
    }
    await refused({ fields: [formula('one', '1'), formula('two', '{one}')] })
    await refused({ fields: [PRICE, formula('one', '1')], unique_together: [['price', 'one']] })
    await refused({ fields: [formula('one', '1')], label_field: 'one' })
    await refused({ fields: [field('price', 'number', { expression: '1' })] })
    const named = await declare(service, 'Orders', [formula('one', '"a"')], { label_field: 'one' })
    expect(named.label_field).toBe('one')
  })

  test('keeps its fields from removal and from changes of their types, also before there are rows', async () => {
    await declareOrders()
    const inUse = async (...fields: object[]) => {
      const { status, body } = await patchFields(...fields)
      expect([status, body.code]).toEqual([409, 'in_use'])
    }
    await inUse(PRICE, TOTAL)
    await inUse(PRICE, TOTAL, field('count', 'text'))
    expect((await patchFields(PRICE, formula('total', '{price}'))).status).toBe(200)
    expect((await patchFields(PRICE, COUNT, TOTAL)).status).toBe(200)
    await write(service, 'Orders', { price: 1, count: 2 })
    await inUse(PRICE, TOTAL)
    await inUse(PRICE, TOTAL, field('count', 'text'))
  })

  test('cannot change its result while a view, a webhook or the label names it', async () => {
    await declareOrders()
    const view = await service.post('/v1/records/views', {
      ...{ structure: 'Orders', name: 'Large', kind: 'table' },
      filter: [{ field: 'total', op: 'gt', value: 5 }],
    })
    expect(view.status).toBe(201)
    const { status, body } = await patchFields(PRICE, formula('total', '"a"'), COUNT)
    expect([status, body.code]).toEqual([409, 'in_use'])
    expect((await patchFields(PRICE, formula('total', '{price} + 1'), COUNT)).status).toBe(200)
    await service.delete(`/v1/records/views/${view.body.row_view.id}`)
    expect((await patchFields(PRICE, formula('total', '"a"'), COUNT)).status).toBe(200)
  })
})

describe('the values of formulas', () => {
  test('are found as values of their result types are', async () => {
    await declare(service, 'Orders', [
      ...[field('at', 'datetime'), field('note', 'text')],
      ...[formula('when', '{at}'), formula('late', 'IF(ISBLANK({at}), BLANK, TRUE)')],
    ])
    await write(service, 'Orders', { at: '2026-11-02T10:00:00Z' }, { note: 'none' })
    const found = async (query: Record<string, unknown>) => {
      const { status, body } = await list(service, 'Orders', query)
      return [status, body.total]
    }
    expect(await found({ filter: [{ field: 'when', op: 'eq', value: '2026-11-02' }] })).toEqual([200, 1])
    expect(await found({ filter: [{ field: 'when', op: 'gt', value: '2026-11-02' }] })).toEqual([200, 0])
    expect(await found({ search: 't10:00' })).toEqual([200, 1])
    expect(await found({ search: 'false' })).toEqual([200, 0])
    expect(await found({ search: 'true' })).toEqual([200, 1])
  })

  test('are blank once the formulas of a row have made long texts, and are so after a new expression', async () => {
    const long = (key: string, letter: string) =>
      formula(key, `LEN(SUBSTITUTE("${letter.repeat(200)}","${letter}","${'x'.repeat(300)}"))`)
    const fields = [PRICE, long('one', 'a'), long('other', 'b')]
    await declare(service, 'Orders', fields)
    const [row] = await write(service, 'Orders', { price: 1 })
    expect(row.data).toEqual({ price: 1, one: 60_000 })
    expect((await patchFields(...fields, formula('last', '{price} + 1'))).status).toBe(200)
    await runJobs(service.ctx)
    const { body } = await service.get(`/v1/records/${row.id}`)
    expect(body.record.data).toEqual({ price: 1, one: 60_000, last: 2 })
  })
})

describe('a new or changed expression', () => {
  test.each([false, true])(
    'is computed for all rows in the background, without events and history (own table: %p)',
    async (own) => {
      await declare(service, 'Orders', [PRICE, COUNT])
      const data = Array.from({ length: 150 }, (_, price) => ({ price, count: 2 }))
      const rows = await write(service, 'Orders', ...data)
      if (own) await giveTable(service, 'Orders')
      const before = (await service.get('/v1/changes?limit=1000')).body.changes
      expect((await patchFields(PRICE, COUNT, TOTAL)).body.structure.fields[2].computing).toBe(true)
      const [during] = await write(service, 'Orders', { price: 7, count: 7 })
      expect(during.data.total).toBe(49)
      await runJobs(service.ctx)
      expect(await fieldOf('total')).not.toHaveProperty('computing')
      const after = await list(service, 'Orders', { limit: 500, sort: 'total', direction: 'asc' })
      const totals = after.body.records.map(({ data }: { data: { total: number } }) => data.total)
      const expected = [...data.map(({ price }) => price * 2), 49].sort((one, other) => one - other)
      expect(totals).toEqual(expected)
      const first = after.body.records.find(({ id }: { id: string }) => id === rows[5].id)
      expect(first.updated_at).toBe(rows[5].updated_at)
      const changes = (await service.get('/v1/changes?limit=1000')).body.changes.length
      expect(changes - before.length).toBe(2)
      expect((await service.get(`/v1/records/${rows[5].id}/history`)).body.versions).toHaveLength(1)
    },
  )

  test.each([false, true])('may have another result than before (own table: %p)', async (own) => {
    await declareOrders()
    const [row] = await write(service, 'Orders', { price: 2, count: 3 })
    if (own) await giveTable(service, 'Orders')
    expect((await patchFields(PRICE, formula('total', 'TEXT({price}) & "€"'), COUNT)).status).toBe(200)
    const sums = await summary(service, 'Orders', { field: 'total' })
    expect(sums.status).toBe(400)
    await runJobs(service.ctx)
    const { body } = await list(service, 'Orders', {
      filter: [{ field: 'total', op: 'contains', value: '2€' }],
    })
    expect(body.records.map(({ id, data }: { id: string; data: object }) => [id, data])).toEqual([
      [row.id, { price: 2, total: '2€', count: 3 }],
    ])
    expect((await patchFields(PRICE, TOTAL, COUNT)).status).toBe(200)
    await runJobs(service.ctx)
    expect((await summary(service, 'Orders', { field: 'total' })).body.buckets[0].sum).toBe(6)
  })

  test('is sent to watches of the rows', async () => {
    await declare(service, 'Orders', [PRICE, COUNT])
    await write(service, 'Orders', { price: 2, count: 3 })
    const opened = await watch(service, 'Orders')
    await opened.event('answer')
    await patchFields(PRICE, COUNT, TOTAL)
    await runJobs(service.ctx)
    await settle()
    service.clock.advance(250)
    const { records, structure } = await opened.event('answer')
    expect(records[0].data.total).toBe(6)
    expect(structure.fields[2]).not.toHaveProperty('computing')
  })

  test('is refused together with other mistakes in a dry run, and changes nothing', async () => {
    await declareOrders()
    const { status, body } = await service.patch(path, {
      fields: [PRICE, formula('total', '1 +'), field('count', 'text'), formula('next', '')],
      dry_run: true,
    })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    const tried = await service.patch(path, {
      ...{ dry_run: true, fields: [PRICE, formula('total', '1 +'), COUNT, formula('next', '{x}')] },
    })
    expect(tried.body.refusals.map(({ field }: { field: string }) => field)).toEqual(['total', 'next'])
  })
})

describe('the values of a formula', () => {
  test('stand in the history and in events like others, and are computed again by undo, revert and restore', async () => {
    await declareOrders()
    const [row] = await write(service, 'Orders', { price: 2, count: 3 })
    await service.patch(`/v1/records/${row.id}`, { data: { count: 4 } })
    const { versions } = (await service.get(`/v1/records/${row.id}/history`)).body
    expect(versions[0]).toMatchObject({ changed: ['total', 'count'], previous: { total: 6, count: 3 } })
    const reverted = await service.post(`/v1/records/${row.id}/revert`, { to: versions[1].cursor })
    expect(reverted.body.record.data).toEqual({ price: 2, total: 6, count: 3 })
    const { changes } = (await service.get('/v1/changes?limit=1000')).body
    const { transaction } = changes.at(-1)
    const undone = await service.post('/v1/changes/undo', { transaction })
    expect(undone.status).toBe(200)
    expect((await service.get(`/v1/records/${row.id}`)).body.record.data).toEqual({
      price: 2,
      total: 8,
      count: 4,
    })
    await service.delete(`/v1/records/${row.id}`)
    await patchFields(PRICE, formula('total', '{price} + {count}'), COUNT)
    const restored = await service.post(`/v1/records/${row.id}/restore`)
    expect(restored.body.record.data.total).toBe(6)
  })
})
