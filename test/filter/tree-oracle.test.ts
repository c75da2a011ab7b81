import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkTree, parseTree } from '../../src/filter/tree/parse.ts'
import { isIn } from '../../src/notes/query/bitset.ts'
import { evaluationOf, matchingNotes, matchTree } from '../../src/notes/query/evaluate.ts'
import { matchingPage } from '../../src/notes/query/page.ts'
import { treeDefinitions } from '../../src/notes/query/tree-query.ts'
import { loadNotes } from '../../src/notes/store.ts'
import { runs } from '../support/counts.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService, testClock } from '../support/service.ts'
import {
  arbitraryNote,
  arbitraryPropertySort,
  arbitrarySort,
  arbitraryTree,
  EVERY_CONDITION,
  inOrder,
  matchesTree,
  type OracleSort,
  type OracleTree,
  wired,
} from '../support/tree-oracle.ts'
import { fillTreeWorkspace, makeTreeWorkspace, type TreeWorkspace } from '../support/tree-workspace.ts'

const START = Date.parse('2026-11-21T09:30:00.000Z')
const LONG_MS = 600_000
const folder = newFolder()
const EVERYTHING = { kind: 'group', match: 'all', children: [] } as const
const NEWEST: OracleSort = { field: 'updated_at', direction: 'desc' }

let service: TestService
/** Many notes in one workspace, so that scans take more than one step. */
let crowd: TreeWorkspace

beforeAll(async () => {
  service = await startService({ file: folder.file('trees.db'), clock: testClock(START) })
  crowd = await makeTreeWorkspace(service)
  const notes = fc.sample(arbitraryNote, { numRuns: 600, seed: 4 })
  // More distinct texts than the number that is tested one by one.
  const texts = notes.slice(300).map(({ properties, ...note }, at) => {
    const { note_text: text = '' } = properties
    return { ...note, properties: { ...properties, note_text: `${text}${at}` } }
  })
  await fillTreeWorkspace(service, crowd, [...notes.slice(0, 300), ...texts])
})
afterAll(() => {
  service.close()
  folder.remove()
})

const today = () => new Date(service.clock.now()).toISOString().slice(0, 10)
const idsOf = (notes: readonly { id: string }[]) => notes.map(({ id }) => id)

const expected = ({ notes }: TreeWorkspace, tree: OracleTree, sort: OracleSort) =>
  idsOf(
    inOrder(
      notes.filter((note) => matchesTree(note, tree, today())),
      sort,
    ),
  )

async function expectQuery(fixture: TreeWorkspace, tree: OracleTree, limit: number, offset: number) {
  const ids = expected(fixture, tree, NEWEST)
  const { status, body } = await fixture.client.post('/v1/notes/query', {
    filter: wired(tree, fixture.ids),
    limit,
    offset,
  })
  expect({ status, ids: idsOf(body.notes ?? []), total: body.total, hasMore: body.has_more }).toEqual({
    status: 200,
    ids: ids.slice(offset, offset + limit),
    total: ids.length,
    hasMore: offset < ids.length && offset + limit < ids.length,
  })
}

/** All pages of the view, in order, form the whole list, and each reports the same total. */
async function expectView(fixture: TreeWorkspace, tree: OracleTree, sort: OracleSort, limit: number) {
  const { status, body } = await fixture.client.post('/v1/views', {
    name: 'V',
    filter: wired(tree, fixture.ids),
    sort,
  })
  expect({ status, error: body.error }).toEqual({ status: 201, error: undefined })
  const ids = expected(fixture, tree, sort)
  const found: string[] = []
  for (let offset = 0; ; offset += limit) {
    const page = await fixture.client.get(`/v1/views/${body.view.id}/notes?limit=${limit}&offset=${offset}`)
    expect(page.body.total).toBe(ids.length)
    found.push(...idsOf(page.body.notes))
    if (!page.body.has_more) break
  }
  expect(found).toEqual(ids)
  await fixture.client.delete(`/v1/views/${body.view.id}`)
}

