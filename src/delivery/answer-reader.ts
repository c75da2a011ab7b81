const MOST_HEAD_BYTES = 65_536
/** A longer body costs more than a new connection. */
const MOST_BODY_BYTES = 65_536

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [^\r\n]*)?\r?\n/
const STATUS_LINE_START = /^HTTP\/1\.[01] [1-9]\d\d[ \r\n]/
const STATUS_LINE_SAMPLE = 'HTTP/1.1 200 '
const INTERIM_ANSWER = /^HTTP\/1\.[01] 1(?!01)\d\d[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n/
const HEAD_END = /\r?\n\r?\n/
const SWITCHING_PROTOCOLS = 101

/** Whether it is, or may still become, the beginning of an answer. */
const mayBeStatusLine = (head: string): boolean =>
  STATUS_LINE_START.test(head + STATUS_LINE_SAMPLE.slice(head.length))

function withoutInterim(head: string): string {
  let rest = head
  while (INTERIM_ANSWER.test(rest)) rest = rest.replace(INTERIM_ANSWER, '')
  return rest
}

const isInterim = (status: number) => status < 200 && status !== SWITCHING_PROTOCOLS

/** A body whose end can be told. */
interface Body {
  skip(bytes: Buffer): 'more' | 'complete' | 'spoiled'
}

const knownLength = (length: number): Body => ({
  skip: (bytes) => {
    length -= bytes.length
    if (length < 0) return 'spoiled'
    return length === 0 ? 'complete' : 'more'
  },
})

/** RFC 9112, section 7.1: sizes in hexadecimal, each before so many bytes; 0 and any trailers end the body. */
const CHUNK = /^([0-9a-fA-F]{1,6})[ \t]*(?:;[^\r\n]*)?\r?\n/
const LAST_CHUNK = /^0+[ \t]*(?:;[^\r\n]*)?\r?\n(?:[^\r\n]+\r?\n)*\r?\n/

/** Keeps the whole body, which is small, and looks at it anew whenever more of it came. */
function chunked(): Body {
  let text = ''
  const skip = (bytes: Buffer) => {
    text += bytes.toString('latin1')
    for (;;) {
      const last = LAST_CHUNK.exec(text)
      if (last) return last[0].length === text.length ? 'complete' : 'spoiled'
      const [line, size = ''] = CHUNK.exec(text) ?? []
      const end = (line?.length ?? 0) + Number.parseInt(size, 16)
      if (line === undefined || Number.parseInt(size, 16) === 0) return 'more'
      const lineBreak = /^\r?\n/.exec(text.slice(end, end + 2))
      if (!lineBreak) return text.length < end + 2 ? 'more' : 'spoiled'
      text = text.slice(end + lineBreak[0].length)
    }
  }
  return { skip }
}

/** The headers that tell how long the body is, and whether another answer may follow. */
const FRAMING = /^(content-length|transfer-encoding|connection):[ \t]*(.*?)[ \t]*\r?$/

function bodyOf(status: number, head: string): Body | 'none' | 'unknown' {
  const lengths: string[] = []
  const codings: string[] = []
  for (const line of head.split('\n')) {
    const [, name = '', value = ''] = FRAMING.exec(line.toLowerCase()) ?? []
    if (name === 'connection' && /\bclose\b/.test(value)) return 'unknown'
    if (name === 'content-length') lengths.push(value)
    if (name === 'transfer-encoding') codings.push(value)
  }
  if (status === 204 || status === 304) return 'none'
  if (codings.length + lengths.length !== 1) return 'unknown'
  if (codings.length === 1) return codings[0] === 'chunked' ? chunked() : 'unknown'
  const length = /^\d{1,9}$/.test(lengths[0] ?? '') ? Number(lengths[0]) : Number.NaN
  if (length === 0) return 'none'
  return length <= MOST_BODY_BYTES ? knownLength(length) : 'unknown'
}

/**
 * Reads one HTTP/1.x answer as its bytes come: first its status, which decides an attempt, then as much of the
 * rest as tells whether the connection can be used again. The body is dropped.
 */
export class AnswerReader {
  /** The status of the answer itself; interim answers (1xx) are passed over. */
  status: number | null = null
  /** `complete`: the next answer may follow. `spoiled`: no use can be made of what follows. */
  state: 'more' | 'complete' | 'spoiled' = 'more'
  #head = ''
  #headBytes = 0
  #body: Body | undefined
  #bodyBytes = 0

  feed(bytes: Buffer): void {
    if (this.state !== 'more') this.state = 'spoiled'
    else if (this.#body) this.#skip(this.#body, bytes)
    else this.#readHead(bytes)
  }

  #readHead(bytes: Buffer): void {
    this.#headBytes += bytes.length
    this.#head = withoutInterim(this.#head + bytes.toString('latin1'))
    const [line, minor, digits] = STATUS_LINE.exec(this.#head) ?? []
    const status = Number(digits)
    if (line !== undefined && !isInterim(status)) this.status = status
    const end = HEAD_END.exec(this.#head)
    if (this.status !== null && end) {
      const head = this.#head.slice(0, end.index)
      this.#endHead(status, minor === '1', head, this.#head.slice(end.index + end[0].length))
    } else if (this.#headBytes > MOST_HEAD_BYTES || !mayBeStatusLine(this.#head)) {
      this.state = 'spoiled'
    }
  }

  #endHead(status: number, isPersistent: boolean, head: string, rest: string): void {
    this.#head = ''
    const body = isPersistent && status >= 200 ? bodyOf(status, head) : 'unknown'
    if (body === 'unknown') this.state = 'spoiled'
    else if (body === 'none') this.state = rest === '' ? 'complete' : 'spoiled'
    else {
      this.#body = body
      if (rest !== '') this.#skip(body, Buffer.from(rest, 'latin1'))
    }
  }

  #skip(body: Body, bytes: Buffer): void {
    this.#bodyBytes += bytes.length
    this.state = this.#bodyBytes > MOST_BODY_BYTES ? 'spoiled' : body.skip(bytes)
  }
}
