import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { declare, write } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { watch } from '../support/watch.ts'

/* A page of 48 MB: at most four of them may be pending for a client that has not read them. */
const MAX_BYTES = 4

let service: TestService
let other: string
let length: number

beforeAll(async () => {
  service = await startService()
  other = await service.newKey()
  const keys = Array.from({ length: 96 }, (_, at) => `f${at}`)
  const fields = keys.map((key) => ({ key, type: 'text' }))
  await declare(service, 'Boxes', [{ key: 'name', type: 'text' }, ...fields])
  const data = Object.fromEntries(keys.map((key) => [key, 'y'.repeat(100_000)]))
  for (const name of ['a', 'b', 'c', 'd', 'e']) await write(service, 'Boxes', { name, ...data })
  length = (await (await list()).text()).length
})
afterAll(() => service.close())

// biome-ignore lint/suspicious/noExplicitAny: answered by the service
const jsonOf = (response: Response): Promise<any> => response.json()

const list = async (key = service.key, method = 'GET'): Promise<Response> =>
  service.app.fetch(
    new Request('http://localhost/v1/records?structure=Boxes', {
      method,
      headers: { authorization: `Bearer ${key}` },
    }),
  )

const listed = async (count: number): Promise<Response[]> => {
  const responses = []
  for (let at = 0; at < count; at++) responses.push(await list())
  return responses
}

test('of one key are refused while it leaves too much unread', async () => {
  const unread = await listed(MAX_BYTES)
  const refused = await list()
  expect([refused.status, (await jsonOf(refused)).code, refused.headers.get('retry-after')]).toEqual([
    503,
    'unavailable',
    '5',
  ])
  const head = await list(service.key, 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(length)])
  for (const response of unread)
    expect([response.status, (await response.text()).length]).toEqual([200, length])
  const ofOther = await list(other)
  const gone = await list(other)
  await gone.body?.cancel()
  expect((await jsonOf(await list(other))).records).toHaveLength(5)
  await ofOther.body?.cancel()
})

test('of one key are refused to queries by POST, too, but never to writes', async () => {
  await service.post('/v1/notes', { title: 'long', content: 'z'.repeat(1_000_000) })
  await service.post('/v1/notes', { title: 'long', content: 'z'.repeat(1_000_000) })
  const unread = await listed(MAX_BYTES)
  const filter = { type: 'field', field: 'title', op: 'eq', value: 'long' }
  const headers = { authorization: `Bearer ${service.key}` }
  const query = async () =>
    service.app.fetch(
      new Request('http://localhost/v1/notes/query', {
        method: 'POST',
        headers,
        body: JSON.stringify({ filter }),
      }),
    )
  for (let at = 0; at < 4; at++) unread.push(await query())
  expect(unread.map(({ status }) => status)).toEqual(Array(MAX_BYTES + 4).fill(200))
  expect((await query()).status).toBe(503)
  const data = { name: 'written', f0: 'y'.repeat(100_000) }
  const rows = Array.from({ length: 15 }, () => ({ data }))
  const written = await service.post('/v1/records', { structure: 'Boxes', rows })
  expect([written.status, written.body.records?.length]).toEqual([201, 15])
  for (const { id } of written.body.records) await service.delete(`/v1/records/${id}`)
  for (const response of unread) await response.body?.cancel()
  expect((await jsonOf(await query())).notes).toHaveLength(2)
})

test('a watch resumes once memory is free, also for readers that join later', async () => {
  const unread = await listed(MAX_BYTES)
  const first = await watch(service, 'Boxes', { changes: true })
  expect((await first.event('problem')).code).toBe('unavailable')
  for (const response of unread) await response.body?.cancel()
  service.clock.advance(5_000)
  expect((await first.event('answer')).records).toHaveLength(5)
  const second = await watch(service, 'Boxes')
  const [record] = (await second.event('answer')).records
  expect(await first.rest()).toEqual([])
  await service.patch(`/v1/records/${record.id}`, { data: { name: 'z' } })
  await settle()
  service.clock.advance(250)
  const { updated } = (await first.event('answer')).changes
  expect(updated.map(({ id }: { id: string }) => id)).toEqual([record.id])
  await first.leave()
  await second.leave()
})

test('a watch counts once per reader', async () => {
  using server = Bun.serve({ port: 0, fetch: (request, from) => service.app.fetch(request, from) })
  const open = () => {
    const socket = connect(server.port ?? 0, '127.0.0.1')
    const headers = `Host: localhost\r\nAuthorization: Bearer ${service.key}`
    socket.write(`GET /v1/records/watch?structure=Boxes HTTP/1.1\r\n${headers}\r\n\r\n`)
    return socket
  }
  /** Returns the name of the first event, and reads nothing after it. */
  const firstOf = (socket: ReturnType<typeof open>) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    let text = ''
    socket.on('data', (part) => {
      text += part
      const [, name] = /\nevent: (\w+)\n/.exec(text) ?? []
      if (name === undefined) return
      socket.pause()
      resolve(name)
    })
    return promise
  }
  const sockets = Array.from({ length: MAX_BYTES + 1 }, open)
  const said = await Promise.all(sockets.map(firstOf))
  expect(said.sort()).toEqual([...Array(MAX_BYTES).fill('answer'), 'problem'])
  for (const socket of sockets) socket.destroy()
})
