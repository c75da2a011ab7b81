import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

const HEADER = 'X-Forwarded-For'
const CONNECTIONS = 40

let service: TestService
let path: string

beforeAll(async () => {
  service = await startService()
  await declare(service, 'Rows', [{ key: 'title', type: 'text' }])
  const rows = Array.from({ length: 500 }, () => ({ title: 'x'.repeat(2_000) }))
  for (let at = 0; at < 6; at++) await write(service, 'Rows', ...rows)
  const view = await service.post('/v1/records/views', { structure: 'Rows', name: 'All', kind: 'table' })
  const target_id = view.body.row_view.id
  const { share } = (
    await service.post('/v1/shares', { kind: 'row_view', target_id, options: { csv: true } })
  ).body
  path = `${new URL(share.url).pathname}.csv`
})
afterAll(() => service.close())

const serve = () =>
  Bun.serve({
    port: 0,
    fetch: (request, server) =>
      service.app.fetch(request, {
        requestIP: () => ({ address: request.headers.get(HEADER) ?? '' }),
        timeout: (one, seconds) => server.timeout(one, seconds),
      }),
  })

/** Begins a download and reads only its headers. */
function begin(port: number, address: string): Promise<{ socket: Socket; head: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${HEADER}: ${address}\r\n\r\n`)
  const { promise, resolve } = Promise.withResolvers<{ socket: Socket; head: string }>()
  socket.once('data', (part) => {
    socket.pause()
    resolve({ socket, head: part.toString('latin1').split('\r\n\r\n')[0] ?? '' })
  })
  return promise
}

test('sends a file of a share to others while one network opens many and reads none', async () => {
  using server = serve()
  const port = server.port ?? 0
  const addresses = Array.from({ length: CONNECTIONS }, (_, at) => `2001:db8:1:2::${at + 1}`)
  const unread = await Promise.all(addresses.map((address) => begin(port, address)))
  const statuses = unread.map(({ head }) => head.slice(9, 12))
  expect(new Set(statuses)).toEqual(new Set(['200', '503']))
  for (const { head } of unread) expect(/^retry-after: 5$/im.test(head)).toBe(head.startsWith('HTTP/1.1 503'))
  const headers = { [HEADER]: '198.51.100.7' }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  expect([response.status, (await response.text()).length]).toEqual([200, 7 + 3_000 * 2_002])
  for (const { socket } of unread) socket.destroy()
})
