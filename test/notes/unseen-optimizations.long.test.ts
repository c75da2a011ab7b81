import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { repair } from '../support/check.ts'
import { RANDOM_CASES_MS, RANDOM_SEED, runs } from '../support/counts.ts'
import { newFolder } from '../support/process.ts'
import { queryOf } from '../support/records.ts'
import { indexEachAgain, mergeIndexes } from '../support/search-tables.ts'
import { type Client, startService, type TestService, testClock } from '../support/service.ts'
import { inOrder, matchesTree, type OracleTree, wired } from '../support/tree-oracle.ts'
import type { TreeWorkspace } from '../support/tree-workspace.ts'
import { arbitraryNotesCase, FILLER, makeNotes, type NotesCase } from '../support/unseen-notes.ts'

/*
 * No optimization may be visible. Every response has the same bytes whenever notes are indexed, however the index is
 * merged, whichever thread reads, and however many other notes there are. Responses to related queries are consistent.
 */

const folder = newFolder()
afterAll(() => folder.remove())

const EVERYTHING: OracleTree = { type: 'group', match: 'all', children: [] }
const LARGEST_PAGE = 200

interface Scene {
  readonly service: TestService
  readonly made: TreeWorkspace
  /** The first responses of the workspace, keyed by request. */
  readonly first: Map<string, string>
}

let requests = 0

async function ask(client: Client, body: Record<string, unknown>) {
  requests += 1
  const answer = await client.post('/v1/notes/query', body)
  if (answer.status !== 200) throw new Error(`${JSON.stringify(body)}: ${answer.body.error}`)
  return answer.body
}

const orderOf = ({ sort, direction }: NotesCase) => (sort ? { sort, direction } : {})

const bodyOf = ({ ids }: TreeWorkspace, query: NotesCase, tree: OracleTree = query.tree) => ({
  filter: wired(tree, ids),
  ...(query.search !== undefined && { search: query.search }),
  ...orderOf(query),
})

async function idsOf(client: Client, body: Record<string, unknown>, limit = LARGEST_PAGE): Promise<string[]> {
  const ids: string[] = []
  for (let offset = 0; ; offset += limit) {
    const page = await ask(client, { ...body, limit, offset })
    ids.push(...page.notes.map(({ id }: { id: string }) => id))
    if (page.has_more) continue
    expect([body, page.total]).toEqual([body, ids.length])
    return ids
  }
}

/** Returns the tree that matches exactly the other notes; undefined where it would have a group on the fifth level. */
function oppositeOf(tree: OracleTree): OracleTree | undefined {
  if (tree.type === 'group' && tree.match !== 'all')
    return { ...tree, match: tree.match === 'any' ? 'none' : 'any' }
  return depthOf(tree) < MAX_LEVELS ? { type: 'group', match: 'none', children: [tree] } : undefined
}

const MAX_LEVELS = 4

const depthOf = (tree: OracleTree): number =>
  tree.type === 'group' ? 1 + Math.max(0, ...tree.children.map(depthOf)) : 0

/** The notes that match a tree, and the notes that do not, together are all results, in the same order. */
async function expectPartition({ made }: Scene, query: NotesCase): Promise<string[]> {
  const { client } = made
  const none = oppositeOf(query.tree)
  const all = await idsOf(client, bodyOf(made, query, EVERYTHING))
  const met = await idsOf(client, bodyOf(made, query))
  const isMet = new Set(met)
  const left = all.filter((id) => !isMet.has(id))
  const others = none ? await idsOf(client, bodyOf(made, query, none)) : left
  expect({ query, met, others }).toEqual({
    query,
    met: all.filter((id) => isMet.has(id)),
    others: left,
  })
  const pages = await idsOf(client, bodyOf(made, query), Math.max(1, Math.ceil(met.length / 3)))
  expect({ query, pages }).toEqual({ query, pages: met })
  return all
}

/** Without a search, the results equal the oracle's; a view shows the same. */
async function expectTree({ service, made }: Scene, query: NotesCase): Promise<void> {
  const today = new Date(service.clock.now()).toISOString().slice(0, 10)
  const sort = {
    field: query.sort ?? 'updated_at',
    direction: query.sort ? query.direction : 'desc',
  } as const
  const matching = made.notes.filter((note) => matchesTree(note, query.tree, today))
  const ids = inOrder(matching, sort).map(({ id }) => id)
  const plain = { ...query, search: undefined }
  expect({ query, ids: await idsOf(made.client, bodyOf(made, plain)) }).toEqual({ query, ids })
  const view = { name: 'view', filter: wired(query.tree, made.ids), sort }
  const { body } = await made.client.post('/v1/views', view)
  const path = `/v1/views/${body.view.id}/notes?limit=${LARGEST_PAGE}`
  const shown = (await made.client.get(path)).body
  expect({ query, total: shown.total, ids: shown.notes.map(({ id }: { id: string }) => id) }).toEqual({
    query,
    total: ids.length,
    ids: ids.slice(0, LARGEST_PAGE),
  })
  await made.client.delete(`/v1/views/${body.view.id}`)
}

