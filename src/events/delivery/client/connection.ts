import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { isAddress } from '../../../lib/addresses.ts'
import { nodeNet, nodeTls } from '../../../lib/node-modules.ts'

/** The limit for a head and for a body, in bytes: reading more costs more than a new connection. */
const MAX_BYTES = 65_536
/** The parts of a response that the log of deliveries stores, in bytes. */
const KEPT_HEAD_BYTES = 4_096
const KEPT_BODY_BYTES = 4_096

const LINE_FEED = 0x0a
const EMPTY = Buffer.alloc(0)

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [^\r]*)?$/
const STATUS_LINE_START = /^HTTP\/1\.[01] [1-9]\d\d[ \r]/
const STATUS_LINE_SAMPLE = 'HTTP/1.1 200 '
const SWITCHING_PROTOCOLS = 101

/** Whether the beginning of a line may become a status line. */
const mayBeStatusLine = (line: string): boolean =>
  STATUS_LINE_START.test(line + STATUS_LINE_SAMPLE.slice(line.length))

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299

const isInterim = (status: number) => status < 200 && status !== SWITCHING_PROTOCOLS

/** RFC 9112, section 7.1: a chunk's size in hexadecimal; a chunk of size 0 and trailers end the body. */
const CHUNK_SIZE = /^([0-9a-fA-F]{1,6})[ \t]*(?:;.*)?$/

/** The headers that determine the length of the body and whether the connection stays open. */
const FRAMING = /^(content-length|transfer-encoding|connection):(.*)$/s

const BLANKS_AROUND = /^[ \t]+|(?<![ \t])[ \t]+$/g

/**
 * The length of the body according to its headers; `unknown` when the connection cannot be reused after the response.
 */
function bodyLength(status: number, headers: readonly string[]): number | 'chunked' | 'unknown' {
  const lengths: string[] = []
  const codings: string[] = []
  for (const line of headers) {
    const [, name = '', padded = ''] = FRAMING.exec(line.toLowerCase()) ?? []
    const value = padded.replace(BLANKS_AROUND, '')
    if (name === 'connection' && /\bclose\b/.test(value)) return 'unknown'
    if (name === 'content-length') lengths.push(value)
    if (name === 'transfer-encoding') codings.push(value)
  }
  if (status === 204 || status === 304) return 0
  if (codings.length + lengths.length !== 1) return 'unknown'
  if (codings.length === 1) return codings[0] === 'chunked' ? 'chunked' : 'unknown'
  const length = /^\d{1,9}$/.test(lengths[0] ?? '') ? Number(lengths[0]) : Number.NaN
  return length <= MAX_BYTES ? length : 'unknown'
}

/** The next unit to read: a line without its line break, or a number of bytes to discard. */
type Wanted = 'status line' | 'line' | number
/** `complete`: the connection can carry the next request. `unusable`: it must be closed. */
type End = 'complete' | 'unusable'

function* skipChunks(): Generator<Wanted, End, string> {
  for (;;) {
    const [, size] = CHUNK_SIZE.exec(yield 'line') ?? []
    if (size === undefined) return 'unusable'
    const length = Number.parseInt(size, 16)
    if (length > 0) yield length
    // After the last chunk come trailers, if any, and an empty line.
    for (let line = yield 'line'; line !== ''; line = yield 'line') if (length > 0) return 'unusable'
    if (length === 0) return 'complete'
  }
}

/** The parts of a response that the log of deliveries stores. */
export interface ReceivedResponse {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Whether headers or body were longer than stored. */
  readonly isCut: boolean
}

/**
 * Parses one response as its bytes arrive: first the status, which decides an attempt. The rest is read only as far as
 * needed to know whether the connection can be reused. Of the body, only the beginning is kept.
 */
export class ResponseParser {
  /** The final status; interim responses (1xx) are skipped. */
  status: number | null = null
  /** The header lines read so far. */
  #headers: readonly string[] = []
  /** The first bytes of the body. */
  #kept: Buffer[] = []
  #keptBytes = 0
  #isInBody = false
  state: 'more' | End = 'more'
  /** The bytes of the head or the body read so far, without line feeds. */
  #bytes = 0
  #wanted: Wanted = 'status line'
  /** The pieces of the line being read. */
  #line: string[] = []
  #lineLength = 0
  readonly #reading = this.#readResponse()

  constructor() {
    this.#reading.next('')
  }

  feed(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0 && this.state === 'more')
      rest = typeof this.#wanted === 'number' ? this.#skip(rest, this.#wanted) : this.#readLine(rest)
    if (rest.length === 0) return
    // Of a body that lasts until the connection closes, the part that came with the head is known.
    if (this.#isInBody && this.state === 'unusable') this.#keep(rest)
    this.state = 'unusable'
  }

