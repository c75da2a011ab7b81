import { callerKeyOf } from '../kernel/caller.ts'
import { readFairly } from '../kernel/fair-share.ts'
import { addressGroup } from '../lib/address-group.ts'
import { Admission } from '../lib/admission.ts'
import { acceptedCoding, type Coding, compress, compressStream } from '../lib/content-coding.ts'
import { encodedTag, entityTag, isCurrent } from '../lib/entity-tags.ts'
import { Refusal } from '../lib/refusal.ts'
import {
  type ByteParts,
  ByteStream,
  isStreamed,
  type StallLimit,
  streamedResponse,
} from '../lib/response-stream.ts'
import type { Exchange } from './exchange.ts'
import { closedSentence } from './sse.ts'

/** JSON as text or as bytes. */
export type JsonBody = string | Uint8Array<ArrayBuffer>

export const JSON_TYPE = 'application/json;charset=utf-8'
const NO_SNIFF = 'X-Content-Type-Options'
const RESOURCE_POLICY = 'Cross-Origin-Resource-Policy'

/** The headers of most responses, created once, because a copy is cheaper than setting each. */
const JSON_HEADERS = new Headers([
  ['Content-Type', JSON_TYPE],
  [NO_SNIFF, 'nosniff'],
  ['Cache-Control', 'no-store'],
  [RESOURCE_POLICY, 'same-origin'],
])
/** The headers of JSON that may be compressed. */
const VARYING_HEADERS = new Headers([...JSON_HEADERS, ['Vary', 'Accept-Encoding']])

export const isJson = (headers: Headers): boolean =>
  /^application\/(?:problem\+)?json\b/.test(headers.get('Content-Type') ?? '')

/**
 * Adds the security headers of every response: browsers must not guess another type, and must neither cache JSON nor
 * expose it to other sites, unless the response allows it.
 */
export function addSafeHeaders(headers: Headers): void {
  if (headers.has(NO_SNIFF)) return
  headers.set(NO_SNIFF, 'nosniff')
  if (!isJson(headers)) return
  headers.set('Cache-Control', 'no-store')
  if (!headers.has(RESOURCE_POLICY)) headers.set(RESOURCE_POLICY, 'same-origin')
}

/** A response whose body is already JSON. */
export function jsonResponse(body: JsonBody, status = 200): Response {
  if (body.length < MIN_COMPRESSED_BYTES) return responseWithText(body, { status, headers: JSON_HEADERS })
  const response = responseWithText(body, { status, headers: VARYING_HEADERS })
  response[IS_VARYING] = true
  return response
}

/** The response to a read of one object: with its entity tag, and without its body if the client has it already. */
export function entityResponse(request: Request, body: JsonBody, tag = entityTag(body)): Response {
  const isKnown = isCurrent(request, tag)
  const response = isKnown
    ? new Response(null, {
        status: 304,
        headers: { 'Cache-Control': 'no-store', Vary: 'Accept-Encoding' },
      })
    : jsonResponse(body)
  response.headers.set('ETag', tag)
  return response
}

/** The response to a creation; `replayed` if it was stored for an equal earlier request. */
export function createdResponse(body: JsonBody, replayed: boolean, status = 201): Response {
  const response = jsonResponse(body, status)
  if (replayed) response.headers.set('Idempotent-Replayed', 'true')
  return response
}

/**
 * A response `{"<name>": [...]}` whose items come in parts. The first part is read at once, and its refusal is the
 * response. Each further part is read once the client has received those before it, with time between them for other
 * requests.
 */
