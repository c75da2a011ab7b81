import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { wholeWorkspace } from '../../../src/context.ts'
import type { FilterTree } from '../../../src/filter/tree/parse.ts'
import { compareCodePoints } from '../../../src/lib/text.ts'
import { type Graph, graphIn } from '../../../src/notes/lenses/graph.ts'
import { findWorkspaceNamed } from '../../../src/people/accounts/workspaces.ts'
import { runs } from '../../support/counts.ts'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

/*
 * Random notes, names, links, tags, trash, scopes and settings. The graph must equal the graph that this test builds in
 * the plainest way, note by note and link by link.
 */

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const TITLES = ['A', 'b', 'É', ' A ', 'b ', 'C c']
const ALIASES = ['x', 'A', 'É']
const TAGS = ['red', 'Green', 'blue']
const TARGETS = [...TITLES, ...ALIASES, 'a', 'é', '  a', 'C C', 'nowhere', ' NoWhere ', 'void']

interface Drawn {
  title: string
  aliases: string[]
  tags: string[]
  targets: string[]
  /** Positions of notes in the list, linked to by their ids. */
  ids: number[]
  isTrashed: boolean
}

const notes: fc.Arbitrary<Drawn[]> = fc.array(
  fc.record({
    title: fc.constantFrom(...TITLES),
    aliases: fc.subarray(ALIASES),
    tags: fc.subarray(TAGS),
    targets: fc.array(fc.constantFrom(...TARGETS), { maxLength: 5, size: 'max' }),
    ids: fc.array(fc.nat(9), { maxLength: 2 }),
    isTrashed: fc.nat(3).map((die) => die === 0),
  }),
  { maxLength: 8, size: 'max' },
)

type Scope = { tag: string; op: 'has_any' | 'has_none' } | { title: string } | null
const scopes: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant(null),
  fc.record({ tag: fc.constantFrom(...TAGS), op: fc.constantFrom('has_any', 'has_none') }),
  fc.record({ title: fc.constantFrom('a', 'É', 'c') }),
)

const allSettings = fc.record({
  layers: fc.record({ links: fc.boolean(), tags: fc.boolean() }),
  nodes: fc.record({ orphans: fc.boolean(), dangling: fc.boolean() }),
  look: fc.constant({ arrows: true, titles: 'zoom' as const }),
})

interface CreatedNote extends Drawn {
  id: string
  links: string[]
}

const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

/** A target is an id, else an alias, else a title. A title with exactly these blanks takes precedence over all. */
function resolve(target: string, active: readonly CreatedNote[]): CreatedNote | undefined {
  const bare = target.trim()
  const titled = (title: string) => active.find((note) => same(note.title, title))
  return (
    (bare === target ? undefined : titled(target)) ??
    active.find(({ id }) => id === bare) ??
    active.find(({ aliases }) => aliases.some((alias) => same(alias, bare))) ??
    titled(bare)
  )
}

function isInScope(scope: Scope, { tags, title }: CreatedNote): boolean {
  if (scope === null) return true
  if ('title' in scope) return title.toLowerCase().includes(scope.title.toLowerCase())
  return tags.includes(scope.tag) === (scope.op === 'has_any')
}

function expected(
  made: readonly CreatedNote[],
  tagIds: ReadonlyMap<string, number>,
  scope: Scope,
  { layers, nodes: shown }: { layers: { links: boolean; tags: boolean }; nodes: Record<string, boolean> },
) {
  const active = made.filter(({ isTrashed }) => !isTrashed)
  const inScope = active.filter((note) => isInScope(scope, note))
  const edges = new Set<string>()
  const titles = new Map(inScope.map(({ id, title }) => [id, `note ${title}`]))
  const join = (from: string, to: string, kind: string, title: string) => {
    if (from === to) return
    titles.set(to, title)
    edges.add(JSON.stringify({ from, to, kind }))
  }
  for (const { id, tags, links } of inScope) {
    for (const tag of layers.tags ? tags : []) join(id, `tag:${tagIds.get(tag)}`, 'tag', `tag ${tag}`)
    for (const link of layers.links ? links : []) {
      const goal = resolve(link, active)
      const target = link.trim().toLowerCase()
      if (goal && inScope.includes(goal)) join(id, goal.id, 'link', `note ${goal.title}`)
      if (!goal && shown.dangling) join(id, `dangling:${target}`, 'link', `dangling ${target}`)
    }
  }
  const degreeOf = (node: string) =>
    [...edges].map((text) => JSON.parse(text)).filter(({ from, to }) => from === node || to === node).length
  const nodes = [...titles].map(([id, title]) => `${id} ${title} ${degreeOf(id)}`)
  const isShown = (node: string) => shown.orphans || !node.endsWith(' 0')
  return { nodes: nodes.filter(isShown).sort(), edges: [...edges].sort(), truncated: false }
}