  /** The headers and the beginning of the body, as far as they have arrived. */
  get response(): ReceivedResponse {
    const headers: (readonly [string, string])[] = []
    let length = 0
    for (const line of this.#headers) {
      const colon = line.indexOf(':')
      length += line.length
      if (length > KEPT_HEAD_BYTES) break
      if (colon > 0) headers.push([line.slice(0, colon), line.slice(colon + 1).trim()])
    }
    const bytes = Buffer.concat(this.#kept).subarray(0, KEPT_BODY_BYTES)
    // Without the last bytes, if they are a part of a character.
    const body = new TextDecoder().decode(bytes, { stream: true })
    return { headers, body, isCut: length > KEPT_HEAD_BYTES || this.#keptBytes > KEPT_BODY_BYTES }
  }

  *#readResponse(): Generator<Wanted, End, string> {
    for (;;) {
      const [, minor, digits] = STATUS_LINE.exec(yield 'status line') ?? []
      if (digits === undefined) return 'unusable'
      const status = Number(digits)
      if (!isInterim(status)) this.status = status
      const headers: string[] = []
      for (let line = yield 'line'; line !== ''; line = yield 'line') headers.push(line)
      if (isInterim(status)) continue
      this.#bytes = 0
      this.#headers = headers
      this.#isInBody = true
      const body = minor === '1' && status >= 200 ? bodyLength(status, headers) : 'unknown'
      if (body === 'unknown') return 'unusable'
      if (body === 'chunked') return yield* skipChunks()
      if (body > 0) yield body
      return 'complete'
    }
  }

  #proceed(line = ''): void {
    const { value, done } = this.#reading.next(line)
    if (done) this.state = value
    else this.#wanted = value
  }

  #skip(bytes: Buffer, wanted: number): Buffer {
    const skipped = Math.min(wanted, bytes.length)
    this.#keep(bytes.subarray(0, skipped))
    if (skipped < wanted) this.#wanted = wanted - skipped
    else this.#proceed()
    this.#count(skipped)
    return bytes.subarray(skipped)
  }

  #keep(bytes: Buffer): void {
    if (this.#keptBytes <= KEPT_BODY_BYTES)
      this.#kept.push(Buffer.from(bytes.subarray(0, KEPT_BODY_BYTES + 1)))
    this.#keptBytes += bytes.length
  }

  /** Parses each line once, when it is complete, so that a line that arrives byte by byte costs no more. */
  #readLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(LINE_FEED)
    const piece = bytes.toString('latin1', 0, end === -1 ? bytes.length : end)
    const wasShort = this.#lineLength < STATUS_LINE_SAMPLE.length
    this.#line.push(piece)
    this.#lineLength += piece.length
    this.#count(piece.length)
    if (end === -1) {
      const isStatusLine = this.#wanted === 'status line'
      if (isStatusLine && wasShort && !mayBeStatusLine(this.#line.join(''))) this.state = 'unusable'
      return EMPTY
    }
    const line = this.#line.join('').replace(/\r$/, '')
    this.#line = []
    this.#lineLength = 0
    this.#proceed(line)
    return bytes.subarray(end + 1)
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > MAX_BYTES) this.state = 'unusable'
  }
}

/** The destination of a connection: a checked address, and the name that its certificate must cover. */
export interface Endpoint {
  readonly address: string
  readonly port: number
  /** The host of the URL; null without TLS. */
  readonly secureAs: string | null
}

/** Requests to endpoints with the same key may share connections. */
export const endpointKey = ({ address, port, secureAs }: Endpoint): string =>
  `${address} ${port} ${secureAs ?? ''}`

export type SendResult =
  | { readonly status: number; readonly response: ReceivedResponse }
  /** No status arrived; `isUnanswered` when not a single byte of a response arrived. */
  | { readonly error: Error; readonly isUnanswered: boolean }

/** A request whose response has not been read completely. */
interface PendingRequest {
  readonly parser: ResponseParser
  isUnanswered: boolean
  settle: ((result: SendResult) => void) | undefined
}

const closedEarly = () => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })
const notHttp = () => Object.assign(new Error('the response is not HTTP/1.1'), { code: 'NOT_HTTP' })

