import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { FilterTree } from '../../src/filter/tree/parse.ts'
import { NEWEST_EDIT_FIRST, treeQuery } from '../../src/notes/query/tree-query.ts'
import { makeNote } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * A query that is estimated at more rows than this runs in the worker, so that no other request waits for it: also one
 * that matches few notes, when its tree is large.
 */
const MANY_ROWS = 10_000

let service: TestService
let tagIds: number[]
beforeEach(async () => {
  service = await startService()
  const tags = Array.from({ length: 100 }, (_, at) => `t${at}`)
  await makeNote(service, { title: 'tagged', tags })
  tagIds = (await service.get('/v1/tags')).body.tags.map(({ id }: { id: number }) => id)
})
afterEach(() => service.close())

function costOf(filter: FilterTree): number {
  const { db } = service.ctx
  const workspace = db.sql.scalar<number>('SELECT pk FROM workspaces')
  const page = { limit: 50, offset: 0 }
  return treeQuery.plan(db, { workspace, filter, sort: NEWEST_EDIT_FIRST, page, today: '2026-11-21' }).cost
}

const group = (match: 'all' | 'any' | 'none', count: number, child: () => FilterTree): FilterTree => ({
  type: 'group',
  match,
  children: Array.from({ length: count }, child),
})

test('a tree of few conditions costs little', async () => {
  const tagged = (): FilterTree => ({ type: 'tags', op: 'has_all', tag_ids: tagIds.slice(0, 3) })
  for (const match of ['all', 'any', 'none'] as const)
    expect(costOf(group(match, 5, tagged))).toBeLessThan(MANY_ROWS / 10)
})

test('every tag that notes must have is a condition', async () => {
  const tagged = (): FilterTree => ({ type: 'tags', op: 'has_all', tag_ids: tagIds })
  for (const match of ['all', 'any', 'none'] as const)
    expect([match, costOf(group(match, 50, tagged)) > 4 * MANY_ROWS]).toEqual([match, true])
  const { body } = await service.post('/v1/notes/query', { filter: group('any', 50, tagged) })
  expect(body.total).toBe(1)
})

test('every listed value costs something, also when no note has it', () => {
  const value = Array.from({ length: 500 }, (_, at) => `title ${at}`)
  for (const op of ['in', 'not_in'] as const)
    expect(costOf(group('any', 50, () => ({ type: 'field', field: 'title', op, value })))).toBeGreaterThan(
      2 * MANY_ROWS,
    )
})

test('groups without conditions cost something', () => {
  const empty = (): FilterTree => ({ type: 'group', match: 'all', children: [] })
  expect(costOf(group('any', 499, empty))).toBeGreaterThan(costOf(empty()) * 400)
})

test('a text that is longer than any title is equal to none', async () => {
  const value = 'Σ'.repeat(100_000)
  const total = async (op: 'eq' | 'neq') =>
    (await service.post('/v1/notes/query', { filter: { type: 'field', field: 'title', op, value } })).body
      .total
  expect([await total('eq'), await total('neq')]).toEqual([0, 1])
})

test('a title of the greatest length is found', async () => {
  const value = '😀'.repeat(500)
  await makeNote(service, { title: value })
  const { body } = await service.post('/v1/notes/query', {
    filter: { type: 'field', field: 'title', op: 'eq', value },
  })
  expect(body.total).toBe(1)
})
