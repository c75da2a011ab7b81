import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { makeNote, type NoteAnswer, readNote, tagNamed } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'
import { arbitraryNote, arbitraryTree, matchesTree, wired } from '../support/tree-oracle.ts'
import { fillTreeWorkspace, makeTreeWorkspace, type TreeWorkspace } from '../support/tree-workspace.ts'

const EVERYTHING = { type: 'group', match: 'all', children: [] }
const titlesOf = (body: { notes: NoteAnswer[] }) => body.notes.map(({ title }) => title)

describe('POST /v1/notes/query', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(() => service.close())

  const query = async (body: Record<string, unknown>) => (await service.post('/v1/notes/query', body)).body

  test('returns whole notes, the newest edit first, in pages with an exact total', async () => {
    const first = await makeNote(service, { title: 'First', tags: ['b', 'a'], content: 'Body', alias: 'one' })
    const second = await makeNote(service, { title: 'Second' })
    service.clock.advance(1)
    await service.patch(`/v1/notes/${first.id}`, { pinned: true })
    expect(await query({ filter: EVERYTHING })).toEqual({
      notes: [await readNote(service, first.id), second],
      total: 2,
      has_more: false,
    })
    expect(await query({ filter: EVERYTHING, limit: 1 })).toMatchObject({ total: 2, has_more: true })
    expect(await query({ filter: EVERYTHING, limit: 1, offset: 1 })).toEqual({
      notes: [second],
      total: 2,
      has_more: false,
    })
    expect(await query({ filter: EVERYTHING, offset: 2 })).toEqual({ notes: [], total: 2, has_more: false })
  })

  test('finds notes by their alias; one without an alias differs from every value', async () => {
    await makeNote(service, { title: 'Bread', alias: 'Brot' })
    await makeNote(service, { title: 'Roll', alias: 'BRÖTCHEN' })
    await makeNote(service, { title: 'Plain' })
    const found = async (op: string, value?: unknown) =>
      titlesOf(await query({ filter: { type: 'field', field: 'alias', op, value } })).toSorted()
    expect(await found('eq', 'Brot')).toEqual(['Bread'])
    expect(await found('eq', 'brot')).toEqual([])
    expect(await found('in', ['Brot', 'BRÖTCHEN'])).toEqual(['Bread', 'Roll'])
    expect(await found('starts_with', 'brö')).toEqual(['Roll'])
    expect(await found('ends_with', 'EN')).toEqual(['Roll'])
    expect(await found('contains', 'r')).toEqual(['Bread', 'Roll'])
    expect(await found('neq', 'Brot')).toEqual(['Plain', 'Roll'])
    expect(await found('empty')).toEqual(['Plain'])
    expect(await found('not_empty')).toEqual(['Bread', 'Roll'])
  })

  test('is a read: a read-only key may ask, and nothing is written', async () => {
    const note = await makeNote(service)
    const reader = service.as(await service.newKey({ scope: 'read' }))
    expect((await reader.post('/v1/notes/query', { filter: EVERYTHING })).body.notes).toEqual([note])
  })

  test('needs a filter, and takes no search that is empty or too long', async () => {
    await makeNote(service)
    for (const body of [
      {},
      { filter: EVERYTHING, search: '' },
      { filter: EVERYTHING, search: 'x'.repeat(501) },
      { filter: EVERYTHING, limit: 201 },
      { filter: EVERYTHING, sort: 'rank' },
    ]) {
      expect(await query(body)).toEqual({ error: expect.any(String), code: 'invalid_request' })
    }
  })

  test('ranks a search and marks the hits', async () => {
    await makeNote(service, { title: 'in the body', content: 'a <zebra>', tags: ['t'] })
    await makeNote(service, { title: 'zebra', tags: ['t'] })
    await makeNote(service, { title: 'zebra without the tag' })
    const filter = { type: 'tags', op: 'has_all', tag_ids: [(await tagNamed(service, 't')).id] }
    const body = await query({ filter, search: 'zebra' })
    expect(body).toMatchObject({ total: 2, has_more: false })
    expect(body.notes.map(({ title, snippet }: NoteAnswer) => [title, snippet])).toEqual([
      ['zebra', '<mark>zebra</mark>'],
      ['in the body', 'a &lt;<mark>zebra</mark>&gt;'],
    ])
    expect(await query({ filter, search: '-zebra' })).toEqual({ notes: [], total: 0, has_more: false })
    expect(await query({ filter, search: 'giraffe' })).toEqual({ notes: [], total: 0, has_more: false })
  })

  test('evaluates relative days as of now', async () => {
    await makeNote(service, { title: 'today' })
    const recent = {
      type: 'field',
      field: 'created_at',
      op: 'within',
      value: { relative: { n: -1, unit: 'day' } },
    }
    expect(titlesOf(await query({ filter: recent }))).toEqual(['today'])
    service.clock.set(Date.parse('2026-11-22T23:59:59.999Z'))
    expect(titlesOf(await query({ filter: recent }))).toEqual(['today'])
    service.clock.advance(1)
    expect(titlesOf(await query({ filter: recent }))).toEqual([])
  })

  test('clamps months and years to the end of the month', async () => {
    service.clock.set(Date.parse('2028-02-29T12:00:00Z'))
    const { property } = (await service.post('/v1/properties', { key: 'due', type: 'date' })).body
    for (const due of ['2027-02-28', '2028-01-29', '2028-03-29', '2029-02-28'])
      await makeNote(service, { title: due, properties: { due } })
    const on = async (n: number, unit: string) =>
      titlesOf(
        await query({
          filter: { type: 'property', def_id: property.id, op: 'on', value: { relative: { n, unit } } },
        }),
      )
    expect(await on(-1, 'year')).toEqual(['2027-02-28'])
    expect(await on(1, 'year')).toEqual(['2029-02-28'])
    expect(await on(-12, 'month')).toEqual(['2027-02-28'])
    expect(await on(-1, 'month')).toEqual(['2028-01-29'])
    service.clock.set(Date.parse('2028-03-31T12:00:00Z'))
    expect(await on(11, 'month')).toEqual(['2029-02-28'])
  })
})

