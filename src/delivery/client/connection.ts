import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectSecure, type SecureContext } from 'node:tls'
import { isAddress } from './address-ranges.ts'

/** The limit for a head and for a body: reading more costs more than a new connection. */
const MAX_BYTES = 65_536

const LINE_FEED = 0x0a
const EMPTY = Buffer.alloc(0)

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [^\r]*)?$/
const STATUS_LINE_START = /^HTTP\/1\.[01] [1-9]\d\d[ \r]/
const STATUS_LINE_SAMPLE = 'HTTP/1.1 200 '
const SWITCHING_PROTOCOLS = 101

/** Whether the beginning of a line may become a status line. */
const mayBeStatusLine = (line: string): boolean =>
  STATUS_LINE_START.test(line + STATUS_LINE_SAMPLE.slice(line.length))

const isInterim = (status: number) => status < 200 && status !== SWITCHING_PROTOCOLS

/** RFC 9112, section 7.1: a chunk's size in hexadecimal; a chunk of size 0 and trailers end the body. */
const CHUNK_SIZE = /^([0-9a-fA-F]{1,6})[ \t]*(?:;.*)?$/

/** The headers that determine the length of the body and whether the connection stays open. */
const FRAMING = /^(content-length|transfer-encoding|connection):(.*)$/s

const BLANKS_AROUND = /^[ \t]+|(?<![ \t])[ \t]+$/g

/** The length of the body by its headers; `unknown` when the connection cannot be used after it. */
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

/**
 * Parses one HTTP/1.x response as its bytes arrive: first its status, which decides an attempt, then the rest as far as
 * needed to know whether the connection can be used again. The body is dropped.
 */
export class ResponseParser {
  /** The final status; interim responses (1xx) are skipped. */
  status: number | null = null
  /** `complete`: the connection can carry the next request. `unusable`: it must be closed. */
  state: 'more' | 'complete' | 'unusable' = 'more'
  /** The bytes read so far of the head, or of the body, without line feeds. */
  #bytes = 0
  /** The bytes left until the next line of a chunked body, or until the end of the body. */
  #left = 0
  /** The pieces of the line that is being read. */
  #line: string[] = []
  #lineLength = 0
  #takeLine = this.#takeStatusLine
  #isPersistent = false
  #isChunked = false
  #headers: string[] = []

  feed(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0 && this.state === 'more') {
      rest = this.#left > 0 ? this.#skip(rest) : this.#read(rest)
    }
    if (rest.length > 0) this.state = 'unusable'
  }

  #skip(bytes: Buffer): Buffer {
    const skipped = Math.min(this.#left, bytes.length)
    this.#left -= skipped
    if (this.#left === 0 && !this.#isChunked) this.state = 'complete'
    this.#count(skipped)
    return bytes.subarray(skipped)
  }

  /** A line is parsed once, when it is complete, so that one that arrives byte by byte costs no more. */
  #read(bytes: Buffer): Buffer {
    const end = bytes.indexOf(LINE_FEED)
    const piece = bytes.toString('latin1', 0, end === -1 ? bytes.length : end)
    const wasShort = this.#lineLength < STATUS_LINE_SAMPLE.length
    this.#line.push(piece)
    this.#lineLength += piece.length
    this.#count(piece.length)
    if (end === -1) {
      const isStatusLine = this.#takeLine === this.#takeStatusLine
      if (isStatusLine && wasShort && !mayBeStatusLine(this.#line.join(''))) this.state = 'unusable'
      return EMPTY
    }
    const line = this.#line.join('').replace(/\r$/, '')
    this.#line = []
    this.#lineLength = 0
    this.#takeLine(line)
    return bytes.subarray(end + 1)
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > MAX_BYTES) this.state = 'unusable'
  }

  #takeStatusLine(line: string): void {
    const [, minor, digits] = STATUS_LINE.exec(line) ?? []
    if (digits === undefined) {
      this.state = 'unusable'
      return
    }
    if (!isInterim(Number(digits))) this.status = Number(digits)
    this.#isPersistent = minor === '1'
    this.#takeLine = this.#takeHeader
  }

  #takeHeader(line: string): void {
    if (line !== '') this.#headers.push(line)
    else if (this.status !== null) this.#endHead(this.status)
    else {
      this.#headers = []
      this.#takeLine = this.#takeStatusLine
    }
  }

  #endHead(status: number): void {
    this.#bytes = 0
    const body = this.#isPersistent && status >= 200 ? bodyLength(status, this.#headers) : 'unknown'
    this.#isChunked = body === 'chunked'
    if (body === 'unknown') this.state = 'unusable'
    else if (body === 'chunked') this.#takeLine = this.#takeChunkSize
    else if (body === 0) this.state = 'complete'
    else this.#left = body
  }

  #takeChunkSize(line: string): void {
    const [, size] = CHUNK_SIZE.exec(line) ?? []
    if (size === undefined) this.state = 'unusable'
    this.#left = Number.parseInt(size ?? '0', 16)
    this.#takeLine = this.#left > 0 ? this.#takeChunkEnd : this.#takeTrailer
  }

  #takeChunkEnd(line: string): void {
    if (line !== '') this.state = 'unusable'
    this.#takeLine = this.#takeChunkSize
  }

  #takeTrailer(line: string): void {
    if (line === '') this.state = 'complete'
  }
}

