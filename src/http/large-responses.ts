import { requesterKey } from '../db/worker/client.ts'
import { addressGroup } from '../lib/address-group.ts'
import { Admission } from '../lib/admission.ts'
import { Refusal } from '../refusal.ts'
import { byteStream } from './byte-stream.ts'
import type { Exchange } from './exchange.ts'
import { markStreamed } from './streamed.ts'

/*
 * What a client has not taken yet of a response stays in memory. Of large ones that is bounded, so that clients that do not
 * read take none from the others.
 */

const MEBIBYTE = 1_048_576

/** A smaller response is sent as a whole. How much of it the system takes while nobody reads is for its client to say. */
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
 * The response with its body: of a large one to what only reads, each part is handed over when the client has taken those
 * before it. What was written is never refused.
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