/** Expects the same results with a low threshold for few notes, as in a large workspace, and where pks do not help. */
function expectBroad(fixture: TreeWorkspace, tree: OracleTree, sort: OracleSort, few: number) {
  const { db } = service.ctx
  const definitions = treeDefinitions(db, fixture.workspace)
  const checked = checkTree(parseTree(wired(tree, fixture.ids), 'filter'), definitions, 'filter')
  const evaluation = evaluationOf(db, fixture.workspace, today(), few)
  const matching = matchTree(evaluation, checked)
  const property = definitions.property(fixture.ids.properties[sort.property ?? 'amount'])
  if (!property) throw new Error('the workspace has lost a property')
  const order =
    sort.field === 'property'
      ? { by: sort.field, direction: sort.direction, property }
      : { by: sort.field, direction: sort.direction }
  const ids = expected(fixture, tree, sort)
  const page = { limit: 7, offset: Math.floor(ids.length / 2) }
  for (const areInOrder of [true, false]) {
    const pks = matchingPage({ ...evaluation, inOrder: areInOrder }, matching, order, page)
    expect({ areInOrder, total: matching.total, ids: idsOf(loadNotes(db, pks)) }).toEqual({
      areInOrder,
      total: ids.length,
      ids: ids.slice(page.offset, page.offset + page.limit),
    })
  }
  const everyPk = matchingNotes(db, fixture.workspace, checked, today())
  expect(idsOf(loadNotes(db, everyPk)).sort()).toEqual(ids.toSorted())
}

test(
  'every operator with every value finds what the oracle finds, over all notes and among candidates',
  () => {
    const { db } = service.ctx
    const definitions = treeDefinitions(db, crowd.workspace)
    const evaluation = evaluationOf(db, crowd.workspace, today())
    const all = matchingNotes(db, crowd.workspace, EVERYTHING, today())
    const idOf = new Map(loadNotes(db, all).map(({ pk, id }) => [pk, id]))
    for (const tree of EVERY_CONDITION) {
      const checked = checkTree(parseTree(wired(tree, crowd.ids), 'filter'), definitions, 'filter')
      const expected = idsOf(crowd.notes.filter((note) => matchesTree(note, tree, today())))
      for (const among of [undefined, all]) {
        const { set, total } = matchTree(evaluation, checked, among)
        const ids = all.filter((pk) => isIn(set, pk)).map((pk) => idOf.get(pk))
        expect({ tree, total, ids }).toEqual({ tree, total: expected.length, ids: expected })
      }
    }
  },
  LONG_MS,
)

const query = fc.record({
  tree: arbitraryTree,
  sort: fc.oneof(arbitrarySort, arbitraryPropertySort),
  limit: fc.integer({ min: 1, max: 20 }),
  offset: fc.nat(15),
  few: fc.constantFrom(0, 3, 30),
})

test(
  'any tree over any notes finds what the plain oracle finds',
  async () => {
    const scene = fc.record({
      notes: fc.array(arbitraryNote, { maxLength: 25 }),
      queries: fc.array(query, { minLength: 4, maxLength: 8 }),
    })
    await fc.assert(
      fc.asyncProperty(scene, async ({ notes, queries }) => {
        const fixture = await makeTreeWorkspace(service)
        await fillTreeWorkspace(service, fixture, notes)
        for (const { tree, sort, limit, offset, few } of queries) {
          await expectQuery(fixture, tree, limit, offset)
          await expectView(fixture, tree, sort, limit)
          expectBroad(fixture, tree, sort, few)
        }
      }),
      { numRuns: runs(12, 200) },
    )
  },
  LONG_MS,
)

test(
  'among many notes, far pages and broad trees find what the oracle finds',
  async () => {
    await fc.assert(
      fc.asyncProperty(query, async ({ tree, sort, few }) => {
        await expectQuery(crowd, tree, 9, 3)
        await expectView(crowd, tree, sort, 200)
        expectBroad(crowd, tree, sort, few)
      }),
      { numRuns: runs(20, 3_000) },
    )
  },
  LONG_MS,
)
