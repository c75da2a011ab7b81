import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, RANDOM_SEED, runs } from '../support/counts.ts'
import { randomSource } from '../support/random.ts'
import { type Row, sorted } from '../support/record-oracle.ts'
import { declare, list, queryOf, write } from '../support/records.ts'
import { type Answer, type Client, startService, type TestService } from '../support/service.ts'
import {
  arbitraryQuery,
  buildOtherIndexes,
  Expected,
  growTable,
  type QueryCase,
} from '../support/unseen-rows.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

let tables = 0

const LONG = 'long ❄ text '.repeat(60)

interface Walk {
  readonly rows: Row[]
  readonly pages: Answer[]
}

/** Reads every page of a list; `between` runs after each page with its rows. */
async function walk(
  client: Client,
  query: Record<string, unknown>,
  between: (rows: readonly Row[]) => Promise<void> = async () => {},
): Promise<Walk> {
  const pages: Answer[] = []
  const rows: Row[] = []
  for (let cursor: string | null = 'start'; cursor !== null; ) {
    const answer = await client.get(`/v1/records?${queryOf({ ...query, cursor })}`)
    if (answer.status !== 200) throw new Error(answer.body.error)
    const { records, next_cursor, has_more, ...rest } = answer.body
    expect(has_more).toBe(next_cursor !== null)
    expect(rest).toEqual(query.total ? { total: expect.any(Number) } : {})
    expect(next_cursor ?? '').toMatch(/^[\w-]{0,500}$/)
    pages.push(answer)
    rows.push(...records)
    await between(records)
    cursor = next_cursor
  }
  return { rows, pages }
}

const parametersOf = ({ filter, key, direction }: QueryCase) => ({ filter, sort: key, direction })

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id)

describe('a walk', () => {
  test.each([
    { rows: 80, isInOrder: true, hasIndexes: false },
    { rows: 130, isInOrder: true, hasIndexes: true },
    { rows: 130, isInOrder: false, hasIndexes: true },
  ])(
    'returns each row that stays as it is once and in order, whatever is written between pages: %o',
    async (options) => {
      const table = await growTable(service, { seed: RANDOM_SEED + tables++, ...options })
      if (options.hasIndexes) await buildOtherIndexes(service, table.id)
      const live = new Map(table.rows.map((row) => [row.id, row]))
      const writes = [() => Promise.resolve(), disturb]
      await fc.assert(
        fc.asyncProperty(arbitraryQuery(table.rows), fc.nat(2 ** 30), async (query, seed) => {
          const random = randomSource(seed)
          const walked = { structure: table.id, ...parametersOf(query), limit: 3 + random(20) }
          for (const between of writes) {
            const before = new Map(live)
            const { rows } = await walk(service, walked, (page) =>
              between(service, table.id, page, live, random),
            )
            const stable = [...before.values()].filter((row) => live.get(row.id) === row)
            const ids = new Set(idsOf(stable))
            expect(rows.filter(({ id }) => ids.has(id))).toEqual(new Expected(stable).found(query))
          }
        }),
        { numRuns: runs(10, 300), seed: RANDOM_SEED },
      )
    },
    RANDOM_CASES_MS,
  )
})

/** Changes, deletes and adds rows, preferably at the end of the page, where the cursor is. */
async function disturb(
  client: TestService,
  structure: string,
  page: readonly Row[],
  live: Map<string, Row>,
  random: (below: number) => number,
): Promise<void> {
  client.clock.advance(random(3) - 1)
  const all = [...live.keys()]
  for (const id of [page.at(-1)?.id, all[random(all.length)]]) {
    if (id === undefined || !live.has(id)) continue
    const other = live.get(all[random(all.length)] ?? '')
    // Neither the unique field nor the formula is written.
    const { code: _, twice: __, ...data } = other?.data ?? {}
    const deed = random(4)
    if (deed === 0) {
      await client.delete(`/v1/records/${id}`)
      live.delete(id)
    } else if (deed === 1) live.set(id, (await client.patch(`/v1/records/${id}`, { data })).body.record)
    else if (deed === 2) for (const row of await write(client, structure, data)) live.set(row.id, row)
  }
}

