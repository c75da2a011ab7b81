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
const FRAMING = /^(content-length|transfer-encoding|connection):[ \t]*(.*?)[ \t]*$/

/** The length of the body by its headers; `unknown` when the connection cannot be used after it. */
function bodyLength(status: number, headers: readonly string[]): number | 'chunked' | 'unknown' {
  const lengths: string[] = []
  const codings: string[] = []
  for (const line of headers) {
    const [, name = '', value = ''] = FRAMING.exec(line.toLowerCase()) ?? []
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
