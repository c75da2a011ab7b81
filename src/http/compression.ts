import { promisify } from 'node:util'
import { constants, createGzip, createZstdCompress, gzip, zstdCompress } from 'node:zlib'
import { encodedTag } from '../lib/entity-tags.ts'
import { isStreamed, streamedResponse } from '../lib/response-stream.ts'
import type { Exchange } from './exchange.ts'
import { knownBody, responseWithText } from './responses.ts'

/*
 * Compressed responses (RFC 9110, section 12.5.3). Never compressed: event streams, ranges, the bytes of files, and
 * responses with a secret, because their length would reveal parts of it to a page that chooses other parts (BREACH).
 */

type Coding = 'zstd' | 'gzip'

/** Smaller bodies are sent as they are: the headers would cost more than they save. */
const MIN_BYTES = 1_024
/** Larger bodies are compressed in a thread of the runtime. */
const LARGE_BYTES = 65_536

/** JSON, NDJSON, XML, SVG, YAML, JavaScript and texts. */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|x-ndjson|jsonl|xml|yaml|javascript)\b)/i

/** The coding that `Accept-Encoding` prefers, zstd among equals; undefined for an uncompressed response. */
export function acceptedCoding(header: string): Coding | undefined {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const [, weight = '1'] = /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(parameters[0] ?? '') ?? []
    if (name !== '') weights.set(name, Number(weight))
  }
  const any = weights.get('*') ?? 0
  const weightOf = (coding: Coding) => weights.get(coding) ?? (coding === 'zstd' ? any : 0)
  const best = weightOf('gzip') > weightOf('zstd') ? 'gzip' : 'zstd'
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}

function isCompressible(exchange: Exchange, { status, headers }: Response): boolean {
  return (
    status !== 206 &&
    status !== 304 &&
    !exchange.hasSecret &&
    !headers.has('Content-Encoding') &&
    !headers.has('Accept-Ranges') &&
    COMPRESSIBLE.test(headers.get('Content-Type') ?? '')
  )
}

/** Compresses a response if its request accepts that. */
export function compressed(exchange: Exchange, response: Response): Response | Promise<Response> {
  const body = knownBody(response)
  if (body !== undefined && body.length < MIN_BYTES) return response
  if (!isCompressible(exchange, response)) return response
  response.headers.append('Vary', 'Accept-Encoding')
  const coding = acceptedCoding(exchange.request.headers.get('accept-encoding') ?? '')
  if (coding === undefined) return response
  if (isStreamed(response)) return streamedResponse(streamOf(response, coding), encodedInit(response, coding))
  if (body !== undefined) return withCompressed(response, coding, body)
  return response.arrayBuffer().then((bytes) => withCompressed(response, coding, new Uint8Array(bytes)))
}

function withCompressed(
  response: Response,
  coding: Coding,
  body: string | Uint8Array<ArrayBuffer>,
): Response | Promise<Response> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  if (bytes.length < MIN_BYTES) return new Response(bytes, response)
  if (bytes.length <= LARGE_BYTES) return withBody(response, coding, BRIEF[coding](bytes))
  return LONG[coding](bytes).then((shorter) => withBody(response, coding, new Uint8Array(shorter)))
}

const BRIEF: Readonly<Record<Coding, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>>> = {
  zstd: (bytes) => new Uint8Array(Bun.zstdCompressSync(bytes)),
  gzip: (bytes) => Bun.gzipSync(bytes),
}

const LONG = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }

const withBody = (response: Response, coding: Coding, body: Uint8Array<ArrayBuffer>): Response =>
  responseWithText(body, encodedInit(response, coding))

function encodedInit({ status, headers: before }: Response, coding: Coding): ResponseInit {
  const headers = new Headers(before)
  headers.set('Content-Encoding', coding)
  headers.delete('Content-Length')
  const tag = headers.get('ETag')
  if (tag !== null) headers.set('ETag', encodedTag(tag, coding))
  return { status, headers }
}

const STREAMS = {
  zstd: () => ({ stream: createZstdCompress(), flush: constants.ZSTD_e_flush }),
  gzip: () => ({ stream: createGzip(), flush: constants.Z_SYNC_FLUSH }),
}

/** The compressed body. Each part is flushed before the next one is awaited, so that nothing is held back. */
function streamOf({ body }: Response, coding: Coding): ReadableStream<Uint8Array> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const { stream, flush } = STREAMS[coding]()
  let parts: Uint8Array[] = []
  stream.on('data', (part: Uint8Array) => void parts.push(part))
  const taken = () => {
    const bytes = new Uint8Array(Buffer.concat(parts))
    parts = []
    return bytes
  }
  const flushed = (part: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stream.once('error', reject)
      stream.write(part)
      stream.flush(flush, () => {
        stream.off('error', reject)
        resolve()
      })
    })
  const ended = () =>
    new Promise<void>((resolve, reject) => {
      stream.once('error', reject).once('end', resolve).end()
    })
  return new ReadableStream(
    {
      async pull(controller) {
        let bytes = taken()
        while (bytes.length === 0) {
          const { value, done } = await reader.read()
          if (done) await ended()
          else await flushed(value)
          bytes = taken()
          if (bytes.length > 0) controller.enqueue(bytes)
          if (done) return controller.close()
        }
      },
      async cancel(reason) {
        stream.destroy()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
