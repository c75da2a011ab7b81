import { afterAll, beforeAll, expect, test } from 'bun:test'
import { makeNote, titlesFound } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  for (const [title, content, tags] of NOTES) {
    service.clock.advance(1)
    await makeNote(service, { title, content, tags })
  }
})
afterAll(() => service.close())

const NOTES: [title: string, content: string, tags: string[]][] = [
  ['three', 'red green blue', []],
  ['two', 'blue and red', []],
  ['tagged', 'nothing', ['green']],
  ['one', 'reddish blue', []],
  ['none', 'yellow', []],
]

const query = async (body: object) => {
  const answer = await service.post('/v1/notes/query', body)
  return answer.body.notes.map(({ title }: { title: string }) => title)
}

const EVERY = { type: 'group', match: 'all', children: [] }

test('match=any finds notes with at least one word, those with most words first, then the newest', async () => {
  const search = 'red green blue'
  expect(await titlesFound(service, search)).toEqual(['three'])
  expect(await titlesFound(service, search, '&match=any')).toEqual(['three', 'two', 'one', 'tagged'])
  expect(await titlesFound(service, search, '&match=any&limit=2&offset=1')).toEqual(['two', 'one'])
  expect(await titlesFound(service, search, '&match=any&tag=green')).toEqual(['tagged'])
  expect(await titlesFound(service, search, '&match=any&sort=title')).toEqual([
    'one',
    'tagged',
    'three',
    'two',
  ])
  expect(await titlesFound(service, `${search} -reddish`, '&match=any')).toEqual(['three', 'two', 'tagged'])
  expect(await titlesFound(service, '"green blue" yell* nobody', '&match=any')).toEqual(['none', 'three'])
  expect(await titlesFound(service, '-red', '&match=any')).toEqual([])
  expect(await query({ filter: EVERY, search, match: 'any' })).toEqual(['three', 'two', 'one', 'tagged'])
  const filter = { type: 'field', field: 'title', op: 'contains', value: 'o' }
  expect(await query({ filter, search, match: 'any' })).toEqual(['two', 'one'])
})

test('match=prefix treats every word as a prefix, but neither phrases nor exclusions', async () => {
  expect(await titlesFound(service, 'yel', '&match=prefix')).toEqual(['none'])
  expect((await titlesFound(service, 'red blu', '&match=prefix')).sort()).toEqual(['one', 'three', 'two'])
  expect((await titlesFound(service, 'blu -red', '&match=prefix')).sort()).toEqual(['one'])
  expect(await titlesFound(service, '"yel"', '&match=prefix')).toEqual([])
  expect(await query({ filter: EVERY, search: 'redd', match: 'prefix' })).toEqual(['one'])
})

test('match needs a search', async () => {
  const list = await service.get('/v1/notes?match=any')
  expect([list.status, list.body.code]).toEqual([400, 'invalid_request'])
  const found = await service.post('/v1/notes/query', { filter: EVERY, match: 'prefix' })
  expect([found.status, found.body.code]).toEqual([400, 'invalid_request'])
  expect((await service.get('/v1/notes?search=red&match=all')).status).toBe(400)
})
