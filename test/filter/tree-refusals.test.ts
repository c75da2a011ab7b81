import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeNote, tagNamed } from '../support/notes.ts'
import { measureProcessorTime } from '../support/processor-time.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let work: number
const ids: Record<string, string> = {}

beforeAll(async () => {
  service = await startService()
  await makeNote(service, { tags: ['work'] })
  work = (await tagNamed(service, 'work')).id
  for (const type of ['text', 'number', 'date', 'bool', 'json', 'select']) {
    ids[type] = (await service.post('/v1/properties', { key: `a-${type}`, type })).body.property.id
  }
})
afterAll(() => service.close())

const group = (match: unknown, children: unknown) => ({ type: 'group', match, children })
const nested = (levels: number): unknown =>
  levels === 0 ? { type: 'field', field: 'title', op: 'not_empty' } : group('all', [nested(levels - 1)])
const property = (type: string, op: unknown, value?: unknown) => ({
  type: 'property',
  def_id: ids[type],
  op,
  value,
})
const field = (name: unknown, op: unknown, value?: unknown) => ({ type: 'field', field: name, op, value })
const relative = (n: unknown, unit: unknown = 'day') => ({ relative: { n, unit } })

async function refusal(filter: unknown) {
  const { status, body } = await service.post('/v1/notes/query', { filter })
  return { status, code: body.code, error: String(body.error).slice(0, 150) }
}

/** A malformed tree, and the position that the refusal names. */
const WRONG_FORMS: [() => unknown, string][] = [
  [() => null, '"filter"'],
  [() => [], '"filter"'],
  [() => 'x', '"filter"'],
  [() => ({}), '"filter.type"'],
  [() => ({ type: 'toString' }), '"filter.type"'],
  [() => JSON.parse('{"__proto__": {"type": "group"}}'), '"filter.type"'],
  [() => ({ type: 'group', match: 'all', children: [], constructor: 1 }), '"filter.constructor"'],
  [
    () => JSON.parse('{"type": "group", "match": "all", "children": [], "__proto__": 1}'),
    '"filter.__proto__"',
  ],
  [() => group('some', []), '"filter.match"'],
  [() => group('all', {}), '"filter.children"'],
  [() => group('all', undefined), '"filter.children"'],
  [() => group('all', [group('any', []), 5]), '"filter.children[1]"'],
  [
    () => group('all', [group('any', [{ type: 'tags', op: 'has', tag_ids: [1] }])]),
    '"filter.children[0].children[0].op"',
  ],
  [() => ({ type: 'tags', op: 'has_all', tag_ids: [] }), '"filter.tag_ids"'],
  [() => ({ type: 'tags', op: 'has_all', tag_ids: ['1'] }), '"filter.tag_ids[0]"'],
  [() => ({ type: 'tags', op: 'has_all', tag_ids: [work, 1.5] }), '"filter.tag_ids[1]"'],
  [() => ({ type: 'tags', op: 'has_all', tag_ids: Array(501).fill(work) }), '"filter.tag_ids"'],
  [() => ({ type: 'tags', op: 'has_all', tag_ids: [work], value: 1 }), '"filter.value"'],
  [() => ({ type: 'property', def_id: 5, op: 'empty' }), '"filter.def_id"'],
  [() => property('text', 'is'), '"filter.op"'],
  [() => property('text', undefined), '"filter.op"'],
  [() => property('text', 'eq'), '"filter.value"'],
  [() => property('text', 'empty', 'x'), '"filter.value"'],
  [() => property('text', 'in', 'x'), '"filter.value"'],
  [() => property('text', 'in', Array(501).fill('x')), '"filter.value"'],
  [() => property('number', 'between', 5), '"filter.value"'],
  [() => property('number', 'between', [1]), '"filter.value"'],
  [() => property('date', 'within', '2026-01-01'), '"filter.value"'],
  [() => property('date', 'within', relative(1.5)), '"filter.value"'],
  [() => property('date', 'within', relative(1, 'decade')), '"filter.value"'],
  [() => property('date', 'within', relative(100_001)), '"filter.value"'],
  [() => property('date', 'within', { relative: { n: 1, unit: 'day', more: 1 } }), '"filter.value"'],
  [() => field('content', 'contains', 'x'), '"filter.field"'],
  [() => nested(5), '"filter.children[0].children[0].children[0].children[0]"'],
  [() => group('all', Array(51).fill(field('title', 'not_empty'))), '51 conditions'],
  [() => group('all', Array(501).fill(group('all', []))), '"filter.children"'],
  [() => group('all', Array(100).fill(group('all', Array(100).fill(group('all', []))))), '500 nodes'],
]