/** An open connection; it carries one request at a time. */
export class Connection {
  #pending: PendingRequest | undefined
  #isClosed = false
  /** Called when the status is known; the rest of the response may not have arrived. */
  onStatus: () => void = () => {}
  /** Called when the status is an error whose explanation has not arrived: `answer` ends the wait for it. */
  onPartialError: () => void = () => {}
  /** Called when a response has been read completely, so that the connection can carry the next request. */
  onFree: () => void = () => {}
  /** Called once, when the connection can no longer be used. */
  onClose: () => void = () => {}

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('end', () => this.#fail(closedEarly()))
    socket.on('close', () => this.#fail(closedEarly()))
    socket.on('error', (error) => this.#fail(error))
  }

  /** The status of the current request, while the rest of an error is awaited. */
  get status(): number | null {
    return this.#pending?.settle ? this.#pending.parser.status : null
  }

  /** Resolves the current request if its status is known. */
  answer(): void {
    const { parser, settle } = this.#pending ?? {}
    if (!settle || !parser || parser.status === null) return
    if (this.#pending) this.#pending.settle = undefined
    settle({ status: parser.status, response: parser.response })
  }

  /**
   * Sends the text of a request; never rejects. Resolves as soon as the status is known, or with the rest of the
   * response for an error status.
   */
  send(request: string | Buffer): Promise<SendResult> {
    return new Promise((settle) => {
      if (this.#isClosed) {
        settle({ error: closedEarly(), isUnanswered: true })
        return
      }
      this.#pending = { parser: new ResponseParser(), isUnanswered: true, settle }
      this.socket.write(request)
    })
  }

  destroy(): void {
    this.#fail(closedEarly())
  }

  #read(bytes: Buffer): void {
    const pending = this.#pending
    // Unsolicited bytes must not be mistaken for the response to the next request.
    if (!pending) {
      this.destroy()
      return
    }
    const { parser } = pending
    pending.isUnanswered = false
    const isNew = parser.status === null
    parser.feed(bytes)
    if (parser.status !== null && pending.settle) {
      const isPartialError = parser.state === 'more' && !isSuccess(parser.status)
      if (!isPartialError) this.answer()
      else if (isNew) this.onPartialError()
      if (isNew) this.onStatus()
    }
    if (parser.state === 'unusable') this.#fail(notHttp())
    else if (parser.state === 'complete') this.#endRequest()
  }

  /** A connection whose response arrived before the whole request was sent cannot be used again. */
  #endRequest(): void {
    this.#pending = undefined
    if (this.socket.writableLength > 0) this.destroy()
    else this.onFree()
  }

  #fail(error: Error): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.answer()
    const pending = this.#pending
    this.#pending = undefined
    this.socket.destroy()
    pending?.settle?.({ error, isUnanswered: pending.isUnanswered })
    this.onClose()
  }
}

/** A connection being opened. */
export interface Connecting {
  readonly done: Promise<Connection>
  /** Abandons the connection; `done` is rejected unless it is already settled. */
  abandon(): void
}

function openSocket({ address, port, secureAs }: Endpoint, trust: SecureContext | undefined): Socket {
  if (secureAs === null) return nodeNet().connect({ host: address, port })
  return nodeTls().connect({
    host: address,
    port,
    secureContext: trust,
    ALPNProtocols: ['http/1.1'],
    // The certificate must be for the name or address; only a name is sent in the handshake.
    ...(!isAddress(secureAs) && { servername: secureAs }),
  })
}

/**
 * Connects to exactly this address, without name resolution or a proxy from the environment. With TLS, `done` is
 * rejected unless the certificate is trusted and belongs to the host.
 */
export function openConnection(endpoint: Endpoint, trust: SecureContext | undefined): Connecting {
  const socket = openSocket(endpoint, trust)
  const { promise, resolve, reject } = Promise.withResolvers<Connection>()
  const fail = (error: Error) => {
    socket.destroy()
    reject(error)
  }
  const close = () => fail(closedEarly())
  socket.on('error', fail).on('close', close)
  socket.once(endpoint.secureAs === null ? 'connect' : 'secureConnect', () => {
    const connection = new Connection(socket)
    socket.off('error', fail).off('close', close)
    resolve(connection)
  })
  return { done: promise, abandon: close }
}

/** Sentences about a host for the error codes of the system, of TLS and of `Connection`. */
const ERROR_SENTENCES: readonly (readonly [codes: readonly string[], sentence: (host: string) => string])[] =
  [
    [['ECONNREFUSED'], (host) => `${host} refuses connections.`],
    [
      ['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ETIMEDOUT'],
      (host) => `${host} cannot be reached from here.`,
    ],
    [['ECONNRESET', 'EPIPE'], (host) => `${host} ended the connection without an answer.`],
    [['NOT_HTTP'], (host) => `${host} answered with something that is not HTTP/1.1.`],
    [['ERR_SSL_WRONG_VERSION_NUMBER'], (host) => `${host} does not speak TLS at this port.`],
    [['ERR_TLS_CERT_ALTNAME_INVALID'], (host) => `The certificate of ${host} is for another name.`],
    [['CERT_HAS_EXPIRED'], (host) => `The certificate of ${host} has expired.`],
    [['CERT_NOT_YET_VALID'], (host) => `The certificate of ${host} is not valid yet.`],
    [
      ['DEPTH_ZERO_SELF_SIGNED_CERT'],
      (host) => `The certificate of ${host} is signed by itself, so it is not trusted.`,
    ],
    [
      ['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
      (host) => `The certificate of ${host} comes from an authority that is not trusted.`,
    ],
  ]

/** The sentence for a connection error. An unknown error is identified only by its code, never by its message. */
export function connectionError(error: unknown, host: string): string {
  const code = String((error as { code?: unknown } | undefined)?.code ?? 'unknown')
  const [, sentence] = ERROR_SENTENCES.find(([codes]) => codes.includes(code)) ?? []
  return sentence?.(`"${host}"`) ?? `The connection to "${host}" failed (${code}).`
}
