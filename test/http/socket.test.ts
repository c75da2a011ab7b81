import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Expectations } from '../../src/http/expectation.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'

/** Behavior of a real server only: how its HTTP parser reads bytes, and whether a refusal reaches the client. */
let server: ServerProcess
const folder = newFolder()
beforeAll(async () => {
  server = await startProcess(folder.file('daybook.db'))
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

const MEBIBYTE = 1024 * 1024

interface RawAnswer {
  status: number
  headers: string
  body: string
}

/** Sends bytes verbatim and reads until the server has responded completely or closed the connection. */
function send(...parts: (string | Uint8Array)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const received: Buffer[] = []
    const finish = () => {
      const answer = parsed(Buffer.concat(received).toString('utf8'))
      if (answer) resolve(answer)
      return answer !== undefined
    }
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk)
      if (finish()) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (!finish()) reject(new Error(`no whole answer: ${Buffer.concat(received)}`))
    })
    for (const part of parts) socket.write(part)
  })
}

function parsed(text: string): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const headers = text.slice(0, end)
  const body = text.slice(end + 4)
  const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0)
  if (Buffer.byteLength(body) < length) return undefined
  return { status: Number(headers.split(' ')[1]), headers, body }
}

const head = (line: string, ...headers: string[]) =>
  `${[line, 'Host: daybook', `Authorization: Bearer ${server.key}`, ...headers].join('\r\n')}\r\n\r\n`

const get = (target: string) => send(head(`GET ${target} HTTP/1.1`))

const chunked = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const TOO_LARGE = {
  status: 413,
  body: { error: 'The body is larger than 10 MiB; split the request.', code: 'too_large' },
}

const refusalOf = ({ status, body }: RawAnswer) => ({ status, body: JSON.parse(body) })

describe('a body over the limit gets its refusal', () => {
  const part = Buffer.alloc(4 * MEBIBYTE, ' ')
  const connections = ['keep-alive', 'close']

  test.each(connections)('when its length is announced (%s)', async (connection) => {
    const headers = [`Connection: ${connection}`, `Content-Length: ${7 * part.byteLength}`]
    const answer = await send(head('POST /v1/notes HTTP/1.1', ...headers), ...Array(7).fill(part))
    expect(refusalOf(answer)).toEqual(TOO_LARGE)
  })

  test.each(connections)('when it comes in chunks (%s)', async (connection) => {
    const headers = [`Connection: ${connection}`, 'Transfer-Encoding: chunked']
    const parts = [...Array(7).fill(chunked(part)), '0\r\n\r\n']
    expect(refusalOf(await send(head('POST /v1/notes HTTP/1.1', ...headers), ...parts))).toEqual(TOO_LARGE)
  })

  test('when it never ends, or never begins', async () => {
    const endless = head('POST /v1/notes HTTP/1.1', 'Transfer-Encoding: chunked')
    expect(refusalOf(await send(endless, ...Array(7).fill(chunked(part))))).toEqual(TOO_LARGE)
    const announced = head('POST /v1/notes HTTP/1.1', `Content-Length: ${11 * MEBIBYTE}`)
    expect(refusalOf(await send(announced))).toEqual(TOO_LARGE)
  })

  test('and the next request on the connection its answer', async () => {
    const { status } = await server.get('/v1/me')
    expect(status).toBe(200)
  })
})

describe('a body in chunks', () => {
  test('is read whole, however it is cut', async () => {
    const json = Buffer.from(JSON.stringify({ title: 'Tee 🍵 im Grünen' }))
    const pieces = [...json].map((byte) => chunked(Buffer.of(byte)))
    const { status, body } = await send(
      head('POST /v1/notes HTTP/1.1', 'Transfer-Encoding: chunked'),
      ...pieces,
      '0\r\n\r\n',
    )
    expect([status, JSON.parse(body).note.title]).toEqual([201, 'Tee 🍵 im Grünen'])
  })
})

/** Opens a connection for a test to read. */
async function open() {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  let text = ''
  let isClosed = false
  let notify = () => {}
  socket.on('data', (chunk) => {
    text += chunk
    notify()
  })
  socket.on('close', () => {
    isClosed = true
    notify()
  })
  const until = async (isEnough: () => boolean) => {
    while (!isEnough() && !isClosed) await new Promise<void>((resolve) => (notify = resolve))
    return text
  }
  return {
    socket,
    /** Returns all received text, once it includes this part. */
    including: (part: string) => until(() => text.includes(part)),
    /** Returns all received text, once the server has closed the connection. */
    whole: () => until(() => false),
  }
}