export function listResponse<Item>(
  exchange: Pick<Exchange, 'onRightEnd'>,
  name: string,
  parts: Iterator<readonly Item[], void>,
  present: (item: Item) => object,
): Response {
  let text = `{"${name}":[`
  let separator = ''
  let next = parts.next()
  const takePart = (): void => {
    const items = next.done ? [] : next.value.map((item) => JSON.stringify(present(item)))
    if (items.length > 0) {
      text += separator + items.join(',')
      separator = ','
    }
    next = parts.next()
    if (next.done) text += ']}'
  }
  takePart()
  if (next.done) return jsonResponse(text)
  const encoder = new TextEncoder()
  const body = {
    next: async () => {
      while (text === '' && !next.done) await readFairly(takePart)
      if (text === '') return undefined
      const bytes = encoder.encode(text)
      text = ''
      return bytes
    },
    close: () => void parts.return?.(),
  }
  return partsResponse(exchange, body, { headers: JSON_HEADERS })
}

/**
 * A response that is generated while it is sent. It is aborted, so that the client notices missing bytes, in three
 * cases. The reader's permission ends, a part cannot be read, or the client stalls beyond the limit.
 */
export function partsResponse(
  exchange: Pick<Exchange, 'onRightEnd'>,
  parts: ByteParts,
  init: ResponseInit,
  stallLimit?: StallLimit,
): Response {
  let isOver = false
  let stopListening = () => {}
  const close = (reason: unknown) => {
    isOver = true
    stopListening()
    parts.close?.(reason)
  }
  const sendNext = async () => {
    try {
      const part = await parts.next()
      if (part) stream.send(part)
      else stream.end()
    } catch (error) {
      stream.abort(error as Error)
    }
  }
  const stream = new ByteStream({ request: () => void sendNext(), close }, { stallLimit })
  stopListening = exchange.onRightEnd((why) => stream.abort(new Error(closedSentence(why))))
  if (isOver) stopListening()
  return streamedResponse(stream.body, init)
}

/*
 * The unread part of a response stays in memory. For large responses this memory is bounded, so that clients that do
 * not read leave enough for others.
 */

const MEBIBYTE = 1_048_576

/** The size in bytes up to which responses are sent as a whole. */
export const LARGE_BYTES = MEBIBYTE

const PART_BYTES = 262_144
const RETRY_AFTER_SECONDS = 5

export const tooManyUnread = () =>
  new Refusal(
    'unavailable',
    'Too many large responses are still unread; read them first, or request less at once.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )

/**
 * The limits for responses to callers, by key or session, and to visitors without either, by address. Visitors use a
 * separate limit, so that they take no memory from callers.
 */
export interface ResponseBudget {
  readonly callers: Admission
  readonly visitors: Admission
}

export const newResponseBudget = (): ResponseBudget => ({
  callers: new Admission({ most: 512 * MEBIBYTE, mostPerKey: 192 * MEBIBYTE, refusal: tooManyUnread }),
  visitors: new Admission({ most: 128 * MEBIBYTE, mostPerKey: 16 * MEBIBYTE, refusal: tooManyUnread }),
})

const BODY = Symbol('body')
const IS_VARYING = Symbol('isVarying')

/** The properties are assigned one by one, which is cheaper than `Object.assign`. */
interface MarkedResponse extends Response {
  [BODY]?: JsonBody
  /** Whether its headers are `VARYING_HEADERS`; it may be compressed unless it has a secret. */
  [IS_VARYING]?: boolean
}

/** A response whose body `knownBody` returns. A large body is added by `withBody`. */
export function responseWithText(body: JsonBody, init: ResponseInit): MarkedResponse {
  const isLarge = body.length > LARGE_BYTES
  const response: MarkedResponse = new Response(isLarge ? null : body, init)
  response[BODY] = isLarge && typeof body === 'string' ? new TextEncoder().encode(body) : body
  return response
}

/** The body of a response from `responseWithText`, without reading it. */
export const knownBody = (response: MarkedResponse): JsonBody | undefined => response[BODY]

/**
 * The response with its body. A large response to a read is passed on in parts as the client accepts them; the response
 * to a write is never refused.
 */
export function withBody(exchange: Exchange, response: Response, untaken: ResponseBudget): Response {
  const body = knownBody(response)
  if (body === undefined || body.length <= LARGE_BYTES) return response
  let bytes: Uint8Array<ArrayBuffer> | undefined = body as Uint8Array<ArrayBuffer>
  const { request, caller } = exchange
  const { status, headers } = response
  const isRead = request.method === 'GET' || (request.method === 'POST' && caller && !exchange.isFulfilled)
  if (!isRead) return new Response(bytes, { status, headers })
  const release = caller
    ? untaken.callers.hold(callerKeyOf(caller), bytes.byteLength)
    : untaken.visitors.hold(addressGroup(exchange.address), bytes.byteLength)
  let at = 0
  const close = () => {
    bytes = undefined
    request.signal.removeEventListener('abort', close)
    release()
  }
  const next = async () => {
    const part = bytes?.subarray(at, at + PART_BYTES)
    at += PART_BYTES
    return part && part.length > 0 ? part : undefined
  }
  // The client may disconnect before the first part is requested.
  request.signal.addEventListener('abort', close)
  if (request.signal.aborted) close()
  return partsResponse(exchange, { next, close }, { status, headers })
}

/*
 * Compressed responses (RFC 9110, section 12.5.3). Never compressed: event streams, ranges, the bytes of files, and
 * responses with a secret, because their length would reveal parts of it to a page that chooses other parts (BREACH).
 */

/** Smaller bodies are sent as they are: the headers would cost more than they save. */
const MIN_COMPRESSED_BYTES = 1_024

/** JSON, NDJSON, XML, SVG, YAML, JavaScript and texts. */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|x-ndjson|jsonl|xml|yaml|javascript)\b)/i

