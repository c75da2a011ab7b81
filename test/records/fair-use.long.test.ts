import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { connect } from 'node:net'
import { declareEndless, ENDLESS } from '../support/endless.ts'
import { newFolder } from '../support/process.ts'
import { declare, list, queryOf, write } from '../support/records.ts'
import { type Client, settle, startService, type TestService, testClock } from '../support/service.ts'
import { watch } from '../support/watch.ts'

/*
 * The queries read so many rows that they run in another thread. Time passes only when the test advances it. A query
 * served during an endless one that no limit stopped was therefore not delayed by it.
 */

const folder = newFolder()
let files = 0
let service: TestService
/** Another key of the same user. */
let other: Client
/** The service whose database every test begins with. */
let first: TestService

/** More rows than a query reads on the main thread. */
const MANY_BATCHES = 21
const MATCHING = { field: 'name', op: 'contains', value: 'match' }

beforeAll(async () => {
  first = await startService({ file: folder.file('first.db') })
  await declareEndless(first, 'endless')
  await declare(first, 'rows', [
    { key: 'n', type: 'number' },
    { key: 'name', type: 'text' },
  ])
  const others = Array.from({ length: 500 }, (_, at) => ({ name: `other ${at}` }))
  for (let batch = 0; batch < MANY_BATCHES; batch++) await write(first, 'rows', ...others)
  await write(first, 'rows', { n: 1, name: 'match' }, { n: 2, name: 'match' })
  await first.ctx.kernel.close()
  first.close()
})
beforeEach(async () => {
  const file = folder.file(`${++files}.db`)
  copyFileSync(folder.file('first.db'), file)
  service = await startService({ file, clock: testClock(first.clock.now() + 1_000) })
  other = service.as(await service.newKey())
})
afterEach(() => service.close())
afterAll(() => folder.remove())

const endlessRequest = ({ key }: Pick<Client, 'key'>, signal: AbortSignal, limit = 50) =>
  new Request(`http://localhost/v1/records?${queryOf({ structure: 'endless', ...ENDLESS, limit })}`, {
    headers: { authorization: `Bearer ${key}` },
    signal,
  })

let asked = 0

/** Sends an endless query until the client disconnects: a different one each time, unless `limit` is given. */
function askEndless(client: Pick<Client, 'key'> = service, limit = (asked++ % 400) + 1) {
  const gone = new AbortController()
  const answer = Promise.resolve(service.app.fetch(endlessRequest(client, gone.signal, limit))).then(
    async (response) => ({
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: await response.json(),
    }),
  )
  return { answer, leave: () => gone.abort() }
}

/** Whether the response has arrived by now. */
async function isAnswered(answer: Promise<unknown>): Promise<boolean> {
  let isSettled = false
  void answer.finally(() => {
    isSettled = true
  })
  await settle()
  return isSettled
}

const listMatching = (client: Client) => list(client, 'rows', { filter: [MATCHING] })
const totalFor = async (client: Client) => (await listMatching(client)).body.total

test('the 73rd large query of a key is refused, and those of other keys are served', async () => {
  const asked = Array.from({ length: 72 }, () => askEndless())
  expect(await askEndless().answer).toEqual({
    status: 503,
    retryAfter: '5',
    body: {
      error: 'This key already has 72 large queries that wait or run; try again when one is done.',
      code: 'unavailable',
    },
  })
  for (let round = 0; round < 3; round++) expect(await totalFor(other)).toBe(2)
  for (const { leave } of asked) leave()
  expect((await Promise.all(asked.map(({ answer }) => answer))).map(({ status }) => status)).toEqual(
    asked.map(() => 503),
  )
  expect(await totalFor(service)).toBe(2)
})

test("of a key's queries, eight wait 10 seconds for a thread, and the next ones as long before that", async () => {
  const [running, ...asked] = Array.from({ length: 10 }, () => askEndless())
  await settle()
  service.clock.advance(10_000)
  const first = await Promise.all(asked.slice(0, 7).map(({ answer }) => answer))
  expect(first.map(({ status }) => status)).toEqual(first.map(() => 503))
  const [eighth, ninth] = asked.slice(7)
  await settle()
  service.clock.advance(9_999)
  expect(await isAnswered(eighth?.answer ?? Promise.resolve())).toBe(false)
  running?.leave()
  await running?.answer
  eighth?.leave()
  await eighth?.answer
  const next = totalFor(service)
  ninth?.leave()
  expect(await next).toBe(2)
})

