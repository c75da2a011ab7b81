import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { settle, startService, type TestService } from '../support/service.ts'

/** Bodies that arrive slowly or not at all, in memory and with a test clock. */
let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const BEGINNING = new TextEncoder().encode(`{"title": "Slow", "content": "${'x'.repeat(100_000)}`)
const END = new TextEncoder().encode('"}')
/** The bodies of one key: a body of unknown length reserves the maximum of 10 MiB, and a key has 64 MiB. */
const SHARE = 6
/** The bodies of all keys: 192 MiB. */
const ALL = 19

interface Sent {
  /** Undefined while there is no response. */
  status: () => number | undefined
  finish: () => Promise<Response>
}

/** Sends a body except for its last two characters. */
function begin(key = service.key): Sent {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let status: number | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
      given.enqueue(BEGINNING)
    },
  })
  const headers = { authorization: `Bearer ${key}` }
  const response = (async () => {
    const request = new Request('http://localhost/v1/notes', { method: 'POST', headers, body })
    const answer = await service.app.fetch(request)
    status = answer.status
    return answer
  })()
  return {
    status: () => status,
    finish: () => {
      controller?.enqueue(END)
      controller?.close()
      return response
    },
  }
}

const statusesOf = (sent: readonly Sent[]) => sent.map(({ status }) => status())
const times = <Item>(count: number, make: () => Item) => Array.from({ length: count }, make)

describe('bodies that do not end', () => {
  test('keep other bodies of the same key waiting for at most ten seconds', async () => {
    const withheld = times(SHARE, begin)
    await settle()
    const waiting = begin()
    const finished = waiting.finish()
    await settle()
    expect(statusesOf([...withheld, waiting])).toEqual(times(SHARE + 1, () => undefined))
    service.clock.advance(10_000)
    expect((await finished).status).toBe(201)
    await settle()
    expect(statusesOf(withheld)).toEqual(times(SHARE, () => 503))
  })

  test('are not cancelled while no other body waits for memory', async () => {
    const withheld = times(SHARE, begin)
    await settle()
    service.clock.advance(60_000)
    for (const body of withheld) expect((await body.finish()).status).toBe(201)
  })

  test('do not concern another key, nor small bodies', async () => {
    for (const body of times(SHARE + 1, begin)) expect(body.status()).toBeUndefined()
    await settle()
    expect((await service.post('/v1/notes', { title: 'Small' })).status).toBe(201)
    expect((await begin(await service.newKey()).finish()).status).toBe(201)
  })

  test('of many keys together never exceed the limit of all bodies', async () => {
    const keys = await Promise.all(times(4, () => service.newKey()))
    const withheld = keys.flatMap((key) => times(SHARE, () => begin(key))).slice(0, ALL)
    await settle()
    const finished = begin().finish()
    await settle()
    expect(statusesOf(withheld)).toEqual(times(ALL, () => undefined))
    service.clock.advance(10_000)
    expect((await finished).status).toBe(201)
  })
})

test('a body that is slow while others wait, and one that waits too long, are refused and write nothing', async () => {
  const withheld = times(SHARE, begin)
  await settle()
  const waiting = begin()
  await settle()
  service.clock.advance(10_000)
  await settle()
  const answer = await withheld[0]?.finish()
  expect([answer?.status, answer?.headers.get('retry-after'), await answer?.json()]).toEqual([
    503,
    '5',
    {
      error: 'The body did not arrive within 10 seconds while others waited; nothing was written. Try again.',
      code: 'unavailable',
    },
  ])
  expect((await waiting.finish()).status).toBe(201)
  expect((await service.get('/v1/notes')).body.total).toBe(1)
})
