import { readFairly } from '../kernel/fair-share.ts'
import { isCurrent } from '../lib/entity-tags.ts'
import type { ByteParts } from '../lib/response-stream.ts'
import { counted } from '../lib/text.ts'
import type { Exchange } from './exchange.ts'
import { errorIn } from './problem.ts'
import { partsResponse } from './responses.ts'

/** Stored bytes to send. */
export interface Download {
  /** The value of `ETag` without its quotes; it depends only on the bytes, not on their name. */
  readonly tag: string
  readonly fileName: string
  readonly mimeType: string
  readonly size: number
  /**
   * The bytes from `start` up to `end`, in parts of up to some hundred kilobytes; each is read when it is requested.
   */
  read(start: number, end: number): Iterator<Uint8Array, unknown>
}

/** A half-open range. */
interface Range {
  readonly start: number
  readonly end: number
}

/** Smaller downloads are sent at once, with their length. */
const MAX_WHOLE_BYTES = 524_288

/**
 * Sends bytes as an attachment, which no browser displays or runs, whole or as a single range (RFC 9110). A client
 * with a current copy gets a 304. Each part is read once the client has received those before it.
 */
export function downloadResponse(exchange: Exchange, download: Download): Response {
  const { request } = exchange
  const headers = headersOf(download)
  if (isCurrent(request, etagOf(download))) return new Response(null, { status: 304, headers })
  if (request.method === 'HEAD') return headResponse(headers, download.size)
  const range = requestedRange(request, download)
  if (range === 'unsatisfiable') return unsatisfiable(exchange, download)
  if (!range) return responseWith(exchange, download, { start: 0, end: download.size }, { headers })
  headers.set('Content-Range', `bytes ${range.start}-${range.end - 1}/${download.size}`)
  return responseWith(exchange, download, range, { status: 206, headers })
}

function responseWith(
  exchange: Exchange,
  download: Download,
  { start, end }: Range,
  init: ResponseInit,
): Response {
  const parts = download.read(start, end)
  return end - start > MAX_WHOLE_BYTES
    ? partsResponse(exchange, partsOf(parts, end - start), init)
    : new Response(wholeOf(parts, end - start), init)
}

const etagOf = ({ tag }: Download): string => `"${tag}"`

const headersOf = (download: Download) =>
  new Headers({
    'Content-Type': download.mimeType || 'application/octet-stream',
    'Content-Disposition': attachment(download.fileName),
    'Content-Security-Policy': 'sandbox',
    'X-Content-Type-Options': 'nosniff',
    // A cached copy may only be used while the client can still read the original.
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': 'bytes',
    ETag: etagOf(download),
  })

function headResponse(headers: Headers, size: number): Response {
  headers.set('Content-Length', String(size))
  return new Response(null, { headers })
}

/** `encodeURIComponent` does not encode these, but RFC 8187 requires it. */
const NOT_IN_PARAMETERS = /['()*]/g

const percentEncoded = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/**
 * An ASCII name for old clients, without characters that they misread, and the actual name in the format of RFC 6266.
 */
export function attachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\/%]/gu, '_')
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(NOT_IN_PARAMETERS, percentEncoded)
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}

const SINGLE_RANGE = /^bytes=\s*(\d*)-(\d*)\s*$/i

/** A header that is malformed, names several ranges, or is for another version (`If-Range`) is ignored. */
function requestedRange({ headers }: Request, download: Download): Range | 'unsatisfiable' | undefined {
  const version = headers.get('if-range')
  if (version !== null && version !== etagOf(download)) return undefined
  const [, first, last] = SINGLE_RANGE.exec(headers.get('range') ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') return rangeFrom(Math.max(download.size - Number(last), 0), download.size, download)
  if (last === '') return rangeFrom(Number(first), download.size, download)
  if (Number(last) < Number(first)) return undefined
  return rangeFrom(Number(first), Math.min(Number(last) + 1, download.size), download)
}

const rangeFrom = (start: number, end: number, { size }: Download): Range | 'unsatisfiable' =>
  start < size ? { start, end } : 'unsatisfiable'

function unsatisfiable(exchange: Exchange, { size }: Download): Response {
  const sentence = `The header "Range" begins beyond the end: the size is ${counted(size, 'byte')}.`
  const headers = { 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' }
  return errorIn(exchange, { status: 416, code: 'refused', sentence, headers })
}

function wholeOf(parts: Iterator<Uint8Array, unknown>, size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (let next = parts.next(); !next.done; next = parts.next()) {
    whole.set(next.value, at)
    at += next.value.length
  }
  return whole
}

/** Aborts if the bytes end before `size`, for example after a deletion, so that the client notices. */
function partsOf(parts: Iterator<Uint8Array, unknown>, size: number): ByteParts {
  let missing = size
  return {
    next: async () => {
      const { value, done } = await readFairly(() => parts.next())
      if (!done) {
        missing -= (value as Uint8Array).length
        return value as Uint8Array
      }
      if (missing > 0) throw new Error('the content ended before all of it was sent')
      return undefined
    },
    close: () => void parts.return?.(),
  }
}
