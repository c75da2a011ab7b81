import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { Sql } from '../../src/db/sql.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

/* Linking tags to a tag of some notes puts thousands of tags on them, while others read. */

const NOTES = 24
const TAGS = 500
const PAIRS_PER_TRANSACTION = 4_000

let folder: ReturnType<typeof newFolder>
let service: TestService
let main: number
let linked: number[]

beforeEach(async () => {
  folder = newFolder()
  service = await startService({ file: folder.file('daybook.db') })
  for (let at = 0; at < TAGS; at += 100) {
    const tags = Array.from({ length: 100 }, (_, n) => `t${at + n}`)
    await service.post('/v1/notes', { title: 'Tags', tags })
  }
  for (let n = 0; n < NOTES; n++) await service.post('/v1/notes', { title: `Note ${n}`, tags: ['main'] })
  const tags: { id: number; name: string }[] = (await service.get('/v1/tags')).body.tags
  main = tags.find(({ name }) => name === 'main')?.id ?? 0
  linked = tags.filter(({ id }) => id !== main).map(({ id }) => id)
})
afterEach(() => {
  service.close()
  folder.remove()
})

/** Counts turns of the event loop, and calls `each` in every one, while something goes on. */
async function beside(work: Promise<unknown>, each: () => void): Promise<void> {
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      each()
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  await work
  isDone = true
  await watching
}

test('is served to others between a few of the pairs of one transaction', async () => {
  const runs = spyOn(Sql.prototype, 'run')
  const countInserts = () => runs.mock.calls.filter(([text]) => text.includes('INTO note_tags')).length
  const inserts: number[] = []
  await beside(service.put(`/v1/tags/${main}/links`, { linked_tag_ids: linked }), () => {
    inserts.push(countInserts())
    runs.mockClear()
  })
  inserts.push(countInserts())
  runs.mockRestore()
  expect(inserts.reduce((sum, count) => sum + count, 0)).toBe(NOTES * TAGS)
  expect(Math.max(...inserts)).toBeLessThan(PAIRS_PER_TRANSACTION)
})

test('shows each note without the tags or with all of them, and counts and logs what it shows', async () => {
  const seen = new Set<number>()
  const numbers = () =>
    service.ctx.db.sql.column<number>(
      `SELECT count(*) FROM note_tags WHERE note IN (SELECT note FROM note_tags WHERE tag = ${main}) GROUP BY note`,
    )
  await beside(service.put(`/v1/tags/${main}/links`, { linked_tag_ids: linked }), () => {
    for (const number of numbers()) seen.add(number)
  })
  expect([...seen].sort()).toEqual([1, TAGS + 1])
  expect(numbers()).toEqual(Array.from({ length: NOTES }, () => TAGS + 1))
  const tags: { note_count: number }[] = (await service.get('/v1/tags')).body.tags
  expect(new Set(tags.map(({ note_count }) => note_count))).toEqual(new Set([NOTES, NOTES + 1]))
  const { changes } = (await service.get('/v1/changes?before=now&limit=1000&kinds=note')).body
  const updates = changes.filter(({ op }: { op: string }) => op === 'updated')
  expect(updates.map(({ previous }: { previous: object }) => previous)).toEqual(
    Array.from({ length: NOTES }, () => ({ tags: ['main'] })),
  )
})
