import { invalid, Refusal } from '../refusal.ts'

/** The largest body the service reads, in bytes (contract, section 1). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024
const MAX_DEPTH = 100

const tooLarge = () => new Refusal('too_large', 'The body is larger than 10 MiB; send less in one request.')

/** How much, and how long, is read and thrown away before a refusal: some clients read only once they sent all. */
const DISCARDED_BYTES = 64 * 1024 * 1024
const DISCARD_WITHIN_MS = 1_000

/** Reads a body whole, counting as it comes: also one sent in chunks without a length is refused past the limit. */
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

/** A connection that breaks off is not a failure of ours. */
async function received(request: Request): Promise<Uint8Array> {
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('The body is not valid JSON.')
  }
}

/** Refuses what could not be kept or walked safely: NUL, lone surrogates, and nesting beyond any use. */
function checkTexts(value: unknown, depth: number): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid('The body holds a NUL character; no text may.')
    if (!value.isWellFormed()) throw invalid('The body holds a lone surrogate; no text may.')
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= MAX_DEPTH) throw invalid(`The body is nested more than ${MAX_DEPTH} levels deep.`)
  for (const [name, member] of Object.entries(value)) {
    checkTexts(name, depth)
    checkTexts(member, depth + 1)
  }
}

const SUSPICIOUS_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

/** Only escapes can bring a NUL or a lone surrogate, only brackets depth: most bodies need no walk. */
const needsWalk = (text: string): boolean => SUSPICIOUS_ESCAPE.test(text) || hasManyBrackets(text)

function hasManyBrackets(text: string): boolean {
  let found = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if ((unit === 0x5b || unit === 0x7b) && ++found > MAX_DEPTH) return true
  }
  return false
}

export interface Body {
  /** As it was sent. */
  readonly text: string
  readonly value: unknown
}

/** The text of the body and its JSON value; undefined for no body at all. Its Content-Type is not looked at. */
export async function readBody(request: Request): Promise<Body | undefined> {
  const bytes = await received(request)
  if (bytes.byteLength === 0) return undefined
  const text = decodeUtf8(bytes)
  const value = parseJson(text)
  if (needsWalk(text)) checkTexts(value, 0)
  return { text, value }
}