const flattened = ({ nodes, edges, truncated }: Graph) => ({
  nodes: nodes.map(({ id, title, kind, degree }) => `${id} ${kind} ${title} ${degree}`).sort(),
  edges: edges.map((edge) => JSON.stringify(edge)).sort(),
  truncated,
})

describe('the graph', () => {
  test('is that of a plain drawing', async () => {
    let run = 0
    const property = fc.asyncProperty(notes, scopes, allSettings, async (drawn, scope, settings) => {
      run += 1
      const workspace = `of run ${run}`
      const client = service.as(await service.newWorkspace(workspace))
      const made: CreatedNote[] = []
      for (const [at, note] of drawn.entries()) {
        const taken = made.flatMap((other) => (other.isTrashed ? [] : other.aliases))
        const aliases = note.aliases.filter((alias) => !taken.includes(alias))
        const names = { alias: aliases[0], ...(aliases.length > 1 && { aliases: aliases.slice(1) }) }
        const linked = note.ids.flatMap((place) => made[place]?.id ?? [])
        const links = [...note.targets, ...linked]
        const content = links.map((target) => `See [[${target}]].`).join('\n')
        const { id } = await makeNote(client, { title: note.title, ...names, tags: note.tags, content })
        made.push({ ...note, aliases, id, links })
        if (drawn[at]?.isTrashed) await client.delete(`/v1/notes/${id}`)
      }
      await makeNote(client, { title: 'all tags', tags: TAGS }).then(({ id }) =>
        client.delete(`/v1/notes/${id}`),
      )
      const tagIds = new Map<string, number>()
      for (const tag of TAGS) tagIds.set(tag, (await tagNamed(client, tag)).id)
      const tree = treeOf(scope, tagIds)
      await client.post('/v1/lenses', { name: 'Lens', scope: tree, settings })
      const graph = (await client.get('/v1/graph')).body
      const plain = expected(made, tagIds, scope, settings)
      expect(flattened(graph)).toEqual(plain)
      expect(flattened(readWhole(workspace))).toEqual(plain)
      expectInOrder(graph)
    })
    await fc.assert(property, { numRuns: runs(25, 600) })
  })
})

function treeOf(scope: Scope, tagIds: ReadonlyMap<string, number>): FilterTree | null {
  if (scope === null) return null
  return 'title' in scope
    ? { type: 'field', field: 'title', op: 'contains', value: scope.title }
    : { type: 'tags', op: scope.op, tag_ids: [tagIds.get(scope.tag) ?? 0] }
}

/** The graph of the default lens, read as for many notes: from all links and tags of the workspace. */
function readWhole(name: string): Graph {
  const { db } = service.ctx
  const workspacePk = findWorkspaceNamed(db, name)?.pk ?? 0
  return graphIn(db, wholeWorkspace(workspacePk), { today: '2026-11-21', lookupLimit: 0 })
}

const KINDS = ['note', 'tag', 'dangling']

/** Expects the best connected nodes first. Ties sort notes, then tags, then targets, each by id. */
function expectInOrder({ nodes }: Graph): void {
  const keys = nodes.map(({ id, kind, degree }) => {
    const place = kind === 'tag' ? id.slice('tag:'.length).padStart(10, '0') : id
    return `${9_000 - degree} ${KINDS.indexOf(kind)} ${place}`
  })
  expect(keys).toEqual(keys.toSorted(compareCodePoints))
}
