import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Browser, signedIn } from '../../support/browser-client.ts'
import { RANDOM_CASES_MS, runs } from '../../support/counts.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  type Condition,
  sortKeys,
  withIds,
} from '../../support/record-oracle.ts'
import { declare, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'
import { watch } from '../../support/watch.ts'

let service: TestService
let count = 0
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const arbitraryScene = arbitraryFields.chain((fields) => {
  const all = [
    ...fields,
    { key: 'state', type: 'select', options: ['b', 'a', 'never'] },
    { key: 'yes', type: 'bool' },
  ]
  const order = fc.record({
    sort: fc.option(fc.constantFrom(...sortKeys(fields))),
    direction: fc.option(fc.constantFrom('asc' as const, 'desc' as const)),
    search: fc.option(fc.constantFrom('a', 'É', '0', 'tru')),
  })
  return fc.record({
    fields: fc.constant(all),
    rows: fc.array(arbitraryData([...fields, { key: 'yes', type: 'bool' }]), { minLength: 1, maxLength: 30 }),
    states: fc.array(fc.constantFrom('a', 'b', 'other', 'Another', null), { minLength: 30, maxLength: 30 }),
    filters: fc.tuple(arbitraryFilter(fields), arbitraryFilter(fields)),
    saved: order,
    sent: order,
    group: fc.constantFrom('state', 'yes', 'open'),
    limit: fc.integer({ min: 1, max: 6 }),
  })
})

const given = (parts: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(parts).flatMap(([key, value]): [string, string][] =>
      value === null || value === undefined ? [] : [[key, String(value)]],
    ),
  )

test(
  'a view has the rows of a list with both filters, and a board those of each value',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryScene,
        async ({ fields, rows, states, filters, saved, sent, group, limit }) => {
          const name = `S${++count}`
          // A select without options accepts any value; one is declared beside the field with options.
          await declare(service, name, [...fields, { key: 'open', type: 'select' }])
          const { body } = await service.post('/v1/records', {
            structure: name,
            rows: rows.map((data, at) => ({
              data: {
                ...data,
                state: states[at] === 'a' || states[at] === 'b' ? states[at] : null,
                open: states[at],
              },
            })),
          })
          const [own, more] = filters.map((filter) => withIds(filter, body.records)) as [
            Condition[],
            Condition[],
          ]
          const { row_view } = (
            await service.post('/v1/records/views', {
              structure: name,
              name,
              filter: own,
              group_by: group,
              ...saved,
            })
          ).body
          const effective = {
            sort: sent.sort ?? saved.sort,
            direction: sent.direction ?? saved.direction,
          }
          const search = sent.search ?? saved.search
          const filter = [...more, ...own, ...(search ? [{ field: '*', op: 'contains', value: search }] : [])]
          const plain = given({ structure: name, filter: JSON.stringify(filter), ...effective })
          const viewed = given({ view: row_view.id, filter: JSON.stringify(more), ...sent })
          const list = (await service.get(`/v1/records?limit=500&${plain}`)).body
          expect((await service.get(`/v1/records?limit=500&${viewed}`)).body).toEqual(list)
          const by = `by=${group}`
          const buckets = (
            await service.get(
              `/v1/records/summary?${by}&${given({ structure: name, filter: JSON.stringify(filter) })}`,
            )
          ).body
          expect(
            (
              await service.get(
                `/v1/records/summary?${by}&${given({ view: row_view.id, filter: JSON.stringify(more), search: sent.search })}`,
              )
            ).body,
          ).toEqual(buckets)
          for (const board of [
            (await service.get(`/v1/records/board?limit=${limit}&${viewed}`)).body,
            (await service.get(`/v1/records/board?limit=${limit}&group_by=${group}&${plain}`)).body,
          ]) {
            expect(board.total).toBe(list.total)
            const values = board.columns.map(({ value }: { value: unknown }) => value)
            const used = new Set(list.records.map(({ data }: { data: { open?: string } }) => data.open))
            const inUse = ['a', 'Another', 'b', 'other'].filter((value) => used.has(value))
            expect(values).toEqual(
              { state: ['b', 'a', 'never', null], yes: [false, true, null], open: [...inUse, null] }[
                group
              ] as unknown[],
            )
            for (const { value, total, records, has_more } of board.columns) {
              const condition =
                value === null ? { field: group, op: 'is_empty' } : { field: group, op: 'eq', value }
              const column = given({
                structure: name,
                filter: JSON.stringify([...filter, condition]),
                ...effective,
              })
              const expected = (await service.get(`/v1/records?limit=${limit}&${column}`)).body
              expect({ total, records, has_more }).toEqual(expected)
            }
          }
        },
      ),
      { numRuns: runs(25, 2_000) },
    )
  },
  RANDOM_CASES_MS,
)