test('queued queries are refused after 10 seconds, too', async () => {
  const asked = Array.from({ length: 8 }, () => askEndless())
  await settle()
  service.clock.advance(9_000)
  const [inLine, last] = [askEndless(), askEndless()]
  last.leave()
  expect(await last.answer).toMatchObject({
    body: { error: expect.stringContaining('closed the connection') },
  })
  for (const { leave } of asked.slice(1)) leave()
  await settle()
  service.clock.advance(10_000)
  expect(await inLine.answer).toMatchObject({ body: { error: expect.stringContaining('waited 10 seconds') } })
  asked[0]?.leave()
})

test('equal requests of a key share a query, which is stopped with the last of them', async () => {
  const same = Array.from({ length: 100 }, () => askEndless(service, 500))
  const next = totalFor(service)
  for (const { leave } of same.slice(1)) leave()
  expect((await same[1]?.answer)?.status).toBe(503)
  expect(await isAnswered(next)).toBe(false)
  expect(await isAnswered(same[0]?.answer ?? Promise.resolve())).toBe(false)
  same[0]?.leave()
  expect(await next).toBe(2)
  const many = await Promise.all(Array.from({ length: 100 }, () => totalFor(service)))
  expect(new Set(many)).toEqual(new Set([2]))
})

test('requests that share the result of a large query resume one by one, with time for others in between', async () => {
  let turn = 0
  let next = setImmediate(function count() {
    turn += 1
    next = setImmediate(count)
  })
  const turns = await Promise.all(
    Array.from({ length: 10 }, async () => {
      await totalFor(service)
      return turn
    }),
  )
  clearImmediate(next)
  expect(new Set(turns).size).toBe(turns.length)
})

test('a query that began before a write is shared with no request that was sent after it', async () => {
  const [before, together] = [askEndless(service, 500), askEndless(service, 500)]
  await write(service, 'rows', { n: 3, name: 'match' })
  const after = askEndless(service, 500)
  await settle()
  service.clock.advance(10_000)
  // It waited for another query of its own key, unlike the other two.
  expect(await after.answer).toMatchObject({ body: { error: expect.stringContaining('waited 10 seconds') } })
  expect(await isAnswered(together.answer)).toBe(false)
  const waiting = totalFor(service)
  await write(service, 'rows', { n: 4, name: 'match' })
  const waitingToo = totalFor(service)
  before.leave()
  together.leave()
  expect(await Promise.all([waiting, waitingToo])).toEqual([4, 4])
})

test('a page of thirty charts that is opened with one key gets thirty answers', async () => {
  const charts = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      service.get(
        `/v1/records/summary?${queryOf({ structure: 'rows', filter: [MATCHING, { field: 'n', op: 'gt', value: n }] })}`,
      ),
    ),
  )
  expect(charts.map(({ status }) => status)).toEqual(charts.map(() => 200))
})

test('a query is stopped within a statement when its client disconnects, also while queued', async () => {
  const [running, waiting] = [askEndless(), askEndless()]
  const next = totalFor(service)
  expect(await isAnswered(next)).toBe(false)
  waiting.leave()
  await waiting.answer
  expect(await isAnswered(next)).toBe(false)
  running.leave()
  expect(await next).toBe(2)
})

