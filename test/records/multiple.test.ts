import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { declare, field, list, summary, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const STRUCTURES = '/v1/records/structures'
const tags = (more: object = {}) => field('tags', 'select', { multiple: true, ...more })
const send = (data: object) => service.post('/v1/records', { structure: 'Things', data })

/** The values of the matching rows, in order of entry. */
async function matching(op: string, value?: unknown) {
  const filter = [{ field: 'tags', op, ...(value !== undefined && { value }) }]
  const { body } = await list(service, 'Things', { filter, direction: 'asc' })
  return body.records.map(({ data }: { data: { name: string } }) => data.name)
}

const ROWS = [
  { name: 'ab', tags: ['a', 'b'] },
  { name: 'b', tags: ['b'] },
  { name: 'quotes', tags: ['","', 'x"y', 'line\nbreak', '\\'] },
  { name: 'none' },
  { name: 'Ü', tags: ['Über'] },
]

describe.each([false, true])('a field with several values, own table %p', (isOwn) => {
  beforeEach(async () => {
    await declare(service, 'Things', [field('name', 'text'), tags()])
    await write(service, 'Things', ...ROWS)
    if (isOwn) await write(service, 'Things', ...Array.from({ length: 250 }, (_, at) => ({ name: `${at}` })))
  })
  const all = ['ab', 'b', 'quotes', 'Ü']

  test('is filtered by any, all or none of its values', async () => {
    expect(await matching('has_any', ['a', 'Über'])).toEqual(['ab', 'Ü'])
    expect(await matching('has_any', ['","'])).toEqual(['quotes'])
    expect(await matching('has_any', ['line\nbreak', 'nowhere'])).toEqual(['quotes'])
    expect(await matching('has_any', [','])).toEqual([])
    expect(await matching('has_any', ['über'])).toEqual([])
    expect(await matching('has_all', ['b', 'a', 'b'])).toEqual(['ab'])
    expect(await matching('has_all', ['b', 'c'])).toEqual([])
    const many = Array.from({ length: 97 }, (_, at) => `other ${at}`)
    expect(await matching('has_any', [...many, '\\', 'b'])).toEqual(['ab', 'b', 'quotes'])
    expect(await matching('has_all', [...many, 'b'])).toEqual([])
    expect(await matching('not_empty')).toEqual(all)
    expect((await matching('has_none', ['b'])).slice(0, 3)).toEqual(['quotes', 'none', 'Ü'])
    expect((await matching('is_empty'))[0]).toBe('none')
  })

  test('is found by the text of each value', async () => {
    const found = async (search: string) => {
      const { body } = await list(service, 'Things', { search, direction: 'asc' })
      return body.records.map(({ data }: { data: { name: string } }) => data.name)
    }
    expect(await found('über')).toEqual(['Ü'])
    expect(await found('x"y')).toEqual(['quotes'])
    expect(await found('["')).toEqual([])
  })

  test('counts a row once in each of its values', async () => {
    const { buckets } = (await summary(service, 'Things', { by: 'tags' })).body
    const counts = new Map(
      buckets.map(({ value, count }: { value: string; count: number }) => [value, count]),
    )
    expect(counts.get('a')).toBe(1)
    expect(counts.get('b')).toBe(2)
    expect(counts.get(',' as never)).toBeUndefined()
    const board = await service.get('/v1/records/board?structure=Things&group_by=tags')
    const totals = Object.fromEntries(
      board.body.columns.map(({ value, total }: { value: string; total: number }) => [value, total]),
    )
    expect(totals).toMatchObject({ a: 1, b: 2, Über: 1 })
    expect(board.body.total).toBe(isOwn ? 255 : 5)
  })
})

test.each([
  [[], 'refused'],
  [['a', 'a'], 'refused'],
  ['a', 'refused'],
  [[1], 'refused'],
  [[null], 'refused'],
  [Array.from({ length: 101 }, (_, at) => `${at}`), 'refused'],
])('the value %p is refused, and nothing is written', async (value, code) => {
  await declare(service, 'Things', [tags()])
  expect(await send({ tags: value })).toMatchObject({ status: 400, body: { code } })
  expect((await list(service, 'Things')).body.records).toEqual([])
})

test('options limit each value, and a hundred values keep their order', async () => {
  await declare(service, 'Things', [
    tags({ options: ['a', 'b'] }),
    field('free', 'select', { multiple: true }),
  ])
  expect(await send({ tags: ['a', 'c'] })).toMatchObject({ status: 400 })
  const free = Array.from({ length: 100 }, (_, at) => `${99 - at}`)
  expect(await send({ tags: ['b', 'a'], free })).toMatchObject({
    status: 201,
    body: { records: [{ data: { tags: ['b', 'a'], free } }] },
  })
})

test('another order is a change; the same order is none; null clears', async () => {
  await declare(service, 'Things', [tags()])
  const [row] = await write(service, 'Things', { tags: ['a', 'b'] })
  const patch = (value: unknown) => service.patch(`/v1/records/${row.id}`, { data: { tags: value } })
  const same = await patch(['a', 'b'])
  expect(same.body.record.updated_at).toBe(row.updated_at)
  const turned = await patch(['b', 'a'])
  expect(turned.body.record).toMatchObject({ data: { tags: ['b', 'a'] } })
  expect(turned.body.record.updated_at).not.toBe(row.updated_at)
  const { versions } = (await service.get(`/v1/records/${row.id}/history`)).body
  expect(versions[0]).toMatchObject({ changed: ['tags'], previous: { tags: ['a', 'b'] } })
  expect((await patch(null)).body.record.data).toEqual({})
})

describe('of its definition', () => {
  const declared = (body: object) => service.post(STRUCTURES, { name: 'Things', ...body })
  test.each([
    [{ fields: [field('tags', 'text', { multiple: true })] }],
    [{ fields: [tags({ unique: true })] }],
    [{ fields: [tags(), field('a', 'text')], unique_together: [['tags', 'a']] }],
    [{ fields: [tags()], label_field: 'tags' }],
  ])('%p is refused', async (body) => {
    expect(await declared(body)).toMatchObject({ status: 400, body: { code: 'refused' } })
  })

  test('several values are switched only while there are no rows', async () => {
    await declared({ fields: [tags()] })
    const single = await service.patch(`${STRUCTURES}/Things`, { fields: [field('tags', 'select')] })
    expect(single.body.structure.fields[0]).not.toHaveProperty('multiple')
    const several = await service.patch(`${STRUCTURES}/Things`, { fields: [tags()] })
    expect(several.body.structure.fields[0]).toMatchObject({ multiple: true })
    await write(service, 'Things', { tags: ['a'] })
    expect(await service.patch(`${STRUCTURES}/Things`, { fields: [field('tags', 'select')] })).toMatchObject({
      status: 400,
      body: { code: 'refused' },
    })
  })

  test('sorting by it is refused, and so are the operators of single values', async () => {
    await declare(service, 'Things', [tags(), field('name', 'select')])
    for (const query of [
      'sort=tags',
      `filter=${encodeURIComponent(JSON.stringify([{ field: 'tags', op: 'eq', value: 'a' }]))}`,
      `filter=${encodeURIComponent(JSON.stringify([{ field: 'name', op: 'has_any', value: ['a'] }]))}`,
    ])
      expect(await service.get(`/v1/records?structure=Things&${query}`)).toMatchObject({
        status: 400,
        body: { code: 'refused' },
      })
    for (const value of [[], 'a', Array.from({ length: 101 }, (_, at) => `${at}`)]) {
      const filter = encodeURIComponent(JSON.stringify([{ field: 'tags', op: 'has_any', value }]))
      expect(await service.get(`/v1/records?structure=Things&filter=${filter}`)).toMatchObject({
        status: 400,
      })
    }
  })
})

test('a conversion makes one value several, and back where no row has two', async () => {
  await declare(service, 'Things', [field('one', 'select'), field('text', 'text')])
  const rows = await write(service, 'Things', { one: 'a; b', text: 'a; b' }, { one: 'c', text: 'x\ny' }, {})
  const convert = (body: object) => service.post(`${STRUCTURES}/Things/convert`, body)
  const many = { field: 'one', key: 'many', type: 'select', multiple: true }
  expect(await convert(many)).toMatchObject({ status: 200, body: { converted: 2, empty: 1, failed: 0 } })
  const split = { field: 'text', key: 'split', type: 'select', multiple: true }
  expect((await convert(split)).body).toMatchObject({ converted: 2 })
  const dataOf = async (at: number) => (await service.get(`/v1/records/${rows[at].id}`)).body.record.data
  expect(await dataOf(0)).toMatchObject({ many: ['a; b'], split: ['a', 'b'] })
  expect(await dataOf(1)).toMatchObject({ many: ['c'], split: ['x', 'y'] })
  expect(await convert({ field: 'many', key: 'back', type: 'select' })).toMatchObject({
    status: 200,
    body: { converted: 2 },
  })
  expect(await dataOf(0)).toMatchObject({ back: 'a; b' })
  const before = await service.get(`${STRUCTURES}/Things`)
  expect(await convert({ field: 'split', key: 'lost', type: 'select' })).toMatchObject({
    status: 400,
    body: { code: 'refused' },
  })
  expect((await service.get(`${STRUCTURES}/Things`)).body).toEqual(before.body)
})

test('a conversion of days to instants loses nothing on the way back, and a time of day is in the preview', async () => {
  await declare(service, 'Things', [field('day', 'date'), field('at', 'datetime')])
  const at = '2024-02-29T09:30:00.000Z'
  const [row] = await write(service, 'Things', { day: '2024-02-29', at })
  const convert = (body: object) => service.post(`${STRUCTURES}/Things/convert`, body)
  await convert({ field: 'day', key: 'instant', type: 'datetime' })
  expect((await convert({ field: 'instant', key: 'back', type: 'date' })).body).toMatchObject({
    converted: 1,
  })
  const { data } = (await service.get(`/v1/records/${row.id}`)).body.record
  expect([data.instant, data.back]).toEqual(['2024-02-29T00:00:00.000Z', '2024-02-29'])
  const preview = await convert({ field: 'at', key: 'lost', type: 'date', dry_run: true })
  expect(preview.body).toMatchObject({
    converted: 0,
    failed: 1,
    failures: [{ record_id: row.id, value: at }],
  })
})
