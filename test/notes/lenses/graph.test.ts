import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { drawGraph } from '../../../src/notes/lenses/layout.ts'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { newFolder } from '../../support/process.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

interface Graph {
  nodes: { id: string; title: string; kind: string; degree: number }[]
  edges: { from: string; to: string; kind: string }[]
  truncated: boolean
}

/** The default graph with titles in place of ids: `A 2` is a node with its degree, `A > B` an edge. */
async function drawn(client: Client = service) {
  const { status, body } = await client.get('/v1/graph')
  expect(status).toBe(200)
  const graph: Graph = body
  const titles = new Map(graph.nodes.map(({ id, title }) => [id, title]))
  return {
    nodes: graph.nodes.map(({ title, degree }) => `${title} ${degree}`),
    edges: graph.edges.map(({ from, to }) => `${titles.get(from)} > ${titles.get(to)}`),
  }
}

const note = async (title: string, content = '', more: object = {}) =>
  (await makeNote(service, { title, content, ...more })).id

async function lens(settings: object, scope: unknown = null) {
  const { body } = await service.post('/v1/lenses', { name: 'Lens', settings, scope, is_default: true })
  return body.lens.id as string
}

describe('the graph', () => {
  test('is returned in full: notes, tags and dangling targets with their edges', async () => {
    const b = await note('B', '[[Nowhere]]', { tags: ['Work'] })
    const a = await note('A', '[[B]] ![[b|again]] [[Nowhere else]] [[NOWHERE]]', { tags: ['Work', 'alone'] })
    const [work, alone] = [await tagNamed(service, 'Work'), await tagNamed(service, 'alone')]
    const id = await lens({ layers: { tags: true }, nodes: { dangling: true } })
    const graph = {
      nodes: [
        { id: a, title: 'A', kind: 'note', degree: 5 },
        { id: b, title: 'B', kind: 'note', degree: 3 },
        { id: `tag:${work.id}`, title: 'Work', kind: 'tag', degree: 2 },
        { id: 'dangling:nowhere', title: 'nowhere', kind: 'dangling', degree: 2 },
        { id: `tag:${alone.id}`, title: 'alone', kind: 'tag', degree: 1 },
        { id: 'dangling:nowhere else', title: 'nowhere else', kind: 'dangling', degree: 1 },
      ],
      edges: [
        { from: b, to: 'dangling:nowhere', kind: 'link' },
        { from: a, to: b, kind: 'link' },
        { from: a, to: 'dangling:nowhere', kind: 'link' },
        { from: a, to: 'dangling:nowhere else', kind: 'link' },
        { from: b, to: `tag:${work.id}`, kind: 'tag' },
        { from: a, to: `tag:${work.id}`, kind: 'tag' },
        { from: a, to: `tag:${alone.id}`, kind: 'tag' },
      ],
      truncated: false,
    }
    expect((await service.get('/v1/graph')).body).toEqual(graph)
    expect((await service.get(`/v1/lenses/${id}/graph`)).body).toEqual(graph)
    expect((await service.get('/v1/lenses/x/graph')).body.code).toBe('not_found')
  })

  test('without any lens is that of the default settings over the whole workspace', async () => {
    expect((await service.get('/v1/graph')).body).toEqual({ nodes: [], edges: [], truncated: false })
    await note('Alone', '[[Nowhere]]', { tags: ['work'] })
    await note('A', '[[B]]')
    await note('B', '[[A]]')
    expect(await drawn()).toEqual({ nodes: ['A 2', 'B 2', 'Alone 0'], edges: ['A > B', 'B > A'] })
  })

  test('is that of the default lens', async () => {
    await note('A', '[[B]]')
    await note('B')
    await lens({ layers: { links: false } })
    expect(await drawn()).toEqual({ nodes: ['A 0', 'B 0'], edges: [] })
    await lens({ layers: { links: false }, nodes: { orphans: false } })
    expect(await drawn()).toEqual({ nodes: [], edges: [] })
  })

  test('joins two notes once, however often and by whatever name one links to the other; none to itself', async () => {
    const b = await note('B', '[[B]]', { alias: 'bee' })
    await note('A', `[[B]] [[bee]] [[${b}]] [[ b ]] [[A]]`)
    expect(await drawn()).toEqual({ nodes: ['B 1', 'A 1'], edges: ['A > B'] })
    await lens({ nodes: { orphans: false } })
    await service.patch(`/v1/notes/${b}`, { title: 'C', alias: null })
    await note('A2', '[[A2]]')
    expect(await drawn()).toEqual({ nodes: ['C 1', 'A 1'], edges: ['A > C'] })
  })

  test('follows trash and restore', async () => {
    await note('A', '[[B]]')
    const b = await note('B', '[[A]]')
    await lens({ nodes: { dangling: true } })
    await service.delete(`/v1/notes/${b}`)
    expect(await drawn()).toEqual({ nodes: ['A 1', 'b 1'], edges: ['A > b'] })
    await service.post(`/v1/notes/${b}/restore`)
    expect(await drawn()).toEqual({ nodes: ['A 2', 'B 2'], edges: ['A > B', 'B > A'] })
  })

  test('of a scope contains only its notes; a link out of it is neither an edge nor dangling', async () => {
    await note('A', '[[B]] [[C]] [[Nowhere]]', { tags: ['in', 'other'] })
    await note('B', '', { tags: ['in'] })
    await note('C', '[[A]] [[Void]]', { tags: ['other'] })
    const { id } = await tagNamed(service, 'in')
    await lens(
      { layers: { tags: true }, nodes: { dangling: true } },
      { type: 'tags', op: 'has_any', tag_ids: [id] },
    )
    expect(await drawn()).toEqual({
      nodes: ['A 4', 'B 2', 'in 2', 'other 1', 'nowhere 1'],
      edges: ['A > B', 'A > nowhere', 'A > in', 'A > other', 'B > in'],
    })
  })

  test('of a scope with a relative day is drawn as of today', async () => {
    await note('Old')
    service.clock.advance(3 * 86_400_000)
    await note('New', '[[Old]]')
    const within = { relative: { n: -1, unit: 'day' } }
    await lens({}, { type: 'field', field: 'created_at', op: 'within', value: within })
    expect(await drawn()).toEqual({ nodes: ['New 0'], edges: [] })
  })

  test('shows no links to files', async () => {
    await note('A', `[[file:01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60|plan.pdf]]`)
    await lens({ nodes: { dangling: true } })
    expect(await drawn()).toEqual({ nodes: ['A 0'], edges: [] })
  })

  test('of many notes uses the lens as of the snapshot, whatever changed before', async () => {
    const folder = newFolder()
    const worker = await startService({ file: folder.file('graph.db') })
    await makeNote(worker, { title: 'A', tags: ['work'] })
    await makeNote(worker, { title: 'B' })
    const { id: tag } = await tagNamed(worker, 'work')
    const scope = { type: 'tags', op: 'has_any', tag_ids: [tag] }
    const { id } = (await worker.post('/v1/lenses', { name: 'Work', scope })).body.lens
    // The worker has not started yet: the changes are committed before it reads.
    const reading = drawn(worker)
    expect((await worker.patch(`/v1/lenses/${id}`, { scope: null })).status).toBe(200)
    expect((await worker.delete(`/v1/tags/${tag}`)).status).toBe(200)
    expect(await reading).toEqual({ nodes: ['A 0', 'B 0'], edges: [] })
    worker.close()
    folder.remove()
  })
})

