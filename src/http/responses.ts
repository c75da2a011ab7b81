import { requesterKey } from '../db/worker/client.ts'
import { addressGroup } from '../lib/address-group.ts'
import { Admission } from '../lib/admission.ts'
import { Refusal } from '../refusal.ts'
import { byteStream } from './byte-stream.ts'
import type { Exchange } from './exchange.ts'
import { markStreamed } from './streamed.ts'

/** JSON as text, or as its bytes. */
export type JsonBody = string | Uint8Array<ArrayBuffer>

const LONG_TEXT = 65_536

/** JSON text, encoded if it is long: what a worker returns is sent as it is. */
export function encoded(text: string): JsonBody {
  return text.length > LONG_TEXT ? new TextEncoder().encode(text) : text
}

const NO_SNIFF = 'X-Content-Type-Options'
const RESOURCE_POLICY = 'Cross-Origin-Resource-Policy'

/** Those of most responses; made once, because a copy of them costs less than each of them. */
const JSON_HEADERS = new Headers([
  ['Content-Type', 'application/json;charset=utf-8'],
  [NO_SNIFF, 'nosniff'],
  ['Cache-Control', 'no-store'],
  [RESOURCE_POLICY, 'same-origin'],
])

export const isJson = (headers: Headers): boolean =>
  /^application\/(?:problem\+)?json\b/.test(headers.get('Content-Type') ?? '')

/**
 * Adds what every response has: no browser may guess another type, keep what is JSON, or give it to another site, unless
 * the response says that it may.
 */
export function addSafeHeaders(headers: Headers): void {
  if (headers.has(NO_SNIFF)) return
  headers.set(NO_SNIFF, 'nosniff')
  if (!isJson(headers)) return
  headers.set('Cache-Control', 'no-store')
  if (!headers.has(RESOURCE_POLICY)) headers.set(RESOURCE_POLICY, 'same-origin')
}

/** A response whose body is JSON already. */
export const jsonResponse = (body: JsonBody, status = 200): Response =>
  responseWithText(body, { status, headers: JSON_HEADERS })

/** The response to a creation; `replayed`: it was saved for the same request before. */
export function createdResponse(body: JsonBody, replayed: boolean, status = 201): Response {
  const response = jsonResponse(body, status)
  if (replayed) response.headers.set('Idempotent-Replayed', 'true')
  return response
}

/**
 * A response `{"<name>": [...]}` whose items come in parts. The first part is taken at once, and what it refuses is
 * refused; if others follow, each is taken when the client has received those before it, with time between them for
 * other requests.
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
  const body = byteStream(exchange, {
    next: async () => {
      while (text === '' && !next.done) {
        await new Promise((resolve) => setImmediate(resolve))
        takePart()
      }
      if (text === '') return undefined
      const bytes = encoder.encode(text)
      text = ''
      return bytes
    },
    close: () => void parts.return?.(),
  })
  return markStreamed(new Response(body, { headers: JSON_HEADERS }))
}

/*
 * The part of a response that its client has not read yet stays in memory. For large responses that is bounded, so that
 * clients that do not read take none from the others.
 */

const MEBIBYTE = 1_048_576

/** A smaller response is sent as a whole. */
export const LARGE_BYTES = MEBIBYTE

const PART_BYTES = 262_144
const RETRY_AFTER_SECONDS = 5

export const noRoom = () =>
  new Refusal(
    'unavailable',
    'Too many large responses have not been read yet; read them first, or ask for less at once.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )

/** Responses to callers, by key or session, and to visitors without either, by address: they take nothing from callers. */
export interface Untaken {
  readonly callers: Admission
  readonly visitors: Admission
}

export const newUntaken = (): Untaken => ({
  callers: new Admission({ most: 512 * MEBIBYTE, mostPerKey: 192 * MEBIBYTE, refusal: noRoom }),
  visitors: new Admission({ most: 128 * MEBIBYTE, mostPerKey: 16 * MEBIBYTE, refusal: noRoom }),
})

const BODY = Symbol('body')

/** A response to which `withBody` gives its body if that is large. */
export function responseWithText(body: string | Uint8Array<ArrayBuffer>, init: ResponseInit): Response {
  if (body.length <= LARGE_BYTES) return new Response(body, init)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return Object.assign(new Response(null, init), { [BODY]: bytes })
}

/**
 * The response with its body. The parts of a large response to a read are handed over one by one, as the client takes them;
 * the response to a write is never refused.
 */
export function withBody(exchange: Exchange, response: Response, untaken: Untaken): Response {
  let { [BODY]: bytes } = response as { [BODY]?: Uint8Array<ArrayBuffer> }
  if (!bytes) return response
  const { request, caller } = exchange
  const { status, headers } = response
  const isRead = request.method === 'GET' || (request.method === 'POST' && caller?.isFulfilled === false)
  if (!isRead) return new Response(bytes, { status, headers })
  const release = caller
    ? untaken.callers.hold(requesterKey(caller), bytes.byteLength)
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
  // A client may go away before the first part is asked for.
  request.signal.addEventListener('abort', close)
  if (request.signal.aborted) close()
  return markStreamed(new Response(byteStream(exchange, { next, close }), { status, headers }))
}
