import { counted } from '../lib/text.ts'
import { byteStream } from './byte-stream.ts'
import type { Exchange } from './exchange.ts'
import { errorIn } from './problem.ts'
import { markStreamed } from './streamed.ts'

/** Bytes, as they are sent to be stored. */
export interface Download {
  /** The value of `ETag` without its quotes: the same for the same bytes, whatever their name, and another for others. */
  readonly tag: string
  readonly fileName: string
  readonly mimeType: string
  readonly size: number
  /** The bytes from `start` up to `end`, in parts of up to some hundred kilobytes; each is read when it is taken. */
  read(start: number, end: number): Iterator<Uint8Array, unknown>
}

/** Half open. */
interface Range {
  readonly start: number
  readonly end: number
}

/** Fewer bytes are sent at once, with their length. */
const MAX_WHOLE_BYTES = 524_288

/**
 * Sends bytes as an attachment, which no browser shows or runs, whole or a single range of them (RFC 9110). A reader
 * that has them already gets a 304. Each part is read when the reader has taken those before it.
 */
export function downloadResponse(exchange: Exchange, download: Download): Response {
  const { request } = exchange
  const headers = headersOf(download)
  if (hasCurrent(request, etagOf(download))) return new Response(null, { status: 304, headers })
  if (request.method === 'HEAD') return headResponse(headers, download.size)
  const range = requestedRange(request, download)
  if (range === 'unsatisfiable') return unsatisfiable(exchange, download)
  if (!range) return responseWith(bodyOf(exchange, download, { start: 0, end: download.size }), { headers })
  headers.set('Content-Range', `bytes ${range.start}-${range.end - 1}/${download.size}`)
  return responseWith(bodyOf(exchange, download, range), { status: 206, headers })
}

function responseWith(
  body: ReturnType<typeof bodyOf>,
  init: { headers: Headers; status?: number },
): Response {
  const response = new Response(body, init)
  return body instanceof ReadableStream ? markStreamed(response) : response
}

const etagOf = ({ tag }: Download): string => `"${tag}"`

const headersOf = (download: Download) =>
  new Headers({
    'Content-Type': download.mimeType || 'application/octet-stream',
    'Content-Disposition': attachment(download.fileName),
    'Content-Security-Policy': 'sandbox',
    'X-Content-Type-Options': 'nosniff',
    // A stored copy is valid only for a reader that may still read the original.
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': 'bytes',
    ETag: etagOf(download),
  })

function headResponse(headers: Headers, size: number): Response {
  headers.set('Content-Length', String(size))
  return new Response(null, { headers })
}

/** `encodeURIComponent` leaves these as they are, and RFC 8187 does not. */
const NOT_IN_PARAMETERS = /['()*]/g

const percentEncoded = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** A name of ASCII for old readers, without what they misread, and the name itself as RFC 6266 writes it. */
export function attachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\/%]/gu, '_')
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(NOT_IN_PARAMETERS, percentEncoded)
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}

/** Whether `If-None-Match` names the bytes that have this `ETag`, or any bytes. */
export function hasCurrent({ headers }: Request, etag: string): boolean {
  const known = headers.get('if-none-match')
  if (known === null) return false
  if (known.trim() === '*') return true
  return [...known.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag)
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
  const sentence = `The header "Range" begins after the end: the size is ${counted(size, 'byte')}.`
  const headers = { 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' }
  return errorIn(exchange, { status: 416, code: 'refused', sentence, headers })
}

function bodyOf(
  exchange: Exchange,
  download: Download,
  { start, end }: Range,
): Uint8Array<ArrayBuffer> | ReadableStream {
  const parts = download.read(start, end)
  return end - start > MAX_WHOLE_BYTES ? streamOf(exchange, parts, end - start) : wholeOf(parts, end - start)
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

/** Breaks off when the bytes end before `size`, as when they are deleted meanwhile: the reader sees that some are missing. */
function streamOf(exchange: Exchange, parts: Iterator<Uint8Array, unknown>, size: number): ReadableStream {
  let missing = size
  return byteStream(exchange, {
    next: async () => {
      // Other requests come in between.
      await new Promise((resolve) => setImmediate(resolve))
      const { value, done } = parts.next()
      if (!done) {
        missing -= (value as Uint8Array).length
        return value as Uint8Array
      }
      if (missing > 0) throw new Error('the bytes end before all are sent')
      return undefined
    },
    close: () => void parts.return?.(),
  })
}
