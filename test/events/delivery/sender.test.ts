import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { createSender, type Sender, type SenderSettings } from '../../../src/events/delivery/client/sender.ts'
import { parseAllowlist } from '../../../src/lib/addresses.ts'
import { newAuthority } from '../../support/certificates.ts'
import {
  type Answer,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
  status,
} from '../../support/receiver.ts'
import { testClock } from '../../support/service.ts'

const authority = await newAuthority()
const certificate = await authority.certify(['hook.example', 'other.example'])
const delivered = { status: 200, error: null }

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

async function newReceiver(options?: ReceiverOptions): Promise<Receiver> {
  const receiver = await startReceiver(options)
  opened.push(receiver)
  return receiver
}

/** Reaches receivers on the loopback interface by the name hook.example, unless configured otherwise. */
function newSender(settings: Partial<SenderSettings> & { allow?: string[] } = {}): Sender {
  const { allow = ['127.0.0.1', 'hook.example'], ...rest } = settings
  const resolve = async () => ['127.0.0.1']
  const sender = createSender({ allowlist: parseAllowlist(allow), ca: authority.cert, resolve, ...rest })
  opened.push(sender)
  return sender
}

/** The outcome of an attempt without the response, whose storage `webhooks/delivery-log.test.ts` covers. */
async function post(sender: Sender, url: string, body = '{}', headers = {}) {
  const { response: _, ...outcome } = await sender.send({ url, headers, body })
  return outcome
}

const silence = (socket: Socket) => {
  socket.resume()
  return true
}

/** Polls until the condition holds. */
async function eventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(1)
}

describe('an attempt', () => {
  test('posts the body byte for byte, with the given headers', async () => {
    const receiver = await newReceiver({ certificate })
    const body = `{"text":"Füße 🐾 ${'x'.repeat(200_000)}"}`
    const url = `https://hook.example:${receiver.port}/a%20b?c=d&e=%C3%BC`
    const headers = { 'Content-Type': 'application/json', 'X-Service-Event': 'record.created' }
    expect(await post(newSender(), url, body, headers)).toEqual(delivered)
    expect(receiver.received).toEqual([
      {
        method: 'POST',
        path: '/a%20b?c=d&e=%C3%BC',
        headers: {
          host: `hook.example:${receiver.port}`,
          accept: '*/*',
          'content-type': 'application/json',
          'x-service-event': 'record.created',
          'content-length': String(Buffer.byteLength(body)),
        },
        body,
        connection: 1,
      },
    ])
  })

  test.each([200, 201, 202, 204, 299])('is delivered by %d', async (code) => {
    const receiver = await newReceiver({ answer: status(code) })
    expect(await post(newSender(), `http://127.0.0.1:${receiver.port}/`)).toEqual({
      status: code,
      error: null,
    })
  })

  test.each([400, 401, 404, 410, 429, 500, 503, 999])('is not delivered by %d', async (code) => {
    const receiver = await newReceiver({ answer: status(code) })
    const error = `The receiver answered ${code}.`
    expect(await post(newSender(), `http://127.0.0.1:${receiver.port}/`)).toEqual({ status: code, error })
  })

  test.each([301, 302, 303, 307, 308])('does not follow the redirect of a %d', async (code) => {
    const elsewhere = await newReceiver()
    const location = `Location: http://127.0.0.1:${elsewhere.port}/\r\n`
    const receiver = await newReceiver({ answer: status(code, 'moved', location) })
    const error = `The receiver answered ${code}, a redirect, and redirects are not followed; set url to its target.`
    expect(await post(newSender(), `http://127.0.0.1:${receiver.port}/`)).toEqual({ status: code, error })
    expect(elsewhere.connections.accepted).toBe(0)
  })

  test('skips interim responses', async () => {
    const answer: Answer = (received, socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')
      status(200)(received, socket)
    }
    const receiver = await newReceiver({ answer })
    const sender = newSender()
    expect(await post(sender, `http://127.0.0.1:${receiver.port}/`)).toEqual(delivered)
    expect(await post(sender, `http://127.0.0.1:${receiver.port}/`)).toEqual(delivered)
    expect(receiver.received.map(({ connection }) => connection)).toEqual([1, 1])
  })
})