/** Where a connection goes: a checked address, and the name that its certificate must be for. */
export interface Endpoint {
  readonly address: string
  readonly port: number
  /** The host of the URL; null without TLS. */
  readonly secureAs: string | null
}

/** A request to an endpoint may go over any connection of the same key. */
export const endpointKey = ({ address, port, secureAs }: Endpoint): string =>
  `${address} ${port} ${secureAs ?? ''}`

/** The result of one request. */
export type SendResult =
  | { readonly status: number }
  /** There is no status; `isUnanswered` when not one byte of a response arrived. */
  | { readonly error: Error; readonly isUnanswered: boolean }

/** A request whose response has not been read to its end. */
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
  /** Called when a response has been read to its end, so that the connection can carry the next request. */
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

  /** Sends the text of a request; resolves as soon as the status is known, and never rejects. */
  send(request: string): Promise<SendResult> {
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
    // Bytes that no request asked for must not be taken for the response to the next one.
    if (!pending) {
      this.destroy()
      return
    }
    const { parser } = pending
    pending.isUnanswered = false
    parser.feed(bytes)
    if (parser.status !== null && pending.settle) {
      pending.settle({ status: parser.status })
      pending.settle = undefined
      this.onStatus()
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
    const pending = this.#pending
    this.#pending = undefined
    this.socket.destroy()
    pending?.settle?.({ error, isUnanswered: pending.isUnanswered })
    this.onClose()
  }
}

/** A connection that is being opened. */
export interface Connecting {
  readonly done: Promise<Connection>
  /** Gives up; `done` is rejected unless it is settled already. */
  abandon(): void
}

function openSocket({ address, port, secureAs }: Endpoint, trust: SecureContext | undefined): Socket {
  if (secureAs === null) return connectPlain({ host: address, port })
  return connectSecure({
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

const quoted = (host: string) => `"${host}"`

/** What the error codes of the system, of TLS and of `Connection` mean. */
const ERROR_SENTENCES: Record<string, (host: string) => string> = {
  ECONNREFUSED: (host) => `${quoted(host)} refuses connections.`,
  EHOSTUNREACH: (host) => `${quoted(host)} cannot be reached from here.`,
  ENETUNREACH: (host) => `${quoted(host)} cannot be reached from here.`,
  EADDRNOTAVAIL: (host) => `${quoted(host)} cannot be reached from here.`,
  ETIMEDOUT: (host) => `${quoted(host)} cannot be reached from here.`,
  ECONNRESET: (host) => `${quoted(host)} ended the connection without an answer.`,
  EPIPE: (host) => `${quoted(host)} ended the connection without an answer.`,
  NOT_HTTP: (host) => `${quoted(host)} answered with something that is not HTTP/1.1.`,
  ERR_SSL_WRONG_VERSION_NUMBER: (host) => `${quoted(host)} does not speak TLS at this port.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `The certificate of ${quoted(host)} is for another name.`,
  CERT_HAS_EXPIRED: (host) => `The certificate of ${quoted(host)} has expired.`,
  CERT_NOT_YET_VALID: (host) => `The certificate of ${quoted(host)} is not valid yet.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) =>
    `The certificate of ${quoted(host)} is signed by itself, so it is not trusted.`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) =>
    `The certificate of ${quoted(host)} comes from an authority that is not trusted.`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) =>
    `The certificate of ${quoted(host)} comes from an authority that is not trusted.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) =>
    `The certificate of ${quoted(host)} comes from an authority that is not trusted.`,
}

/** The sentence for an error of a connection. An unknown error is named only by its code, never by its message. */
export function connectionError(error: unknown, host: string): string {
  const code = String((error as { code?: unknown } | undefined)?.code ?? 'unknown')
  return ERROR_SENTENCES[code]?.(host) ?? `The connection to ${quoted(host)} failed (${code}).`
}
