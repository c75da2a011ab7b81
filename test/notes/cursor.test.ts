import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, RANDOM_SEED, runs } from '../support/counts.ts'
import { HOSTILE_TEXTS } from '../support/hostile-values.ts'
import { makeNote, type NoteAnswer } from '../support/notes.ts'
import { randomSource } from '../support/random.ts'
import { queryOf } from '../support/records.ts'
import { type Client, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const LONG = 'a ❄ title that fills all of it '.repeat(15)
const TITLES = [
  ...HOSTILE_TEXTS.filter((text) => !/\p{Cc}/u.test(text)).map((text) => `t${text}`),
  LONG,
  `${LONG}a`,
  `${LONG}b`,
  `${LONG}b`,
]

const SORTS = ['created_at', 'updated_at', 'edited_at', 'title'] as const

/** Reads every page of the list; `between` runs after each page with its notes. */
async function walk(
  client: Client,
  query: Record<string, unknown>,
  between: (notes: readonly NoteAnswer[]) => Promise<void> = async () => {},
): Promise<NoteAnswer[]> {
  const notes: NoteAnswer[] = []
  for (let cursor: string | null = 'start'; cursor !== null; ) {
    const { status, body } = await client.get(`/v1/notes?${queryOf({ ...query, cursor })}`)
    if (status !== 200) throw new Error(body.error)
    expect(Object.keys(body).sort()).toEqual(['has_more', 'next_cursor', 'notes'])
    expect(body.has_more).toBe(body.next_cursor !== null)
    expect(body.next_cursor ?? '').toMatch(/^[\w-]{0,500}$/)
    notes.push(...body.notes)
    await between(body.notes)
    cursor = body.next_cursor
  }
  return notes
}

const idsOf = (notes: readonly NoteAnswer[]) => notes.map(({ id }) => id)

test(
  'a walk returns each note that stays as it is once and in order, whatever is written between pages',
  async () => {
    const live = new Set<string>()
    const create = async (at: number) => {
      const tags = at % 3 === 0 ? ['often'] : at % 31 === 1 ? ['rare'] : []
      live.add((await makeNote(service, { title: TITLES[at % TITLES.length], tags })).id)
    }
    for (let at = 0; at < 90; at++) {
      service.clock.advance(at % 4 === 0 ? 1 : 0)
      await create(at)
    }
    const queries = fc.record({
      sort: fc.constantFrom(...SORTS, undefined),
      direction: fc.constantFrom('asc', 'desc', undefined),
      tag: fc.constantFrom('often', 'Rare', undefined),
      limit: fc.constantFrom(2, 7, 40),
      content: fc.constantFrom(false, undefined),
      excerpt: fc.constantFrom(true, undefined),
    })
    await fc.assert(
      fc.asyncProperty(queries, fc.nat(2 ** 30), async (query, seed) => {
        const random = randomSource(seed)
        const { body } = await service.get(`/v1/notes?${queryOf({ ...query, limit: 200 })}`)
        expect(await walk(service, query)).toEqual(body.notes)
        const changed = new Set<string>()
        const found = await walk(service, query, async (page) => {
          service.clock.advance(random(2))
          const all = [...live]
          for (const id of [page.at(-1)?.id, all[random(all.length)]]) {
            if (id === undefined || !live.has(id)) continue
            changed.add(id)
            const deed = random(3)
            if (deed === 0) await create(random(1_000))
            else if (deed === 1)
              await service.patch(`/v1/notes/${id}`, { title: TITLES[random(TITLES.length)] })
            else {
              await service.delete(`/v1/notes/${id}`)
              if (random(2) === 0) await service.delete(`/v1/notes/trash/${id}`)
              live.delete(id)
            }
          }
        })
        const before: string[] = idsOf(body.notes)
        const expected = before.filter((id) => !changed.has(id))
        expect(idsOf(found).filter((id) => before.includes(id) && !changed.has(id))).toEqual(expected)
      }),
      { numRuns: runs(25, 400), seed: RANDOM_SEED },
    )
  },
  RANDOM_CASES_MS,
)

test('refuses a search, an offset, and a cursor of another list', async () => {
  for (const title of ['one', 'two', 'three']) await makeNote(service, { title, tags: ['few'] })
  const get = (query: Record<string, unknown>) => service.get(`/v1/notes?${queryOf(query)}`)
  const query = { tag: 'few', limit: 2 }
  const { body } = await get({ ...query, cursor: 'start', total: true })
  expect(body).toMatchObject({ total: 3, has_more: true, notes: [{}, {}] })
  const cursor: string = body.next_cursor
  const codeOf = async (more: Record<string, unknown>) => {
    const { status, body } = await get({ ...query, cursor, ...more })
    return [status, body.code]
  }
  expect(await codeOf({ search: 'one' })).toEqual([400, 'invalid_request'])
  expect(await codeOf({ offset: 1 })).toEqual([400, 'invalid_request'])
  expect(await codeOf({ cursor: `${cursor}0` })).toEqual([400, 'invalid_request'])
  for (const changed of [
    { tag: 'often' },
    { tag: undefined },
    { limit: 3 },
    { sort: 'title' },
    { direction: 'asc' },
  ])
    expect(await codeOf(changed)).toEqual([400, 'refused'])
  expect(
    (await get({ ...query, cursor, sort: 'updated_at', direction: 'desc', content: false })).body.notes,
  ).toHaveLength(1)
})

test('keys that may not read notes walk an empty list', async () => {
  const key = await service.newKey({ access: { notes: 'none', files: 'none', structures: {} } })
  expect(await walk(service.as(key), { limit: 1 })).toEqual([])
})
