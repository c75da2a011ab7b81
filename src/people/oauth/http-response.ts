import { fail } from '../../lib/refusal.ts'
import { oauthRefusal } from './refusals.ts'

/** The limit of a document, and of its response with the head. */
const MAX_BYTES = 65_536
export const MAX_RESPONSE_BYTES = MAX_BYTES + 16_384

const HEAD_END = '\r\n\r\n'

const refused = (sentence: string) => oauthRefusal('invalid_client', sentence)
const malformed = () => refused('The description of the client did not arrive as HTTP.')
const tooLarge = () => refused('The description of the client is larger than 64 KiB.')

/**
 * The body of an HTTP/1.1 response with the status 200, from the bytes received so far; undefined while it is not
 * complete. `isEnded` means that the server has closed the connection.
 */
export function bodyOf(received: Buffer, isEnded: boolean): Uint8Array | undefined {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd === -1) return isEnded ? fail(malformed()) : undefined
  const [statusLine = '', ...headers] = received.toString('latin1', 0, headEnd).split('\r\n')
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine) ?? []
  if (status === undefined) throw malformed()
  if (status !== '200')
    throw refused(
      `The address of the client_id responds with the status ${status}; it must be 200, without a redirect.`,
    )
  const header = (name: string) =>
    headers
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim()
  const body = received.subarray(headEnd + HEAD_END.length)
  if (header('transfer-encoding')?.toLowerCase() === 'chunked') return withinLimit(chunksOf(body), isEnded)
  const declared = header('content-length')
  if (declared === undefined) return isEnded ? withinLimit(body, isEnded) : checkSoFar(body)
  const length = /^\d{1,9}$/.test(declared) ? Number(declared) : fail(malformed())
  if (length > MAX_BYTES) throw tooLarge()
  return withinLimit(body.length < length ? undefined : body.subarray(0, length), isEnded)
}

function checkSoFar(body: Buffer): undefined {
  if (body.length > MAX_BYTES) throw tooLarge()
}

function withinLimit(body: Buffer | undefined, isEnded: boolean): Buffer | undefined {
  if (body === undefined && isEnded) throw malformed()
  if (body && body.length > MAX_BYTES) throw tooLarge()
  return body
}

/** The content of a chunked body (RFC 9112, section 7.1); undefined while its last chunk is missing. */
function chunksOf(body: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = body.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const [, size] = /^([0-9a-f]{1,6})[ \t]*(?:;.*)?$/i.exec(body.toString('latin1', at, lineEnd)) ?? []
    if (size === undefined) throw malformed()
    const length = Number.parseInt(size, 16)
    if (length === 0) return Buffer.concat(chunks)
    const start = lineEnd + 2
    if (body.length < start + length + 2) return undefined
    chunks.push(body.subarray(start, start + length))
    at = start + length + 2
  }
}
