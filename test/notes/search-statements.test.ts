import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSearch } from '../../src/lib/words.ts'
import { evaluationOf } from '../../src/notes/query/evaluate.ts'
import { listNotes } from '../../src/notes/query/list.ts'
import { findMatches, findPks } from '../../src/notes/query/search.ts'
import { callerOf } from '../support/cli.ts'
import { makeNote, type NoteAnswer, titlesFound } from '../support/notes.ts'
import { indexAll } from '../support/search-tables.ts'
import { startService, type TestService } from '../support/service.ts'
import { arbitraryNote } from '../support/tree-oracle.ts'
import { fillTreeWorkspace, makeTreeWorkspace } from '../support/tree-workspace.ts'

/* Searches among more notes than a test can have, and of notes that no search has indexed yet. */

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

test('past the number that is ranked: title and tags by rank first, then the others, newest edit first', async () => {
  const kinds = [{}, { title: 'zebra' }, { tags: ['zebra crossing'] }]
  for (let at = 0; at < 30; at++) {
    await makeNote(service, { title: `n${at}`, content: 'zebra '.repeat(1 + (at % 7)), ...kinds[at % 3] })
  }
  await indexAll(service.ctx)
  const evaluation = evaluationOf(service.ctx.db, 1)
  const find = (limit: number, offset: number, rankedAtMost: number) =>
    findPks(evaluation, {}, parseSearch('zebra'), undefined, { limit, offset }, rankedAtMost)
  const { items, total } = find(100, 0, 29)
  const kindOf = (pk: number) => (pk - 1) % 3
  expect(total).toBe(30)
  expect(items.slice(0, 10).map(kindOf)).toEqual(Array(10).fill(1))
  expect(items.slice(10, 20).map(kindOf)).toEqual(Array(10).fill(2))
  expect(items.slice(20)).toEqual([28, 25, 22, 19, 16, 13, 10, 7, 4, 1])
  const paged = [0, 7, 14, 21, 28].flatMap((offset) => find(7, offset, 29).items)
  expect(paged).toEqual(items)
  expect(find(100, 0, 30).items.toSorted()).toEqual(items.toSorted())
})

test('the notes that a tree matches keep the tiers of a search with very many matches', async () => {
  const fixture = await makeTreeWorkspace(service)
  await fillTreeWorkspace(service, fixture, fc.sample(arbitraryNote, { numRuns: 150, seed: 9 }))
  await indexAll(service.ctx)
  const { db } = service.ctx
  const { workspace } = fixture
  const evaluation = evaluationOf(db, workspace)
  const phrases = parseSearch('body')
  const page = { limit: 200, offset: 0 }
  const all = findPks(evaluation, {}, phrases, undefined, page, 0).items
  const among = findMatches(db, { workspace }, phrases).filter((_, at) => at % 3 !== 0)
  const some = findPks(evaluation, { among: JSON.stringify(among) }, phrases, undefined, page, 0)
  expect(some).toEqual({ items: all.filter((pk) => among.includes(pk)), total: among.length })
  expect(among.length).toBeGreaterThan(50)
})

test('a search sees notes as they are when it reads them, also those written after it began', async () => {
  const { id } = await makeNote(service, { title: 'first', content: 'zebra' })
  const gone = await makeNote(service, { title: 'gone', content: 'zebra' })
  await makeNote(service, { title: 'other', content: 'zebra', tags: ['common'] })
  const found = (search: string, more: object = {}) => {
    const { db, clock } = service.ctx
    const snapshot = { sql: db.sql, now: clock.now() }
    const { notes, total } = JSON.parse(
      listNotes.run(snapshot, callerOf(service), { search, ...more }) as string,
    )
    return [total, ...notes.map(({ title }: NoteAnswer) => title)]
  }
  expect(await titlesFound(service, 'zebra')).toEqual(['first', 'gone', 'other'])
  await service.patch(`/v1/notes/${id}`, { content: 'apple' })
  await makeNote(service, { title: 'new zebra' })
  await service.delete(`/v1/notes/${gone.id}`)
  expect(found('zebra')).toEqual([2, 'new zebra', 'other'])
  expect(found('zebra', { offset: 1 })).toEqual([2, 'other'])
  expect(found('zebra', { limit: 1 })).toEqual([2, 'new zebra'])
  expect(found('zebra', { sort: 'title', direction: 'desc' })).toEqual([2, 'other', 'new zebra'])
  expect(found('zebra', { tag: 'common' })).toEqual([1, 'other'])
  expect(found('apple')).toEqual([1, 'first'])
  expect(found('ze*')).toEqual([1, 'new zebra'])
  expect(found('apple -zebra')).toEqual([1, 'first'])
})