const isCompressible = (exchange: Exchange, { status, headers }: Response): boolean =>
  status !== 206 &&
  status !== 304 &&
  !exchange.hasSecret &&
  !headers.has('Content-Encoding') &&
  !headers.has('Accept-Ranges') &&
  COMPRESSIBLE.test(headers.get('Content-Type') ?? '')

/** A text is as long in bytes as in characters, or longer. */
const isSmall = (body: JsonBody): boolean =>
  body.length < MIN_COMPRESSED_BYTES && Buffer.byteLength(body) < MIN_COMPRESSED_BYTES

function withoutVary(response: Response): Response {
  response.headers.delete('Vary')
  return response
}

/** Compresses a response if its request accepts that. */
export function compressed(exchange: Exchange, response: MarkedResponse): Response | Promise<Response> {
  const body = knownBody(response)
  if (body !== undefined && isSmall(body)) return response
  if (response[IS_VARYING]) {
    if (exchange.hasSecret) return withoutVary(response)
  } else if (isCompressible(exchange, response)) response.headers.append('Vary', 'Accept-Encoding')
  else return response
  const accepted = exchange.request.headers.get('accept-encoding')
  const coding = accepted === null ? undefined : acceptedCoding(accepted)
  if (coding === undefined) return response
  if (isStreamed(response)) {
    const stream = compressStream(coding, response.body as ReadableStream<Uint8Array>)
    return streamedResponse(stream, encodedInit(response, coding))
  }
  if (body !== undefined) return withCompressed(response, coding, body)
  return response.arrayBuffer().then((bytes) => withCompressed(response, coding, new Uint8Array(bytes)))
}

function withCompressed(response: Response, coding: Coding, body: JsonBody): Response | Promise<Response> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  if (bytes.length < MIN_COMPRESSED_BYTES) return new Response(bytes, response)
  const withBytes = (shorter: Uint8Array<ArrayBuffer>) =>
    responseWithText(shorter, encodedInit(response, coding))
  const shorter = compress(coding, bytes)
  return shorter instanceof Promise ? shorter.then(withBytes) : withBytes(shorter)
}

function encodedInit({ status, headers: before }: Response, coding: Coding): ResponseInit {
  const headers = new Headers(before)
  headers.set('Content-Encoding', coding)
  headers.delete('Content-Length')
  const tag = headers.get('ETag')
  if (tag !== null) headers.set('ETag', encodedTag(tag, coding))
  return { status, headers }
}
