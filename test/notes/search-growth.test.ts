import { afterEach, beforeEach, expect, test } from 'bun:test'
import { findFaults, repairDerived } from '../../src/maintenance/integrity.ts'
import { startIndexing } from '../../src/notes/search/indexing.ts'
import { COMPLETE, FILLING, NONE, searchState } from '../../src/notes/search/tables.ts'
import { makeNote } from '../support/notes.ts'
import { settle, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const state = () => searchState(service.ctx.db, 1).searchTables
const searchTables = () =>
  service.ctx.db.sql.column("SELECT name FROM sqlite_schema WHERE name GLOB '*_search_*[0-9]'")
const totalOf = async (search: string) =>
  (await service.get(`/v1/notes?search=${encodeURIComponent(search)}`)).body.total

const write = async (count: number, from = 0, content = 'common') => {
  for (let at = from; at < from + count; at++)
    await makeNote(service, { title: `Note ${at}`, content: `${content} word${at}`, tags: [`tag${at}`] })
}

/** Lets the background work go on for some steps. */
async function work(steps: number): Promise<void> {
  const stop = startIndexing(service.ctx)
  for (let step = 0; step < steps; step++) {
    service.clock.advance(200)
    await settle()
  }
  stop()
}

test('a workspace of a few notes has no search tables, and no marks are left in it', async () => {
  await write(20)
  await work(5)
  expect([state(), searchTables()]).toEqual([NONE, []])
  expect(service.ctx.db.sql.scalar<number>('SELECT count(*) FROM search_pending')).toBe(0)
  expect([await totalOf('common'), await totalOf('tag7'), await totalOf('word7')]).toEqual([20, 1, 1])
})

test('a workspace that grows is searched right at every moment, and gets its tables', async () => {
  await write(200)
  expect(state()).toBe(NONE)
  await write(1, 200)
  expect(state()).toBe(FILLING)
  for (let step = 0; step < 40 && state() !== COMPLETE; step++) {
    await write(1, 201 + step)
    await service.patch(`/v1/tags/${step + 1}`, { name: `renamed${step}` })
    await work(1)
    const all = 202 + step
    const found = [await totalOf('common'), await totalOf(`renamed${step}`), await totalOf(`tag${all - 1}`)]
    expect(found).toEqual([all, 1, 1])
    expect(findFaults(service.ctx.db)).toEqual([])
  }
  expect(state()).toBe(COMPLETE)
  expect([await totalOf('tag0'), await totalOf('renamed0'), await totalOf('tag199')]).toEqual([0, 1, 1])
})

test('no note waits when the tables are first used: a search that began while notes were scanned does not wait', async () => {
  await service.ctx.db.write((tx): void =>
    tx.sql.script(`CREATE TABLE waiting (note);
      CREATE TRIGGER used UPDATE OF search_tables ON workspaces WHEN NEW.search_tables = ${COMPLETE}
      BEGIN INSERT INTO waiting SELECT note FROM search_pending; END`),
  )
  await write(201)
  await work(20)
  expect(state()).toBe(COMPLETE)
  expect(service.ctx.db.sql.column('SELECT note FROM waiting')).toEqual([])
})

test('a few long notes or many tags make tables, too', async () => {
  await makeNote(service, { title: 'long', content: 'word '.repeat(30_000) })
  await work(5)
  expect(state()).toBe(COMPLETE)
  const other = service.as(await service.newWorkspace('Other'))
  for (const part of [1, 2, 3])
    await makeNote(other, { tags: Array.from({ length: 70 }, (_, at) => `tag ${part * 100 + at}`) })
  await work(8)
  expect(searchState(service.ctx.db, 2).searchTables).toBe(COMPLETE)
  expect((await other.get('/v1/notes?search=269')).body.total).toBe(1)
})

test('filling that was interrupted begins again', async () => {
  await write(150)
  await write(60, 150, 'common text')
  await work(1)
  expect(state()).toBe(FILLING)
  service.ctx.db.sql.state.of(() => new Map())
  await work(20)
  expect(state()).toBe(COMPLETE)
  expect(findFaults(service.ctx.db)).toEqual([])
})

test('a repair leaves tables only to a workspace that needs them', async () => {
  for (let at = 0; at < 201; at++) await makeNote(service, { title: 'x', content: 'common' })
  await work(20)
  for (let at = 0; at < 150; at++) {
    const { body } = await service.get('/v1/notes?limit=1')
    await service.delete(`/v1/notes/${body.notes[0].id}`)
  }
  expect(state()).toBe(COMPLETE)
  await repairDerived(service.ctx.db)
  expect([state(), searchTables()]).toEqual([NONE, []])
  expect(await totalOf('common')).toBe(51)
})