/** Creates and deletes a note. While it is in the trash, its mark for the search tables may or may not exist. */
async function addAndRemove({ client }: TreeWorkspace): Promise<void> {
  const { note } = (await client.post('/v1/notes', { title: 'a É Σ 日本語 10', content: 'K ß 0' })).body
  await client.delete(`/v1/notes/${note.id}`)
}

async function expectUnseen(scene: Scene, narrow: Client, query: NotesCase): Promise<void> {
  const { made, first } = scene
  const body = { ...bodyOf(made, query), limit: query.limit, offset: query.offset }
  const key = JSON.stringify(body)
  const text = first.get(key) ?? JSON.stringify(await ask(made.client, body))
  first.set(key, text)
  const ways: Record<string, () => Promise<unknown>> = {
    asked: () => ask(made.client, body),
    'asked again': () => ask(made.client, body),
    'asked with a narrowed key': () => ask(narrow, body),
    'asked after a note came and went': async () => {
      await addAndRemove(made)
      return ask(made.client, body)
    },
  }
  for (const [way, answer] of Object.entries(ways))
    expect({ way, query, text: JSON.stringify(await answer()) }).toEqual({ way, query, text })
  const all = await expectPartition(scene, query)
  const listed = queryOf({ ...orderOf(query), search: query.search, limit: LARGEST_PAGE })
  const list = (await made.client.get(`/v1/notes?${listed}`)).body
  if (query.search !== undefined)
    expect([query, list.total, list.notes.map(({ id }: { id: string }) => id)]).toEqual([
      query,
      all.length,
      all.slice(0, LARGEST_PAGE),
    ])
  const pivot = made.notes.find(({ title }) => title === query.pivot)
  if (pivot) expect({ query, isFound: all.includes(pivot.id) }).toEqual({ query, isFound: true })
  await expectTree(scene, query)
}

type Arrangement = readonly [
  name: string,
  arrange: (service: TestService, workspace: number) => Promise<void>,
]

const ARRANGEMENTS: readonly Arrangement[] = [
  ['indexed by the first search', async () => {}],
  ['indexed again, one after the other', ({ ctx }, workspace) => indexEachAgain(ctx, workspace)],
  ['merged', ({ ctx }) => mergeIndexes(ctx)],
  ['indexed by a repair', (service) => repair(service)],
]

const THREADS = ['never', 'always'] as const

/** Fails with all data that is needed to repeat the query. */
async function check(scene: object, property: fc.IAsyncProperty<[NotesCase]>, count: number, seed: number) {
  try {
    await fc.assert(property, { numRuns: count, seed, includeErrorInReport: true })
  } catch (error) {
    throw new Error(`DAYBOOK_TEST_SEED=${RANDOM_SEED}, of ${JSON.stringify(scene)}: ${error}`)
  }
}

const seeds = Array.from({ length: runs(2, 6) }, (_, at) => RANDOM_SEED + at)

test.each(seeds)(
  'results are the same and consistent however notes are indexed and read (seed %d)',
  async (seed) => {
    const before = requests
    const file = folder.file(`${seed}.db`)
    const clock = testClock()
    const first = new Map<string, string>()
    let made: TreeWorkspace | undefined
    for (const [name, arrange] of ARRANGEMENTS)
      for (const threads of THREADS) {
        const service = await startService({ file, clock, threads })
        made ??= await makeNotes(service, { seed, notes: 150 })
        const current = { ...made, client: service.as(made.client.key) }
        if (threads === THREADS[0]) await arrange(service, made.workspace)
        const scene = { service, made: current, first }
        const workspace = (await current.client.get('/v1/workspace')).body.workspace.name
        const user = `owner of ${workspace}`
        const narrow = service.as(
          await service.newKey({ workspace, user, access: { notes: 'read', structures: { '*': 'none' } } }),
        )
        const property = fc.asyncProperty(arbitraryNotesCase(made), (query) =>
          expectUnseen(scene, narrow, query),
        )
        await check({ seed, arrangement: name, threads }, property, runs(15, 150), seed)
        service.app.stop()
        await service.ctx.worker.close()
        service.close()
      }
    expect(requests - before).toBeGreaterThan(runs(1_000, 10_000))
  },
  RANDOM_CASES_MS,
)

test(
  'notes are found among many others as among few',
  async () => {
    const service = await startService()
    const few = await makeNotes(service, { seed: RANDOM_SEED, notes: 150 })
    const many = await makeNotes(service, { seed: RANDOM_SEED, notes: 150, fillers: runs(250, 900) })
    const others: OracleTree = { type: 'field', field: 'title', op: 'not_contains', value: FILLER }
    const titles = async ({ client, ids }: TreeWorkspace, query: NotesCase, trees: OracleTree[]) => {
      const filter = wired({ type: 'group', match: 'all', children: trees }, ids)
      const body = { ...bodyOf(few, query), filter, sort: 'title', limit: LARGEST_PAGE }
      const { total, notes } = await ask(client, body)
      return { query, total, titles: notes.map(({ title }: { title: string }) => title) }
    }
    const property = fc.asyncProperty(arbitraryNotesCase(few), async (query) => {
      const found = await titles(many, query, [others])
      expect(found).toEqual(await titles(few, query, []))
    })
    await check({ seed: RANDOM_SEED }, property, runs(300, 5_000), RANDOM_SEED)
    service.close()
  },
  RANDOM_CASES_MS,
)