describe('sort values that do not fit into a cursor', () => {
  const LONG_TEXTS = [
    LONG,
    `${LONG}a`,
    `${LONG}b`,
    `${LONG}b`,
    `${LONG}b`,
    `${LONG}b${LONG}`,
    `${LONG}😀`,
    `${LONG}\uffee`,
    LONG.slice(0, 500),
    'short',
    `z${LONG}`,
    `${LONG.toUpperCase()}A`,
  ]

  test.each(['asc', 'desc'] as const)(
    '%s: a deleted or changed last row leaves the position',
    async (direction) => {
      for (const change of ['delete', 'patch'] as const) {
        const { id } = await declare(service, `long ${direction} ${change}`, [{ key: 'text', type: 'text' }])
        const rows: Row[] = await write(service, id, ...LONG_TEXTS.map((text) => ({ text })), {}, {}, {})
        const query = { structure: id, sort: 'text', direction, limit: 1 }
        const { rows: found } = await walk(service, query, async ([row]) => {
          const path = `/v1/records/${row?.id}`
          if (change === 'delete') await service.delete(path)
          // Already behind the position in this direction.
          else await service.patch(path, { data: { text: direction === 'asc' ? '' : '😀😀' } })
        })
        expect(found).toEqual(sorted(rows, { key: 'text', direction }))
      }
    },
  )
})

describe('the list', () => {
  const table = async (name: string, count = 7) => {
    const { id } = await declare(service, name, [{ key: 'n', type: 'number' }])
    await write(service, id, ...Array.from({ length: count }, (_, n) => ({ n })))
    return id
  }

  test('has "total" only on request, and takes a view, a search and deleted rows', async () => {
    const structure = await table('in all ways')
    const numbers = ({ rows }: Walk) => rows.map(({ data }) => data.n)
    const plain = await walk(service, { structure, limit: 2, sort: 'n' })
    expect(numbers(plain)).toEqual([6, 5, 4, 3, 2, 1, 0])
    const counted = await walk(service, { structure, limit: 3, total: true })
    expect(counted.pages.map(({ body }) => body.total)).toEqual([7, 7, 7])
    expect(numbers(await walk(service, { structure, limit: 1, search: '6' }))).toEqual([6])
    const { body } = await service.post('/v1/records/views', {
      structure,
      name: 'view',
      filter: [{ field: 'n', op: 'gt', value: 3 }],
      sort: 'n',
      direction: 'asc',
    })
    expect(numbers(await walk(service, { view: body.row_view.id, limit: 2 }))).toEqual([4, 5, 6])
    for (const { id } of plain.rows.slice(0, 5)) await service.delete(`/v1/records/${id}`)
    const deleted = { structure, deleted: true, limit: 2 }
    const restored = await walk(service, deleted, async ([row]) => {
      await service.post(`/v1/records/${row?.id}/restore`)
    })
    expect(numbers(restored)).toEqual([6, 5, 4, 3, 2])
    expect((await walk(service, { ...deleted, total: true })).pages[0]?.body.total).toBe(2)
  })

  test('refuses an offset, other parameters than at the start, and what is no cursor', async () => {
    const structure = await table('refused')
    const other = await table('other')
    const query = { structure, limit: 2, sort: 'n', direction: 'asc' }
    const first = await list(service, structure, { ...query, cursor: 'start' })
    const cursor: string = first.body.next_cursor
    expect((await list(service, structure, { ...query, cursor, offset: 0 })).body.code).toBe(
      'invalid_request',
    )
    for (const changed of [
      { limit: 3 },
      { sort: 'created_at' },
      { direction: 'desc' },
      { filter: [{ field: 'n', op: 'gt', value: 0 }] },
      { search: '1' },
      { structure: other },
      { deleted: true, sort: undefined, direction: undefined },
    ]) {
      const { status, body } = await list(service, structure, { ...query, ...changed, cursor })
      expect([status, body.code]).toEqual([400, 'refused'])
    }
    for (const bad of ['', 'Start', 'x', `${cursor}x`, cursor.slice(1), cursor.toUpperCase(), '\u0000']) {
      const { status, body } = await list(service, structure, { ...query, cursor: bad })
      expect([status, body.code]).toEqual([400, 'invalid_request'])
    }
    const same = { filter: '[ ]', cursor }
    expect((await list(service, 'REFUSED', { ...query, structure: 'REFUSED', ...same })).status).toBe(200)
  })

  test('ends a walk whose view changes, and survives a renamed structure', async () => {
    const structure = await table('changed')
    const { body } = await service.post('/v1/records/views', { structure, name: 'v', sort: 'n' })
    const view: string = body.row_view.id
    const { next_cursor: cursor } = (
      await service.get(`/v1/records?${queryOf({ view, limit: 2, cursor: 'start' })}`)
    ).body
    await service.patch(`/v1/records/structures/${structure}`, { name: 'renamed' })
    const next = () => service.get(`/v1/records?${queryOf({ view, limit: 2, cursor })}`)
    expect((await next()).body.records).toHaveLength(2)
    await service.patch(`/v1/records/views/${view}`, { sort: 'created_at' })
    expect((await next()).body.code).toBe('refused')
  })
})
