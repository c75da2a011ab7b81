import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const REQUESTS = 3_000

/** Serves many requests that arrive at once, then one more; returns how many of them were answered before that one. */
async function answeredBefore(last: Request): Promise<number> {
  let answered = 0
  const answers = Array.from({ length: REQUESTS }, async () => {
    const { status } = await service.app.fetch(requestOf(service.key ?? ''))
    expect(status).toBe(200)
    answered += 1
  })
  await service.app.fetch(last)
  const before = answered
  await Promise.all(answers)
  return before
}

const requestOf = (key: string) =>
  new Request('http://localhost/v1/notes', { headers: { authorization: `Bearer ${key}` } })

test('a burst of one caller is served in turns with the requests of others', async () => {
  expect(await answeredBefore(requestOf(await service.newKey()))).toBeLessThan(REQUESTS / 2)
})
