/** The limit for a head and for a body, in bytes: reading more costs more than a new connection. */
const MAX_BYTES = 65_536
/** The parts of a response that the log of deliveries stores, in bytes. */
const KEPT_HEAD_BYTES = 4_096
const KEPT_BODY_BYTES = 4_096
const KEPT_SUCCESS_BYTES = 1_024

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

interface Framing {
  /** In bytes. */
  readonly length: number | 'chunked' | 'until close'
  /** Whether the connection can carry the next request after the response. */
  readonly isReusable: boolean
}

const UNTIL_CLOSE: Framing = { length: 'until close', isReusable: false }

/** The framing of the body according to the headers. */
function framingOf(status: number, isPersistent: boolean, headers: readonly string[]): Framing {
  const lengths: string[] = []
  const codings: string[] = []
  let isReusable = isPersistent
  for (const line of headers) {
    const [, name = '', padded = ''] = FRAMING.exec(line.toLowerCase()) ?? []
    const value = padded.replace(BLANKS_AROUND, '')
    if (name === 'connection' && /\bclose\b/.test(value)) isReusable = false
    if (name === 'content-length') lengths.push(value)
    if (name === 'transfer-encoding') codings.push(value)
  }
  if (status === 204 || status === 304) return { length: 0, isReusable }
  if (codings.length + lengths.length !== 1) return UNTIL_CLOSE
  if (codings.length === 1) return codings[0] === 'chunked' ? { length: 'chunked', isReusable } : UNTIL_CLOSE
  if (!/^\d+$/.test(lengths[0] ?? '')) return UNTIL_CLOSE
  const length = Number(lengths[0])
  return { length, isReusable: isReusable && length <= MAX_BYTES }
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
    yield length
    // After the last chunk come trailers, if any, and an empty line.
    for (let line = yield 'line'; line !== ''; line = yield 'line') if (length > 0) return 'unusable'
    if (length === 0) return 'complete'
  }
}

/** The parts of a response that the log of deliveries stores. */
export interface ReceivedResponse {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Whether headers or body were longer than stored, or had not arrived completely. */
  readonly isCut: boolean
}

/**
 * Parses one response as its bytes arrive: first the status, which decides an attempt. The rest is read only as far as
 * needed to know whether the connection can be reused, and to keep the beginning of the body of an error.
 */
export class ResponseParser {
  /** The final status; interim responses (1xx) are skipped. */
  status: number | null = null
  /** The header lines read so far. */
  #headers: readonly string[] = []
  /** The first bytes of the body. */
  #kept: Buffer[] = []
  #keptBytes = 0
  /** Whether more bytes of the response serve a purpose. */
  #isAwaited = true
  #endsWithStream = false
  #isWhole = false
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
    if (rest.length > 0 || (this.state === 'more' && !this.#isAwaited)) this.state = 'unusable'
  }

  /** The receiver sends nothing more. */
  end(): void {
    if (this.#endsWithStream) this.#isWhole = true
  }

  /** The headers and the beginning of the body, as far as they have arrived. */
  get response(): ReceivedResponse {
    const headers: (readonly [string, string])[] = []
    let length = 0
    for (const line of this.#headers) {
      const colon = line.indexOf(':')
      length += line.length
      if (length > KEPT_HEAD_BYTES) break
      if (colon > 0) headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()])
    }
    const most = isSuccess(this.status ?? 0) ? KEPT_SUCCESS_BYTES : KEPT_BODY_BYTES
    const bytes = Buffer.concat(this.#kept).subarray(0, most)
    // Without the last bytes, if they are a part of a character.
    const body = new TextDecoder().decode(bytes, { stream: true })
    const isCut = !this.#isWhole || length > KEPT_HEAD_BYTES || this.#keptBytes > most
    return { headers, body, isCut }
  }

  *#readResponse(): Generator<Wanted, End, string> {
    for (;;) {
      const [, minor, digits] = STATUS_LINE.exec(yield 'status line') ?? []
      if (digits === undefined) return 'unusable'
      const status = Number(digits)
      const headers: string[] = []
      if (!isInterim(status)) {
        this.status = status
        this.#headers = headers
      }
      for (let line = yield 'line'; line !== ''; line = yield 'line') headers.push(line)
      if (isInterim(status)) continue
      this.#bytes = 0
      if (status === SWITCHING_PROTOCOLS) return 'unusable'
      const framing = framingOf(status, minor === '1', headers)
      this.#isAwaited = framing.isReusable || !isSuccess(status)
      return yield* this.#readBody(framing)
    }
  }

  *#readBody({ length, isReusable }: Framing): Generator<Wanted, End, string> {
    if (length === 'until close') {
      this.#endsWithStream = true
      yield KEPT_BODY_BYTES + 1
      return 'unusable'
    }
    if (length === 'chunked') {
      if ((yield* skipChunks()) === 'unusable') return 'unusable'
    } else if (length > 0) yield isReusable ? length : Math.min(length, KEPT_BODY_BYTES + 1)
    this.#isWhole = true
    return isReusable ? 'complete' : 'unusable'
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