test('a query is stopped when the connection of its client breaks', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request, bun) => {
      const response = service.app.fetch(request, bun)
      begin()
      return response
    },
  })
  const socket = connect(Number(server.port), '127.0.0.1')
  const path = `/v1/records?${queryOf({ structure: 'endless', ...ENDLESS })}`
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`)
  await begun
  const next = totalFor(service)
  expect(await isAnswered(next)).toBe(false)
  socket.destroy()
  expect(await next).toBe(2)
  await server.stop(true)
})

test('the connection of a queued query is not closed as idle', async () => {
  const seconds: number[] = []
  const server = { requestIP: () => null, timeout: (_: Request, idle: number) => void seconds.push(idle) }
  const gone = new AbortController()
  const answer = service.app.fetch(endlessRequest(service, gone.signal), server)
  expect(seconds).toEqual([0])
  gone.abort()
  await answer
  expect(seconds).toEqual([0, 60])
})

test('a query that runs for 30 seconds is stopped and refused', async () => {
  const { answer } = askEndless()
  await settle()
  service.clock.advance(29_999)
  expect(await isAnswered(answer)).toBe(false)
  await settle()
  service.clock.advance(1)
  expect(await answer).toMatchObject({
    status: 400,
    body: {
      error: 'The query took longer than 30 seconds and was stopped; narrow it with a filter.',
      code: 'refused',
    },
  })
  expect(await totalFor(service)).toBe(2)
})

test('a query queued for 10 seconds is refused, and the running one continues', async () => {
  const running = askEndless()
  const waiting = askEndless()
  await settle()
  service.clock.advance(9_999)
  expect(await isAnswered(waiting.answer)).toBe(false)
  await settle()
  service.clock.advance(1)
  expect(await waiting.answer).toEqual({
    status: 503,
    retryAfter: '5',
    body: {
      error: 'The query waited 10 seconds for other queries and was refused; try again later.',
      code: 'unavailable',
    },
  })
  expect(await isAnswered(running.answer)).toBe(false)
  running.leave()
  await running.answer
})

test('while two keys keep every thread busy, a third waits no longer than 10 seconds', async () => {
  const third = service.as(await service.newKey())
  const [one, two] = [askEndless(), askEndless(other)]
  const waiting = listMatching(third)
  await settle()
  service.clock.advance(10_000)
  expect((await waiting).status).toBe(503)
  const next = totalFor(third)
  one.leave()
  expect(await next).toBe(2)
  two.leave()
  await Promise.all([one.answer, two.answer])
})

test('a watch stops its query when its last reader leaves', async () => {
  const opened = await watch(service, 'endless', ENDLESS)
  const next = totalFor(service)
  expect(await isAnswered(next)).toBe(false)
  await opened.leave()
  expect(await next).toBe(2)
})

test('however many queries a key watches, none is refused for waiting, and its requests alternate with them', async () => {
  const opened = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      watch(service, 'rows', { filter: [MATCHING, { field: 'n', op: 'gt', value: n }] }),
    ),
  )
  for (const each of opened) expect(await each.event('answer')).toMatchObject({ has_more: false })
  await write(service, 'rows', { n: 100, name: 'match' })
  await settle()
  service.clock.advance(250)
  const asked = totalFor(service)
  for (const each of opened) expect((await each.event('answer')).records[0].data.n).toBe(100)
  expect(await asked).toBe(3)
  for (const each of opened) await each.leave()
})

test('a key watches at most 100 different queries at a time, by as many readers as it likes', async () => {
  const asking = (n: number) => ({ filter: [MATCHING, { field: 'n', op: 'gt', value: n }] })
  const opened = await Promise.all(Array.from({ length: 100 }, (_, n) => watch(service, 'rows', asking(n))))
  const refused = await service.get(`/v1/records/watch?${queryOf({ structure: 'rows', ...asking(100) })}`)
  expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
    429,
    '5',
    { error: 'This key watches 100 different queries already; close one first.', code: 'rate_limited' },
  ])
  const head = await service.request(
    'HEAD',
    `/v1/records/watch?${queryOf({ structure: 'rows', ...asking(5) })}`,
  )
  expect(head.status).toBe(200)
  const [again, others] = [
    await watch(service, 'rows', asking(7)),
    await watch({ app: service.app, key: other.key }, 'rows', asking(100)),
  ]
  expect(service.app.watching()).toEqual({ channels: 101, readers: 102 })
  await opened[7]?.leave()
  expect(
    (await service.get(`/v1/records/watch?${queryOf({ structure: 'rows', ...asking(100) })}`)).status,
  ).toBe(429)
  await again.leave()
  const last = await watch(service, 'rows', asking(101))
  for (const each of [...opened, others, last]) await each.leave()
  expect(service.app.watching()).toEqual({ channels: 0, readers: 0 })
  await (await watch(service, 'rows', asking(102))).leave()
})

test('the service ends while queries run and wait', async () => {
  const asked = [askEndless(), askEndless(), askEndless(other)]
  await service.ctx.worker.close()
  for (const { answer } of asked)
    expect(await answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect((await listMatching(service)).body.code).toBe('unavailable')
})