describe('a search within a tree', () => {
  const folder = newFolder()
  let service: TestService
  let fixture: TreeWorkspace
  beforeAll(async () => {
    service = await startService({ file: folder.file('query.db') })
    fixture = await makeTreeWorkspace(service)
    await fillTreeWorkspace(service, fixture, fc.sample(arbitraryNote, { numRuns: 150, seed: 9 }))
  })
  afterAll(() => {
    service.close()
    folder.remove()
  })

  const SEARCHES = ['body', 'open', 'a', 'ab*', 'work', 'body -work', '"the body"', 'later', 'b*', '日本']

  test(
    'finds what the search finds and the tree matches, in the order of the search',
    async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryTree, fc.constantFrom(...SEARCHES), async (tree, search) => {
          const all = (await fixture.client.get(`/v1/notes?limit=200&search=${encodeURIComponent(search)}`))
            .body.notes as NoteAnswer[]
          const today = new Date(service.clock.now()).toISOString().slice(0, 10)
          const matching = new Set(
            fixture.notes.filter((note) => matchesTree(note, tree, today)).map(({ id }) => id),
          )
          const expected = all.filter(({ id }) => matching.has(id))
          const filter = wired(tree, fixture.ids)
          const { body } = await fixture.client.post('/v1/notes/query', { filter, search, limit: 200 })
          expect(body).toEqual({ notes: expected, total: expected.length, has_more: false })
          const page = await fixture.client.post('/v1/notes/query', { filter, search, limit: 3, offset: 2 })
          expect([page.body.notes, page.body.total]).toEqual([expected.slice(2, 5), expected.length])
        }),
        { numRuns: runs(25, 1_500) },
      )
    },
    RANDOM_CASES_MS,
  )
})
