import { afterEach, beforeEach, expect, test } from 'bun:test'
import { storedValues } from '../support/database.ts'
import { startJobs } from '../support/jobs.ts'
import { settle, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const IN_STEPS = ['note_search', 'note_search_head']

/** FTS5 numbers the pages of a part from its number times 2^37 on, and from 2^16 parts on those of what it has deleted. */
const partsOf = (table: string) =>
  storedValues<number>(
    service,
    `SELECT count(DISTINCT id >> 37) FROM ${table}_data WHERE id >> 37 BETWEEN 1 AND 65535`,
  )[0] ?? 0
const parts = () => IN_STEPS.map(partsOf)

/** Writes notes, and finds each by a search before the next one is written. */
async function writeNotes(count: number, first = 0): Promise<void> {
  for (let at = first; at < first + count; at++) {
    await service.post('/v1/notes', { title: `Title ${at}`, content: `common word${at}` })
    expect((await service.get(`/v1/notes?search=word${at}`)).body.total).toBe(1)
  }
}

test('the index is merged while the server is idle, until few parts are left', async () => {
  await writeNotes(60)
  expect(Math.min(...parts())).toBeGreaterThan(50)
  const runner = startJobs(service.ctx)
  for (let turn = 0; turn < 50; turn++) {
    service.clock.advance(200)
    await settle()
  }
  await runner.stop()
  expect(Math.max(...parts())).toBeLessThan(8)
  expect((await service.get('/v1/notes?search=common')).body.total).toBe(60)
  expect((await service.get('/v1/notes?search=word7')).body.total).toBe(1)
})
