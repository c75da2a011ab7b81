import { invalid, Refusal } from '../refusal.ts'

/** The largest body the service reads, in bytes. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024
const MAX_DEPTH = 100

const tooLarge = () => new Refusal('too_large', 'The body is larger than 10 MiB; send less in one request.')

/** How much, and for how long, is read and thrown away before a refusal: some clients read nothing until they have sent everything. */
const DISCARDED_BYTES = 64 * 1024 * 1024
const DISCARD_WITHIN_MS = 1_000

/** Reads the whole body and counts its bytes, so that one sent in chunks without a length is refused past the limit too. */
async function readBytes(request: Request): Promise<Uint8Array> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared <= MAX_BODY_BYTES) return new Uint8Array(await request.arrayBuffer())
  if (!request.body) return new Uint8Array()
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = declared > MAX_BODY_BYTES ? declared : 0
  while (size <= MAX_BODY_BYTES) {
    const { value } = await reader.read()
    if (!value) return Buffer.concat(chunks)
    chunks.push(value)
    size += value.byteLength
  }
  await discard(reader)
  throw tooLarge()
}

async function discard(reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>): Promise<void> {
  const enough = Bun.sleep(DISCARD_WITHIN_MS).then(() => undefined)
  let left = DISCARDED_BYTES
  while (left > 0) {
    const next = await Promise.race([reader.read(), enough])
    if (!next?.value) return
    left -= next.value.byteLength
  }
}

/** A connection that breaks is not a failure of the service. */
async function readReceived(request: Request): Promise<Uint8Array> {
  try {
    return await readBytes(request)
  } catch (error) {
    throw error instanceof Refusal ? error : invalid('The body ended before it was complete.')
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(`${what} is not valid JSON.`)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const isOpening = (unit: number) => unit === 0x5b || unit === 0x7b
const isClosing = (unit: number) => unit === 0x5d || unit === 0x7d

/** The position after the quote that ends the string literal in which `from` is. */
function endOfString(json: string, from: number): number {
  for (let end = json.indexOf('"', from); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end + 1
  }
  return json.length
}

/** Checked before parsing: a deep body costs the parser seconds, and recursion over it would overflow the stack. */
function checkDepth(json: string, what: string): void {
  let depth = 0
  let at = 0
  while (at < json.length) {
    const unit = json.charCodeAt(at++)
    if (unit === QUOTE) at = endOfString(json, at)
    else if (isClosing(unit)) depth -= 1
    else if (isOpening(unit) && ++depth > MAX_DEPTH)
      throw invalid(`${what} is nested more than ${MAX_DEPTH} levels deep.`)
  }
}

/** Only escapes can bring a NUL or a lone surrogate: most bodies need no further check. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

/** A number can exceed the range of a double only with an exponent of three digits or with two hundred digits in a row. */
const SUSPICIOUS_NUMBER = /[eE]\+?\d{3}|(?<!\d)\d{200}/

/** Refuses texts and numbers that could not be stored as they were sent. `what` names the value in the refusal. */
export function checkKeepable(value: unknown, what: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(`${what} holds a NUL character; no text may.`)
    if (!value.isWellFormed()) throw invalid(`${what} holds a lone surrogate; no text may.`)
    return
  }
  if (value === Infinity || value === -Infinity)
    throw invalid(`${what} holds a number too large to be kept; send one between -1.7e308 and 1.7e308.`)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    checkKeepable(name, what)
    checkKeepable(member, what)
  }
}

export interface Body {
  /** As it was sent. */
  readonly text: string
  readonly value: unknown
}

/** The text of the body and its JSON value; undefined for no body at all. The Content-Type does not matter. */
export async function readBody(request: Request): Promise<Body | undefined> {
  const bytes = await readReceived(request)
  if (bytes.byteLength === 0) return undefined
  const text = decodeUtf8(bytes)
  return { text, value: keepableJson(text, 'The body') }
}

/** Parses a JSON text. Refuses one that could not be stored as it was sent; `what` names it in the refusal. */
export function keepableJson(text: string, what: string): unknown {
  checkDepth(text, what)
  const value = parseJson(text, what)
  if (SUSPICIOUS_ESCAPE.test(text) || SUSPICIOUS_NUMBER.test(text)) checkKeepable(value, what)
  return value
}