describe('a graph of too many nodes', () => {
  const settings = { nodes: { orphans: true, dangling: true } }
  const draw = (limit: number) => {
    const links = [
      { target: 'hub', note: 3, linking: [1, 2, 4, 5] },
      { target: 'five', note: 5, linking: [4] },
      { target: 'x', note: null, linking: [2] },
    ]
    const { nodes, edges, truncated } = drawGraph(
      { notes: [1, 2, 3, 4, 5, 6], tags: [], links },
      settings,
      limit,
    )
    const nameOf = (of: (typeof nodes)[number]['of']) =>
      of.kind === 'note' ? of.pk : of.kind === 'tag' ? of.tag : of.target
    return {
      nodes: nodes.map(({ of, degree }) => [nameOf(of), degree]),
      edges: edges.map(({ from, to }) => [nameOf(from.of), nameOf(to.of)]),
      truncated,
    }
  }
  const ALL = [
    [3, 4],
    [2, 2],
    [4, 2],
    [5, 2],
    [1, 1],
    ['x', 1],
    [6, 0],
  ]

  test('prefers the best connected notes, then the oldest, with the degrees of the whole graph', () => {
    expect(draw(7)).toMatchObject({ nodes: ALL, truncated: false })
    expect(draw(3)).toEqual({
      nodes: ALL.slice(0, 3),
      edges: [
        [2, 3],
        [4, 3],
      ],
      truncated: true,
    })
    expect(draw(6)).toMatchObject({ nodes: ALL.slice(0, 6), truncated: true })
  })
})

describe('a graph of too many edges', () => {
  test('prefers links to tags, and edges of the oldest notes, with the degrees of the whole graph', () => {
    const notes = [1, 2, 3, 4]
    const tags = [
      { tag: 7, notes: [4, 3, 2, 1] },
      { tag: 8, notes: [2, 1] },
    ]
    const links = [{ target: 'four', note: 4, linking: [3, 1] }]
    const draw = (maxEdges: number) => {
      const { nodes, edges, truncated } = drawGraph(
        { notes, tags, links },
        { nodes: { orphans: true, dangling: true } },
        100,
        maxEdges,
      )
      const nameOf = (of: (typeof nodes)[number]['of']) =>
        of.kind === 'note' ? of.pk : of.kind === 'tag' ? of.tag : of.target
      return {
        degrees: nodes.map(({ degree }) => degree),
        edges: edges.map(({ from, to }) => `${nameOf(from.of)}-${nameOf(to.of)}`),
        truncated,
      }
    }
    const all = ['1-4', '3-4', '1-7', '1-8', '2-7', '2-8', '3-7', '4-7']
    expect(draw(8)).toMatchObject({ edges: all, truncated: false })
    for (let limit = 1; limit < 8; limit++)
      expect(draw(limit)).toEqual({ degrees: draw(8).degrees, edges: all.slice(0, limit), truncated: true })
  })

  test('is cut at 20,000, the same ones every time', async () => {
    const folder = newFolder()
    const worker = await startService({ file: folder.file('edges.db') })
    for (let at = 0; at < 210; at++)
      await makeNote(worker, {
        title: `Note ${at}`,
        tags: Array.from({ length: 100 }, (_, tag) => `tag ${tag}`),
      })
    await worker.post('/v1/lenses', { name: 'Tags', settings: { layers: { tags: true } } })
    const { body } = await worker.get('/v1/graph')
    expect([body.nodes.length, body.edges.length, body.truncated]).toEqual([310, 20_000, true])
    expect(body.nodes.filter(({ degree }: { degree: number }) => degree === 100)).toHaveLength(210)
    expect((await worker.get('/v1/graph')).body).toEqual(body)
    worker.close()
    folder.remove()
  })
})
