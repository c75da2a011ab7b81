import { afterEach, beforeEach, expect, setSystemTime, spyOn, test } from 'bun:test'
import { api } from '../../src/web/data/api.ts'
import { Unreachable } from '../../src/web/data/request.ts'

let fetched: ReturnType<typeof spyOn<typeof globalThis, 'fetch'>>

beforeEach(() => {
  fetched = spyOn(globalThis, 'fetch')
})
afterEach(() => {
  setSystemTime()
  fetched.mockRestore()
})

const lose = () => fetched.mockRejectedValueOnce(new TypeError('the connection was reset'))
const answer = () => fetched.mockResolvedValueOnce(Response.json({ note: {} }))
const create = () => api.post('/v1/notes', { body: { title: 'New note' } })
const keys = () =>
  fetched.mock.calls.map(([, init]) =>
    new Headers(init?.headers as Record<string, string>).get('idempotency-key'),
  )

test('a call without a response is repeated with the same idempotency key, and gets a new key after a response', async () => {
  lose()
  await expect(create()).rejects.toBeInstanceOf(Unreachable)
  answer()
  await create()
  answer()
  await create()
  const [lost, again, next] = keys()
  expect(lost).toMatch(/^[\d-]+$/)
  expect(again).toBe(lost ?? 'a key')
  expect(next).not.toBe(again ?? 'a key')
})

test('the same call long after one that got no response is another one', async () => {
  lose()
  await expect(create()).rejects.toBeInstanceOf(Unreachable)
  setSystemTime(Date.now() + 600_000)
  answer()
  await create()
  const [lost, later] = keys()
  expect(later).not.toBe(lost ?? 'a key')
})