describe('a client that expects 100 Continue gets it before it sends the body', () => {
  const JSON_BODY = '{"title":"held back"}'
  const LENGTH = `Content-Length: ${JSON_BODY.length}`
  const CHUNKED = 'Transfer-Encoding: chunked'
  const expectations = [
    '100-continue',
    '100-Continue',
    '100-CONTINUE',
    '100-cONTINUE, 100-continue',
    'something',
  ]

  async function post(expectation: string, framing: string, body: string, ...headers: string[]) {
    const { socket, including, whole } = await open()
    socket.write(head('POST /v1/notes HTTP/1.1', ...headers, framing, `Expect: ${expectation}`))
    const first = await including('\r\n\r\n')
    socket.write(body)
    const all = await including('}')
    // The connection serves the next request.
    socket.write(head('HEAD /v1/me HTTP/1.1', 'Connection: close'))
    const last = (await whole()).slice(all.length)
    return [first, all.slice(first.length).split('\r\n')[0], last.split('\r\n')[0]]
  }

  const SERVED = ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 201 Created', 'HTTP/1.1 200 OK']

  test.each(expectations)('%p', async (expectation) => {
    expect(await post(expectation, LENGTH, JSON_BODY)).toEqual(SERVED)
    const chunks = `${chunked(Buffer.from(JSON_BODY))}0\r\n\r\n`
    expect(await post(expectation, CHUNKED, chunks, 'Content-Type: application/json', 'Accept: */*')).toEqual(
      SERVED,
    )
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'with %s, whatever the endpoint makes of it',
    async (method) => {
      for (const path of ['/v1/notes', '/v1/notes/none', '/v1/files', '/mcp', '/in/none', '/nothing']) {
        const { socket, including } = await open()
        socket.write(head(`${method} ${path} HTTP/1.1`, 'Expect: 100-Continue', 'Content-Length: 2'))
        expect(await including('\r\n\r\n')).toStartWith('HTTP/1.1 100 Continue\r\n\r\n')
        socket.destroy()
      }
    },
  )

  test('and where that cannot be sent, a final response at once', () => {
    const headers = { expect: '100-Continue', 'content-length': '2' }
    const request = new Request('http://daybook/v1/notes', { method: 'POST', headers, body: '{}' })
    const response = new Expectations().failed(request, {
      requestIP: () => ({ address: '127.0.0.1', port: 1 }),
    })
    expect([response?.status, response?.headers.get('connection')]).toEqual([417, 'close'])
    // Java 17 never returns from such a response if it has a body.
    expect(response?.body).toBeNull()
  })
})

describe('a URL', () => {
  const target = (length: number) => `/v1/notes?search=${'a'.repeat(length - '/v1/notes?search='.length)}`

  test('of 65,536 bytes is served, a longer one refused in our words', async () => {
    expect((await get(target(65_536))).status).toBe(400)
    for (const length of [65_537, 100_000]) {
      expect(refusalOf(await get(target(length)))).toEqual({
        status: 431,
        body: { error: 'The URL is longer than 65536 bytes; shorten the query.', code: 'uri_too_long' },
      })
    }
  })

  test.each([
    ['/v1/me', 200],
    ['/v1/me#fragment', 200],
    ['/v1/notes/../me', 200],
    ['http://elsewhere.example/v1/me', 200],
    ['/v1/notes/é', 404],
    ['/v1/notes/%zz', 404],
    ['/v1/notes/%ff', 404],
    ['/v1/notes/%00', 404],
    ['//v1/me', 404],
    ['/v1/notes?search=é', 200],
    ['/v1/notes?search=%ff', 400],
    ['/v1/me?', 200],
  ])('%p answers %p', async (path, expected) => {
    expect((await get(path)).status).toBe(expected)
  })
})

describe('a Host header', () => {
  const HOSTS = ['h', 'h:1', '', 'a/b?c#d', '[::', 'user:pass@host:99999999', 'xn--', '127.0.0.1:1']
  const UNUSABLE = ['localhost:99999', 'h:65536', 'h:-1', 'h:1x', '[localhost]']
  test.each([...HOSTS, ...UNUSABLE])('%p does not change where a request goes', async (host) => {
    const headers = [`Host: ${host}`, `Authorization: Bearer ${server.key}`]
    for (const path of ['/v1/me', '/v1/shares']) {
      const lines = [`GET ${path} HTTP/1.1`, ...headers]
      expect((await send(`${lines.join('\r\n')}\r\n\r\n`)).status).toBe(200)
    }
    const post = ['POST /v1/notes HTTP/1.1', ...headers, 'Idempotency-Key: once', 'Content-Length: 13']
    expect((await send(`${post.join('\r\n')}\r\n\r\n{"title":"x"}`)).status).toBe(201)
  })

  test('may be missing in HTTP/1.0', async () => {
    const lines = ['GET /v1/notes?limit=1 HTTP/1.0', `Authorization: Bearer ${server.key}`]
    expect((await send(`${lines.join('\r\n')}\r\n\r\n`)).status).toBe(200)
  })
})

describe('HEAD', () => {
  test('says how long the body would be and sends none', async () => {
    const full = await get('/v1/me')
    const lines = head('HEAD /v1/me HTTP/1.1', 'Connection: close')
    const socketAnswer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
      socket.write(lines)
    })
    expect(socketAnswer).toStartWith('HTTP/1.1 200 ')
    expect(socketAnswer.toLowerCase()).toContain(`content-length: ${Buffer.byteLength(full.body)}\r\n`)
    expect(socketAnswer).toEndWith('\r\n\r\n')
  })
})

test('the executable knows the endpoint of each request', async () => {
  await get('/v1/notes/nothing')
  const { body } = await get('/metrics')
  expect(body).toContain('daybook_http_requests_total{method="GET",route="/v1/notes/:id",status="404"} ')
  expect(body).toMatch(/\{method="POST",route="\/v1\/notes",status="201"\} [1-9]/)
})

describe('the server', () => {
  test('did not fail at anything sent here', () => {
    expect(server.err()).not.toContain('"level":"error"')
  })
})
