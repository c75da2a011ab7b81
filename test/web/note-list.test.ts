import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { readSlice } from '../../src/web/pages/notes/list-data.ts'
import { startService, type TestService } from '../support/service.ts'

const HITS = 260
const PAGE = 50

let service: TestService
let fetched: ReturnType<typeof spyOn<typeof globalThis, 'fetch'>>

beforeAll(async () => {
  service = await startService()
  fetched = spyOn(globalThis, 'fetch').mockImplementation((async (
    path: string,
    { method = 'GET', body, headers }: RequestInit = {},
  ) => {
    const authorization = `Bearer ${service.key}`
    return service.app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        body: body ?? null,
        headers: { ...Object.fromEntries(new Headers(headers)), authorization },
      }),
    )
  }) as typeof fetch)
})
afterAll(async () => {
  fetched.mockRestore()
  await service.close()
})

test('a search lists each note once, also one that its alias puts first and its text far below', async () => {
  for (let at = 0; at < HITS; at++)
    await service.post('/v1/notes', { title: `Log ${at}`, content: 'Anchor, anchor, anchor.' })
  const filler = 'Words of another kind. '.repeat(400)
  const far = await service.post('/v1/notes', {
    title: 'Chain',
    alias: 'anchor list',
    content: `${filler} anchor`,
  })
  const rope = await service.post('/v1/notes', { title: 'Rope', alias: 'anchor rope', content: 'Short.' })
  const ids: string[] = []
  for (let offset = 0; ; offset += PAGE) {
    const { rows, total } = await readSlice(
      { list: { kind: 'all' }, search: 'anchor', sort: undefined },
      { limit: PAGE, offset },
    )
    ids.push(...rows.map(({ id }) => id))
    if (rows.length === 0 || ids.length > total) break
  }
  expect(ids).toHaveLength(HITS + 2)
  expect(new Set(ids).size).toBe(HITS + 2)
  expect(ids).toContain(far.body.note.id)
  expect(ids[0]).toBe(rope.body.note.id)
})