describe('an attempt ends with a sentence', () => {
  const closed = (port: number) =>
    `"127.0.0.1" ended the connection without an answer.${port === 0 ? '!' : ''}`
  const cases: [string, Answer, string][] = [
    ['closes without an answer', (_, socket) => socket.end(), closed(1)],
    ['breaks off', (_, socket) => socket.destroy(), closed(1)],
    ['closes in the status line', (_, socket) => socket.end('HTTP/1.1 2'), closed(1)],
    ['closes after an interim answer', (_, socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), closed(1)],
    ['speaks another protocol', (_, socket) => socket.write('SSH-2.0-x\r\n'), notHttp()],
    ['speaks HTTP/2', (_, socket) => socket.write('HTTP/2 200\r\n\r\n'), notHttp()],
    ['has an odd status', (_, socket) => socket.write('HTTP/1.1 20 OK\r\n\r\n'), notHttp()],
    [
      'sends interim answers without end',
      (_, socket) => socket.write('HTTP/1.1 100 C\r\n\r\n'.repeat(5_000)),
      notHttp(),
    ],
    [
      'sends a status line without end',
      (_, socket) => socket.write(`HTTP/1.1 200 ${'x'.repeat(70_000)}`),
      notHttp(),
    ],
  ]

  function notHttp() {
    return '"127.0.0.1" answered with something that is not HTTP/1.1.'
  }

  test.each(cases)('when the receiver %s', async (_name, answer, error) => {
    const receiver = await newReceiver({ answer })
    const sender = newSender()
    expect(await post(sender, `http://127.0.0.1:${receiver.port}/`)).toEqual({ status: null, error })
    await eventually(() => sender.connections.open === 0 && receiver.connections.open === 0)
  })

  test('when the port is closed', async () => {
    const receiver = await startReceiver()
    await receiver.close()
    const error = '"127.0.0.1" refuses connections.'
    expect(await post(newSender(), `http://127.0.0.1:${receiver.port}/`)).toEqual({ status: null, error })
  })

  test('when the name cannot be resolved', async () => {
    const resolve = () => Promise.reject(new Error('secret'))
    const error = 'The name "hook.example" could not be resolved: the DNS server did not answer.'
    expect(await post(newSender({ resolve }), 'https://hook.example/')).toEqual({ status: null, error })
  })

  test('when the system cannot resolve the name', async () => {
    const error = 'The name "no-such-name.invalid" has no address; check its spelling.'
    const sender = newSender({ resolve: undefined })
    expect(await post(sender, 'https://no-such-name.invalid/')).toEqual({ status: null, error })
  })

  test('when the url may not be called', async () => {
    const error =
      'This url is not called: url must lead to a public address; 10.0.0.1 is not public. To call it all the same, give --webhook-allow 10.0.0.1 to the server, and to a command.'
    expect(await post(newSender(), 'https://10.0.0.1/')).toEqual({ status: null, error })
  })
})

