import { afterEach, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { ResponseParser } from '../../../src/events/delivery/client/response-parser.ts'
import { createSender } from '../../../src/events/delivery/client/sender.ts'
import { parseAllowlist } from '../../../src/lib/addresses.ts'
import { startReceiver } from '../../support/receiver.ts'
import { settle, testClock } from '../../support/service.ts'
import { until } from '../../support/webhooks.ts'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

const MOST = 65_536

function stateAfter(...pieces: string[]): string {
  const parser = new ResponseParser()
  for (const piece of pieces) parser.feed(Buffer.from(piece))
  return parser.state
}

test('a head has at most 64 KiB without its line feeds, and so has each body', () => {
  const start = 'HTTP/1.1 200 OK\r\n'
  const header = (length: number) => `${'x'.repeat(length - start.length + 1)}`
  expect(stateAfter(start, header(MOST))).toBe('more')
  expect(stateAfter(start, header(MOST + 1))).toBe('unusable')
  const chunked = `${start}Transfer-Encoding: chunked\r\n\r\n`
  const most = (MOST - 8).toString(16)
  // The lines of the sizes count, too.
  expect(stateAfter(chunked, `${most}\r\n`, 'x'.repeat(MOST - 8), '\r\n')).toBe('more')
  expect(stateAfter(chunked, `${most}\r\n`, 'x'.repeat(MOST - 8), '\r\n', '0\r\n')).toBe('more')
  expect(stateAfter(chunked, `${most}\r\n`, 'x'.repeat(MOST - 8), '\r\n', '0;a=b\r\n')).toBe('unusable')
})

test('what cannot become a status line makes a connection unusable at once', () => {
  for (const start of ['H', 'HTTP/1.', 'HTTP/1.1 20', 'HTTP/1.0 503 '])
    expect([start, stateAfter(start)]).toEqual([start, 'more'])
  for (const start of ['S', 'HTTP/2', 'HTTP/1.1 0', 'HTTP/1.1 2000'])
    expect([start, stateAfter(start)]).toEqual([start, 'unusable'])
  expect(stateAfter('HTTP/1.1 200 OK\r\n', 'Server')).toBe('more')
})

test.each([
  ['one length', 'Content-Length: 2', 'complete'],
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 2', 'more'],
  ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked', 'more'],
  ['no length', 'Server: x', 'more'],
  ['another coding', 'Transfer-Encoding: gzip', 'more'],
  ['a length that is no number', 'Content-Length: +2', 'more'],
] as const)('the end of a response with %s is certain: %p → %s', (_, headers, state) => {
  expect(stateAfter(`HTTP/1.1 200 OK\r\n${headers}\r\nConnection: keep-alive\r\n\r\n`)).not.toBe('complete')
  const parser = new ResponseParser()
  parser.feed(Buffer.from(`HTTP/1.1 500 No\r\n${headers}\r\n\r\nok`))
  expect([parser.status, parser.state]).toEqual([500, state])
  parser.feed(Buffer.from('x'))
  expect(parser.state).toBe(state === 'complete' ? 'unusable' : 'more')
})

const ALLOWED = parseAllowlist(['127.0.0.1'])

test('an attempt that runs out of time after the status keeps the status', async () => {
  const sockets: Socket[] = []
  const receiver = await startReceiver({ answer: (_, socket) => void sockets.push(socket) })
  const clock = testClock()
  const sender = createSender({ allowlist: ALLOWED, clock })
  opened.push(receiver, sender)
  const url = `http://127.0.0.1:${receiver.port}/`
  const sent = sender.send({ url, headers: {}, body: '{}' })
  await until(() => sockets.length === 1)
  clock.advance(9_500)
  const timers = clock.waiting()
  sockets[0]?.write('HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nhalf')
  await until(() => clock.waiting() > timers)
  clock.advance(500)
  expect(await sent).toEqual({
    status: 500,
    error: 'The receiver answered 500.',
    response: { headers: [['Content-Length', '10']], body: 'half', isCut: true },
  })
})

test('the rest of an error is awaited for one second in all, however its parts arrive', async () => {
  const sockets: Socket[] = []
  const receiver = await startReceiver({ answer: (_, socket) => void sockets.push(socket) })
  const clock = testClock()
  const sender = createSender({ allowlist: ALLOWED, clock })
  opened.push(receiver, sender)
  let outcome: Awaited<ReturnType<typeof sender.send>> | undefined
  const url = `http://127.0.0.1:${receiver.port}/`
  void sender.send({ url, headers: {}, body: '{}' }).then((ended) => {
    outcome = ended
  })
  await until(() => sockets.length === 1)
  const timers = clock.waiting()
  sockets[0]?.write('HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nhalf')
  await until(() => clock.waiting() > timers)
  clock.advance(600)
  let isSent = false
  sockets[0]?.write('more', () => {
    isSent = true
  })
  await until(() => isSent)
  await settle()
  clock.advance(399)
  await settle()
  expect(outcome).toBeUndefined()
  clock.advance(1)
  await until(() => outcome !== undefined)
  expect(outcome?.response).toMatchObject({ body: 'halfmore', isCut: true })
})

test('an attempt that fails for a reason of this program does not show it', async () => {
  const receiver = await startReceiver()
  const sender = createSender({ allowlist: ALLOWED })
  opened.push(receiver, sender)
  const headers = {
    get Broken(): string {
      throw new Error('an internal message')
    },
  }
  const url = `http://127.0.0.1:${receiver.port}/`
  expect(await sender.send({ url, headers, body: '{}' })).toEqual({
    status: null,
    error: 'The attempt failed for an unknown reason.',
  })
  expect(receiver.received).toEqual([])
})

test('a body of bytes arrives as these bytes', async () => {
  const receiver = await startReceiver()
  const sender = createSender({ allowlist: ALLOWED })
  opened.push(receiver, sender)
  const url = `http://127.0.0.1:${receiver.port}/`
  const body = Buffer.from('Füße 🐾')
  expect((await sender.send({ url, headers: {}, body })).status).toBe(200)
  expect(receiver.received).toMatchObject([
    { body: 'Füße 🐾', headers: { 'content-length': String(body.length) } },
  ])
  expect(receiver.received[0]?.headers).not.toHaveProperty('accept')
})
