import { afterEach, beforeEach, expect, test } from 'bun:test'
import { makeNote } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
  await makeNote(service, { title: 'short' })
})
afterEach(() => service.close())

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