describe('the outcome depends on the status line', () => {
  const endless =
    (head: string): Answer =>
    (_received, socket) => {
      socket.write(head)
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
        if (!socket.destroyed) socket.once('drain', more)
      }
      more()
    }
  const cases: [string, Answer][] = [
    ['a head that goes on', (_, socket) => socket.write('HTTP/1.1 200 OK\r\nA: ')],
    ['a body without end', endless('HTTP/1.1 200 OK\r\n\r\n')],
    ['chunks without end', endless('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n')],
    ['a gigabyte', endless('HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n')],
    ['headers without end', endless('HTTP/1.1 200 OK\r\nA: ')],
    ['a body that stops', (_, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx')],
    ['no reason', (_, socket) => socket.write('HTTP/1.1 200\r\n\r\n')],
    ['HTTP/1.0', (_, socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nok')],
    ['single line feeds', (_, socket) => socket.end('HTTP/1.1 200 OK\n\nok')],
  ]

  test.each(cases)('and not on %s, which is discarded', async (_name, answer) => {
    const clock = testClock()
    const receiver = await newReceiver({ answer })
    const sender = newSender({ clock })
    expect(await post(sender, `http://127.0.0.1:${receiver.port}/`)).toEqual(delivered)
    clock.advance(4_000)
    await eventually(() => sender.connections.open === 0 && receiver.connections.open === 0)
    expect(clock.waiting()).toBe(0)
  })

  test('even before the request is read to its end', async () => {
    const takeOver = (socket: Socket) => {
      socket.once('data', () => {
        socket.pause()
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n')
      })
      return true
    }
    const receiver = await newReceiver({ takeOver })
    const sender = newSender()
    const outcome = await post(sender, `http://127.0.0.1:${receiver.port}/`, 'x'.repeat(20_000_000))
    expect(outcome).toEqual({ status: 413, error: 'The receiver answered 413.' })
    await eventually(() => sender.connections.open === 0)
  })
})

describe('an attempt takes at most 10 seconds', () => {
  const late = async (
    sender: Sender,
    url: string,
    isReached: () => boolean,
    clock: { advance(ms: number): void },
  ) => {
    let isOver = false
    const outcome = post(sender, url)
    void outcome.then(() => {
      isOver = true
    })
    await eventually(isReached)
    clock.advance(9_999)
    await Bun.sleep(1)
    expect(isOver).toBe(false)
    clock.advance(1)
    return outcome
  }

  test('to resolve the name', async () => {
    const clock = testClock()
    let asked = 0
    const resolve = () => {
      asked += 1
      return new Promise<string[]>(() => {})
    }
    const sender = newSender({ clock, resolve })
    const error = 'Resolving the name "hook.example" took longer than 10 seconds.'
    expect(await late(sender, 'https://hook.example/', () => asked === 1, clock)).toEqual({
      status: null,
      error,
    })
    expect(clock.waiting()).toBe(0)
  })

  test('to resolve the name, and sends nothing when the name is resolved later, also over an open connection', async () => {
    const clock = testClock()
    const receiver = await newReceiver({ certificate })
    const lookups: ((addresses: string[]) => void)[] = []
    const resolve = () => new Promise<string[]>((found) => lookups.push(found))
    const sender = newSender({ clock, resolve })
    const url = `https://hook.example:${receiver.port}/`
    const first = post(sender, url)
    const second = post(sender, url)
    await eventually(() => lookups.length === 2)
    clock.advance(9_000)
    lookups[0]?.(['127.0.0.1'])
    expect(await first).toEqual(delivered)
    await eventually(() => sender.connections.free === 1)
    clock.advance(1_000)
    expect((await second).status).toBe(null)
    lookups[1]?.(['127.0.0.1'])
    expect(await post(newSender(), url)).toEqual(delivered)
    expect(receiver.received).toHaveLength(2)
    expect(sender.connections.free).toBe(1)
  })

  test('to connect with TLS', async () => {
    const clock = testClock()
    const receiver = await newReceiver({ takeOver: silence })
    const sender = newSender({ clock })
    const url = `https://hook.example:${receiver.port}/`
    const error = 'Connecting to "hook.example" took longer than 10 seconds.'
    expect(await late(sender, url, () => receiver.connections.open === 1, clock)).toEqual({
      status: null,
      error,
    })
    await eventually(() => receiver.connections.open === 0)
    expect({ open: sender.connections.open, waiting: clock.waiting() }).toEqual({ open: 0, waiting: 0 })
  })

  test.each<[string, Answer]>([
    ['says nothing', () => {}],
    ['says it drop by drop', (_, socket) => socket.write('HTTP/1.1 2')],
    ['sends interim answers only', (_, socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n')],
  ])('to answer, when the receiver %s', async (_name, answer) => {
    const clock = testClock()
    const receiver = await newReceiver({ answer })
    const sender = newSender({ clock })
    const url = `http://127.0.0.1:${receiver.port}/`
    const error = 'The response of "127.0.0.1" took longer than 10 seconds.'
    expect(await late(sender, url, () => receiver.received.length === 1, clock)).toEqual({
      status: null,
      error,
    })
    await eventually(() => receiver.connections.open === 0)
    expect({ open: sender.connections.open, waiting: clock.waiting() }).toEqual({ open: 0, waiting: 0 })
  })
})

describe('a certificate', () => {
  const outcomeWith = async (
    hosts: string[],
    host = 'hook.example',
    settings: Partial<SenderSettings> & { allow?: string[] } = {},
    days?: { from: number; to: number },
  ) => {
    const receiver = await newReceiver({ certificate: await authority.certify(hosts, days) })
    const outcome = await post(newSender(settings), `https://${host}:${receiver.port}/`)
    return { ...outcome, received: receiver.received.length }
  }

  test('must be for the name of the url, not for the address', async () => {
    const error = 'The certificate of "hook.example" is for another name.'
    expect(await outcomeWith(['hook.example'])).toEqual({ ...delivered, received: 1 })
    expect(await outcomeWith(['*.example.org'], 'a.example.org', { allow: ['a.example.org'] })).toEqual({
      ...delivered,
      received: 1,
    })
    expect(await outcomeWith(['other.example'])).toEqual({ status: null, error, received: 0 })
    expect(await outcomeWith(['127.0.0.1', 'localhost'])).toEqual({ status: null, error, received: 0 })
  })

  test('must be for the address when the url has one', async () => {
    const error = 'The certificate of "127.0.0.1" is for another name.'
    expect(await outcomeWith(['127.0.0.1'], '127.0.0.1')).toEqual({ ...delivered, received: 1 })
    expect(await outcomeWith(['127.0.0.2', 'localhost'], '127.0.0.1')).toEqual({
      status: null,
      error,
      received: 0,
    })
  })

  test('must be valid now', async () => {
    const past = await outcomeWith(['hook.example'], 'hook.example', {}, { from: -2, to: -1 })
    const future = await outcomeWith(['hook.example'], 'hook.example', {}, { from: 1, to: 2 })
    const expired = 'The certificate of "hook.example" has expired.'
    expect(past).toEqual({ status: null, error: expired, received: 0 })
    const early = 'The certificate of "hook.example" is not valid yet.'
    expect(future).toEqual({ status: null, error: early, received: 0 })
  })

  test('must come from a trusted authority', async () => {
    const error = 'The certificate of "hook.example" comes from an authority that is not trusted.'
    const other = await newAuthority('another authority')
    for (const ca of [undefined, other.cert]) {
      expect(await outcomeWith(['hook.example'], 'hook.example', { ca })).toEqual({
        status: null,
        error,
        received: 0,
      })
    }
    const both = { ca: `${other.cert}\n${authority.cert}` }
    expect(await outcomeWith(['hook.example'], 'hook.example', both)).toEqual({ ...delivered, received: 1 })
  })

  test('cannot come from a server without TLS', async () => {
    const takeOver = (socket: Socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
      return true
    }
    const receiver = await newReceiver({ takeOver })
    const error = '"hook.example" does not speak TLS at this port.'
    expect(await post(newSender(), `https://hook.example:${receiver.port}/`)).toEqual({ status: null, error })
  })
})

describe('the called address', () => {
  test('is checked by every address, at every attempt, also when a connection is open', async () => {
    const receiver = await newReceiver({ certificate })
    const asked: string[] = []
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], ['127.0.0.1']]
    const resolve = async (host: string) => {
      asked.push(host)
      return answers.shift() ?? []
    }
    const sender = newSender({ allow: ['127.0.0.1'], resolve })
    const url = `https://hook.example:${receiver.port}/`
    const error = 'The name "hook.example" has an address that is not public, so it is not called.'
    expect(await post(sender, url)).toEqual(delivered)
    expect(await post(sender, url)).toEqual({ status: null, error })
    expect(await post(sender, url)).toEqual({ status: null, error })
    expect(await post(sender, url)).toEqual(delivered)
    expect(asked).toEqual(['hook.example', 'hook.example', 'hook.example', 'hook.example'])
    expect(receiver.received.map(({ connection }) => connection)).toEqual([1, 1])
  })

  test('is the next address when the first cannot be reached', async () => {
    const receiver = await newReceiver({ certificate })
    const resolve = async () => ['127.0.0.3', '127.0.0.1']
    expect(await post(newSender({ resolve }), `https://hook.example:${receiver.port}/`)).toEqual(delivered)
  })

  test('is the next address after 3 seconds when the first does not respond', async () => {
    const clock = testClock()
    const silent = await newReceiver({ takeOver: silence })
    const resolve = async () => ['127.0.0.1', '127.0.0.1']
    const outcome = post(newSender({ clock, resolve }), `https://hook.example:${silent.port}/`)
    await eventually(() => silent.connections.accepted === 1)
    clock.advance(3_000)
    await eventually(() => silent.connections.accepted === 2)
    clock.advance(7_000)
    expect((await outcome).error).toBe('Connecting to "hook.example" took longer than 10 seconds.')
  })
})

describe('a connection', () => {
  const url = (receiver: Receiver) => `https://hook.example:${receiver.port}/`
  const numbers = (receiver: Receiver) => receiver.received.map(({ connection }) => connection)

  test.each<[string, Answer]>([
    ['with its length', status(200)],
    ['without a body', (_, socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n')],
    [
      'in chunks',
      (_, socket) => {
        const text =
          'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\nA\r\n0\r\n\r\n56789\r\n0\r\nA: b\r\n\r\n'
        for (const byte of text) socket.write(byte)
      },
    ],
  ])('is used again after an answer %s', async (_name, answer) => {
    const receiver = await newReceiver({ certificate, answer })
    const sender = newSender()
    for (let count = 1; count <= 3; count++) {
      expect((await post(sender, url(receiver))).error).toBe(null)
      await eventually(() => sender.connections.free === 1)
    }
    expect(numbers(receiver)).toEqual([1, 1, 1])
  })

  test.each<[string, Answer]>([
    ['that says so', status(200, 'ok', 'Connection: close\r\n')],
    [
      'with more than it announced',
      (_, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 X\r\n\r\n'),
    ],
    ['with two lengths', status(200, 'ok', 'Content-Length: 2\r\n')],
    ['with a length and chunks', status(200, 'ok', 'Transfer-Encoding: chunked\r\n')],
    ['of HTTP/1.0', (_, socket) => socket.write('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok')],
    ['that switches protocols', (_, socket) => socket.write('HTTP/1.1 101 Switching\r\n\r\n')],
  ])('is not used again after an answer %s', async (_name, answer) => {
    const receiver = await newReceiver({ certificate, answer })
    const sender = newSender()
    const first = await post(sender, url(receiver))
    await eventually(() => sender.connections.open === 0)
    expect(await post(sender, url(receiver))).toEqual(first)
    expect(numbers(receiver)).toEqual([1, 2])
  })

  test('that sent something unrequested is not used again', async () => {
    const receiver = await newReceiver({ certificate })
    const sender = newSender()
    let socket: Socket | undefined
    receiver.answer = (received, its) => {
      socket = its
      status(200)(received, its)
    }
    await post(sender, url(receiver))
    socket?.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    await eventually(() => sender.connections.open === 0)
    receiver.answer = status(500)
    expect(await post(sender, url(receiver))).toEqual({ status: 500, error: 'The receiver answered 500.' })
  })

  test('that was closed unnoticed costs no attempt', async () => {
    const receiver = await newReceiver({ certificate })
    const sender = newSender()
    await post(sender, url(receiver))
    receiver.answer = ({ connection }, socket) => {
      if (connection === 1) socket.destroy()
      else status(200)({} as never, socket)
    }
    expect(await post(sender, url(receiver))).toEqual(delivered)
    expect(numbers(receiver)).toEqual([1, 1, 2])
  })

  test('that breaks during a response, or a new one that breaks, fails the attempt', async () => {
    const receiver = await newReceiver({ certificate })
    const sender = newSender()
    await post(sender, url(receiver))
    receiver.answer = (_, socket) => socket.end('HTTP/1.1 2')
    const error = '"hook.example" ended the connection without an answer.'
    expect(await post(sender, url(receiver))).toEqual({ status: null, error })
    expect(await post(sender, url(receiver))).toEqual({ status: null, error })
    expect(numbers(receiver)).toEqual([1, 1, 2])
  })

  test('is shared by urls of one host and port, and never by two names of one address', async () => {
    const receiver = await newReceiver({ certificate })
    const sender = newSender({ allow: ['hook.example', 'other.example'] })
    await post(sender, url(receiver))
    await post(sender, `${url(receiver)}another`)
    await post(sender, url(receiver).replace('hook', 'other'))
    expect(numbers(receiver)).toEqual([1, 1, 2])
  })

  test('carries one exchange at a time', async () => {
    const receiver = await newReceiver({ certificate })
    const sender = newSender()
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => post(sender, url(receiver))))
    expect(outcomes).toEqual(Array(8).fill(delivered))
    expect(new Set(numbers(receiver)).size).toBe(8)
  })

  test('is closed after 4 idle seconds, and when the sender is closed', async () => {
    const clock = testClock()
    const receiver = await newReceiver({ certificate })
    const sender = newSender({ clock })
    await post(sender, url(receiver))
    clock.advance(3_999)
    expect(sender.connections.open).toBe(1)
    clock.advance(1)
    expect({ open: sender.connections.open, waiting: clock.waiting() }).toEqual({ open: 0, waiting: 0 })
    await post(sender, url(receiver))
    sender.close()
    expect({ open: sender.connections.open, waiting: clock.waiting() }).toEqual({ open: 0, waiting: 0 })
    await eventually(() => receiver.connections.open === 0)
  })
})

test('proxies of the environment are not used', async () => {
  const proxy = await newReceiver({ answer: status(500) })
  const receiver = await newReceiver({ certificate })
  const plain = await newReceiver()
  const program = `
    const { createSender } = await import(${JSON.stringify(Bun.resolveSync('../../../src/events/delivery/client/sender.ts', import.meta.dir))})
    const { parseAllowlist } = await import(${JSON.stringify(Bun.resolveSync('../../../src/lib/addresses.ts', import.meta.dir))})
    const { send, close } = createSender({
      allowlist: parseAllowlist(['hook.example']), ca: process.env.CA, resolve: async () => ['127.0.0.1'],
    })
    const outcomes = []
    for (const url of process.env.URLS.split(' ')) outcomes.push(await send({ url, headers: {}, body: '{}' }))
    close()
    const control = await fetch('http://hook.example/').then(({ status }) => status, String)
    console.log(JSON.stringify({ outcomes, control }))`
  const address = `http://127.0.0.1:${proxy.port}`
  const child = Bun.spawn([process.execPath, '-e', program], {
    env: {
      CA: authority.cert,
      URLS: `${url(receiver, 'https')} ${url(plain, 'http')}`,
      HTTP_PROXY: address,
      HTTPS_PROXY: address,
      http_proxy: address,
      https_proxy: address,
    },
    stdout: 'pipe',
  })
  expect(await child.stdout.json()).toMatchObject({ outcomes: [delivered, delivered], control: 500 })
  expect([receiver.received.length, plain.received.length, proxy.received.length]).toEqual([1, 1, 1])

  function url({ port }: Receiver, scheme: string) {
    return `${scheme}://hook.example:${port}/`
  }
})

afterAll(() => expect(opened).toEqual([]))