/** A tree that the workspace cannot evaluate, and the position that the refusal names. */
const WRONG_MEANINGS: [() => unknown, string][] = [
  [() => ({ type: 'tags', op: 'has_none', tag_ids: [work, 999] }), '"filter.tag_ids[1]"'],
  [() => ({ type: 'tags', op: 'has_none', tag_ids: [-1] }), '"filter.tag_ids[0]"'],
  [() => ({ type: 'property', def_id: 'a-text', op: 'empty' }), '"filter.def_id"'],
  [() => group('all', [group('any', []), property('number', 'contains', 'x')]), '"filter.children[1].op"'],
  [() => property('text', 'gt', 1), '"filter.op"'],
  [() => property('date', 'eq', '2026-01-01'), '"filter.op"'],
  [() => property('bool', 'neq', true), '"filter.op"'],
  [() => property('json', 'eq', 1), '"filter.op"'],
  [() => property('select', 'between', ['a', 'b']), '"filter.op"'],
  [() => field('title', 'on', '2026-01-01'), '"filter.op"'],
  [() => field('created_at', 'contains', 'x'), '"filter.op"'],
  [() => property('text', 'eq', 5), '"filter.value"'],
  [() => property('text', 'contains', null), '"filter.value"'],
  [() => property('text', 'in', ['x', 5]), '"filter.value[1]"'],
  [() => property('text', 'eq', 'x'.repeat(100_001)), '"filter.value"'],
  [() => property('number', 'eq', '5'), '"filter.value"'],
  [() => property('number', 'between', [1, null]), '"filter.value[1]"'],
  [() => property('bool', 'eq', 1), '"filter.value"'],
  [() => property('json', 'has_key', 5), '"filter.value"'],
  [() => property('date', 'on', '2026-02-30'), '"filter.value"'],
  [() => property('date', 'on', '2026-11-21T09:30:00Z'), '"filter.value"'],
  [() => property('date', 'between', ['2026-01-01', relative('1')]), '"filter.value[1]"'],
  [() => field('updated_at', 'after', 5), '"filter.value"'],
]

describe('a tree of the wrong form', () => {
  for (const [tree, place] of WRONG_FORMS) {
    test(`is invalid_request at ${place}: ${tree}`, async () => {
      expect(await refusal(tree())).toEqual({
        status: 400,
        code: 'invalid_request',
        error: expect.stringContaining(place),
      })
    })
  }
})

describe('a tree that does not fit the workspace', () => {
  for (const [tree, place] of WRONG_MEANINGS) {
    test(`is refused at ${place}: ${tree}`, async () => {
      expect(await refusal(tree())).toEqual({
        status: 400,
        code: 'refused',
        error: expect.stringContaining(place),
      })
    })
  }

  test('names the tag of another workspace as unknown', async () => {
    const other = service.as(await service.newWorkspace('Other'))
    const filter = { type: 'tags', op: 'has_any', tag_ids: [work] }
    expect((await other.post('/v1/notes/query', { filter })).body).toEqual({
      error: `"filter.tag_ids[0]" names the tag ${work}, and there is no such tag in this workspace.`,
      code: 'refused',
    })
  })
})

describe('the limits of a tree', () => {
  test('let 4 levels, 50 conditions and 500 values pass', async () => {
    const conditions = [...Array(49).fill(field('title', 'not_empty')), nested(3)]
    expect((await service.post('/v1/notes/query', { filter: group('all', conditions) })).body.total).toBe(1)
    const values = Array(500).fill('A note')
    expect((await service.post('/v1/notes/query', { filter: field('title', 'in', values) })).body.total).toBe(
      1,
    )
  })

  test('answer a hostile tree of 10 MB within a second', async () => {
    const empty = '{"type":"group","match":"all","children":[]}'
    const bodies = [
      `{"filter":{"type":"group","match":"all","children":[${Array(200_000).fill(empty).join()}]}}`,
      `{"filter":{"type":"tags","op":"has_all","tag_ids":[${Array(4_000_000).fill(1).join()}]}}`,
      `{"filter":${'{"type":"group","match":"all","children":['.repeat(40)}${']}'.repeat(40)}}`,
      `{"filter":${JSON.stringify(field('title', 'contains', '%'.repeat(9_000_000)))}}`,
      `{"filter":${JSON.stringify(field('title', 'in', Array(500).fill('a'.repeat(20_000))))}}`,
    ]
    const processorTime = measureProcessorTime()
    const statuses = []
    for (const body of bodies) statuses.push((await service.post('/v1/notes/query', body)).status)
    expect(statuses).toEqual([400, 400, 400, 400, 200])
    expect(processorTime()).toBeLessThan(bodies.length * 1_000)
  })

  test('let a text to be looked for be as long as a text may be', async () => {
    for (const op of ['contains', 'starts_with', 'ends_with', 'eq', 'not_contains']) {
      for (const filler of ['%', '_', 'é']) {
        const value = filler.repeat(100_000)
        for (const filter of [property('text', op, value), field('title', op, value)]) {
          const { status, body } = await service.post('/v1/notes/query', { filter })
          expect([status, body.total]).toEqual([200, op === 'not_contains' ? 1 : 0])
        }
      }
    }
  })
})
