import { afterAll, beforeAll, expect, test } from 'bun:test'
import { searchFiles } from '../../src/files/search.ts'
import { parseTree } from '../../src/filter/tree/parse.ts'
import type { ReadOperation } from '../../src/kernel/operation.ts'
import { listNotes } from '../../src/notes/query/list.ts'
import { listByTree, NEWEST_EDIT_FIRST } from '../../src/notes/query/tree-query.ts'
import { readBoard } from '../../src/records/rows/query/board.ts'
import { listRecords } from '../../src/records/rows/query/list.ts'
import { summariseRecords } from '../../src/records/rows/query/summary.ts'
import { openReadingConnection } from '../../src/storage/connection/open.ts'
import { Sql } from '../../src/storage/sql.ts'
import { callerOf } from '../support/cli.ts'
import { alter } from '../support/database.ts'
import { makeFile } from '../support/files.ts'
import { makeNote, tagNamed } from '../support/notes.ts'
import { newFolder } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/** More than the number of rows between two checks of a stop condition. */
const MANY = 200

const folder = newFolder()
let service: TestService
let tag: number
let property: string

beforeAll(async () => {
  service = await startService({ file: folder.file('daybook.db') })
  await declare(service, 'rows', [
    { key: 'name', type: 'text' },
    { key: 'n', type: 'number' },
    { key: 'done', type: 'bool' },
  ])
  await write(service, 'rows', ...Array.from({ length: MANY }, (_, n) => ({ name: `row ${n}`, n })))
  await declare(service, 'gone', [{ key: 'n', type: 'number' }])
  const gone = await write(service, 'gone', ...Array.from({ length: MANY }, (_, n) => ({ n })))
  for (const { id } of gone) await service.delete(`/v1/records/${id}`)
  // With the few actual rows, statements without conditions would not need to stop.
  await alter(service, 'UPDATE structure_stats SET live = 3000000')
  property = (await service.post('/v1/properties', { key: 'place', type: 'text' })).body.property.id
  for (let n = 0; n < MANY; n++)
    await makeNote(service, {
      title: `note ${n}`,
      tags: ['all'],
      properties: { place: `place ${n % 5}` },
    })
  tag = (await tagNamed(service, 'all')).id
  await service.get('/v1/notes?search=note')
  await makeFile(service, { pages: Array.from({ length: MANY }, (_, page) => `page ${page}`) })
})
afterAll(() => {
  service.close()
  folder.remove()
})

/** Runs a read as a reader thread does, and returns how often its running statements checked whether to stop. */
function checksIn<Input>({ run }: ReadOperation<Input, unknown>, input: Input): number {
  let [statements, checks] = [0, 0]
  const database = openReadingConnection(service.ctx.db.file)
  const count = () => {
    checks += 1
  }
  const enter = () => {
    statements += 1
    return undefined
  }
  const sql = new Sql(database, { enter, checkStop: count })
  run({ sql, now: service.ctx.clock.now() }, callerOf(service), input)
  sql.finalize()
  database.close()
  return checks - statements
}

const page = { limit: 5, offset: 0 }
const far = { limit: 5, offset: MANY - 5 }
const byTitle = { sort: 'title', direction: 'desc' } as const
const list = (more: Record<string, string>) => checksIn(listRecords, { structure: 'rows', ...more })
const summary = (more: Record<string, string>) => checksIn(summariseRecords, { structure: 'rows', ...more })
const board = (more: Record<string, string>) => checksIn(readBoard, { structure: 'rows', ...more })
const notes = (filter: unknown) =>
  checksIn(listByTree, {
    filter: parseTree({ type: 'group', match: 'all', children: [filter] }, 'filter'),
    sort: NEWEST_EDIT_FIRST,
    page,
  })

const NOTHING = JSON.stringify([{ field: '*', op: 'contains', value: 'nothing' }])

test.each([
  ['a filter of records', () => list({ filter: NOTHING })],
  ['a sort of records', () => list({ sort: 'name' })],
  ['a summary of records', () => summary({ by: 'name' })],
  ['a board of records', () => board({ group_by: 'done' })],
  ['a total of records', () => summary({ field: 'n', filter: NOTHING })],
  ['the deleted records', () => checksIn(listRecords, { structure: 'gone', deleted: true, ...page })],
  ['a search of notes', () => checksIn(listNotes, { search: 'note', ...page })],
  ['a page of notes', () => checksIn(listNotes, { ...byTitle, ...far })],
  ['a page of notes with a tag', () => checksIn(listNotes, { tag: 'all', ...byTitle, ...far })],
  ['a filter by tags', () => notes({ type: 'tags', op: 'has_any', tag_ids: [tag] })],
  ['a filter by titles', () => notes({ type: 'field', field: 'title', op: 'contains', value: 'nothing' })],
  ['a filter by values', () => notes({ type: 'property', def_id: property, op: 'contains', value: 'place' })],
  ['a search of files', () => checksIn(searchFiles, { q: 'page', ...page })],
])('%s checks in the middle of its statements whether it is to stop', (_, run) => {
  expect(run()).toBeGreaterThanOrEqual(Math.floor(MANY / 64) - 1)
})