describe('the days of a calendar', () => {
  interface Column {
    readonly value: string | null
    readonly total: number
    readonly records: readonly { readonly data: { readonly what: string } }[]
    readonly has_more: boolean
  }
  let person: Browser
  const read = async (query: string) =>
    (
      await person.request(
        'GET',
        `/app/api/records/days?structure=Days&sort=what&direction=asc&limit=1&${query}`,
      )
    ).body as { columns: Column[]; total: number }
  const shown = ({ columns }: { columns: Column[] }) =>
    columns.map(({ value, total, records, has_more }) => [
      value,
      total,
      records.map(({ data }) => data.what).join(),
      has_more,
    ])
  beforeAll(async () => {
    person = await signedIn(service)
    await declare(service, 'Days', [
      { key: 'what', type: 'text' },
      { key: 'day', type: 'date' },
      { key: 'at', type: 'datetime' },
    ])
    await write(
      service,
      'Days',
      { what: 'a', day: '2026-11-02', at: '2026-11-02T23:30:00.000Z' },
      { what: 'b', day: '2026-11-01', at: '2026-11-02T00:10:00.000Z' },
      { what: 'c', day: '2026-11-02', at: '2026-11-01T23:10:00.000Z' },
      { what: 'd' },
    )
  })

  test('has a column for each day in use, and one for rows without', async () => {
    expect(shown(await read('date=day'))).toEqual([
      ['2026-11-01', 1, 'b', false],
      ['2026-11-02', 2, 'a', true],
      [null, 1, 'd', false],
    ])
    const filter = encodeURIComponent(JSON.stringify([{ field: 'day', op: 'gte', value: '2026-11-02' }]))
    expect(shown(await read(`date=day&filter=${filter}`))).toEqual([
      ['2026-11-02', 2, 'a', true],
      [null, 0, '', false],
    ])
  })

  test('are no columns of a board', async () => {
    for (const query of ['group_by=day', 'group_by=at', 'group_by=at&tz=UTC'])
      expect((await service.get(`/v1/records/board?structure=Days&${query}`)).status).toBe(400)
  })

  test('has the days of instants in a time zone', async () => {
    expect(shown(await read('date=at'))).toEqual([
      ['2026-11-01', 1, 'c', false],
      ['2026-11-02', 2, 'a', true],
      [null, 1, 'd', false],
    ])
    expect(shown(await read('date=at&tz=Europe/Berlin'))).toEqual([
      ['2026-11-02', 2, 'b', true],
      ['2026-11-03', 1, 'a', false],
      [null, 1, 'd', false],
    ])
    expect(await read('date=at&tz=Nowhere')).toMatchObject({ code: 'invalid_request' })
  })

  test('has up to 1,000 days', async () => {
    const dayOf = (at: number) => new Date(Date.UTC(2020, 0, 1) + at * 86_400_000).toISOString().slice(0, 10)
    for (const from of [0, 500])
      await write(service, 'Days', ...Array.from({ length: 500 }, (_, at) => ({ day: dayOf(from + at) })))
    expect(await read('date=day')).toMatchObject({
      code: 'refused',
      error: 'The rows have more than 1,000 different days in "day"; narrow them with a filter on it.',
    })
  })
})

describe('a read of a view', () => {
  const FIELDS = [
    { key: 'what', type: 'text' },
    { key: 'state', type: 'select', options: ['open', 'done'] },
  ]
  let view: string
  beforeAll(async () => {
    await declare(service, 'Jobs', FIELDS)
    await declare(service, 'Others', FIELDS)
    const { body } = await service.post('/v1/records/views', {
      structure: 'Jobs',
      name: 'Open',
      filter: [{ field: 'state', op: 'eq', value: 'open' }],
    })
    view = body.row_view.id
  })

  const REFUSED: [string, number][] = [
    ['/v1/records', 400],
    ['/v1/records/board', 400],
    ['/v1/records/board?structure=Jobs', 400],
    ['/v1/records/board?structure=Jobs&group_by=what', 400],
    ['/v1/records/board?structure=Jobs&group_by=none', 400],
    ['/v1/records/board?structure=Jobs&group_by=state&limit=201', 400],
    ['/v1/records/board?structure=Jobs&group_by=state&offset=1', 400],
    ['/v1/records?structure=Jobs&search=', 400],
    [`/v1/records?structure=Jobs&search=${'x'.repeat(201)}`, 400],
    ['/v1/records?structure=Jobs&search=x&deleted=true', 400],
    ['/v1/records?view=none', 404],
    ['/v1/records/summary?view=none', 404],
    ['/v1/records/board?view=none', 404],
  ]
  test.each(REFUSED)('%s is refused', async (target, status) => {
    expect((await service.get(target)).status).toBe(status)
  })

  test('names no other structure than its own', async () => {
    for (const read of ['', '/summary', '/board', '/watch']) {
      const group = read === '/board' ? '&group_by=state' : ''
      const answer = await service.get(`/v1/records${read}?view=${view}&structure=Others${group}`)
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    }
    expect((await service.get(`/v1/records?view=${view}&structure=Jobs`)).status).toBe(200)
  })

  test('that is watched follows the rows and the view, and reports the deletion of the view', async () => {
    const stream = await watch(service, 'Jobs', { view })
    expect((await stream.event('answer')).records).toEqual([])
    await write(service, 'Jobs', { what: 'a', state: 'open' }, { what: 'b', state: 'done' })
    service.clock.advance(250)
    expect((await stream.event('answer')).total).toBe(1)
    await service.patch(`/v1/records/views/${view}`, { filter: [] })
    service.clock.advance(250)
    expect((await stream.event('answer')).total).toBe(2)
    await service.delete(`/v1/records/views/${view}`)
    service.clock.advance(250)
    expect(await stream.event('problem')).toMatchObject({ code: 'not_found' })
    await stream.leave()
  })
})
