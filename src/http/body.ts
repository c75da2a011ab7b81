import { stepsOfThread } from '../lib/fair-queue.ts'
import { invalid, Refusal } from '../refusal.ts'
import { type BodyReservation, SMALL_BODY_BYTES } from './body-budget.ts'

/** The largest body the service reads, in bytes. */
const MAX_BODY_BYTES = 10 * 1024 * 1024
const MAX_DEPTH = 100

/** The most that a body may hold: parsing one must not keep other requests waiting. */
interface MostCounts {
  readonly members: number
  readonly values: number
}

/** Far more than a batch of 500 rows of 100 fields has. */
const MOST_TO_WRITE: MostCounts = { members: 200_000, values: 2_000_000 }
/** Far more than a filter of 50 conditions with 500 values each has. */
const MOST_TO_READ: MostCounts = { members: 20_000, values: 100_000 }

const tooLarge = () => new Refusal('too_large', 'The body is larger than 10 MiB; send less in one request.')

/** How much, and for how long, is read and thrown away before a refusal: some clients read nothing until they have sent everything. */
const DISCARDED_BYTES = 64 * 1024 * 1024
const DISCARD_WITHIN_MS = 1_000

/** Reserves memory for a body of this many bytes; waits until there is enough. */
export type Reserve = (bytes: number) => Promise<BodyReservation>

/** The bytes of a body, and the reservation of their memory, to be released when the request is finished. */
interface Received {
  readonly bytes: Uint8Array
  readonly reservation?: BodyReservation
}

async function receive(request: Request, reserve: Reserve): Promise<Received> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared <= SMALL_BODY_BYTES) return { bytes: new Uint8Array(await request.arrayBuffer()) }
  if (declared <= MAX_BODY_BYTES)
    return withRoom(await reserve(declared), async () => new Uint8Array(await request.arrayBuffer()))
  if (!request.body) return { bytes: new Uint8Array() }
  return receiveUndeclared(request.body.getReader(), declared, reserve)
}

async function withRoom(reservation: BodyReservation, read: () => Promise<Uint8Array>): Promise<Received> {
  try {
    return { bytes: await reservation.arrived(read()), reservation }
  } catch (error) {
    reservation.release()
    throw error
  }
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>

/** A body in chunks, whose bytes are counted; or one that is declared too large. */
async function receiveUndeclared(reader: Reader, declared: number, reserve: Reserve): Promise<Received> {
  const chunks: Uint8Array[] = []
  let size = declared > MAX_BODY_BYTES ? declared : 0
  const readUpTo = async (limit: number): Promise<boolean> => {
    while (size <= limit) {
      const { value } = await reader.read()
      if (!value) return true
      chunks.push(value)
      size += value.byteLength
    }
    return false
  }
  if (await readUpTo(SMALL_BODY_BYTES)) return { bytes: Buffer.concat(chunks) }
  if (size > MAX_BODY_BYTES) return refuseTooLarge(reader)
  return withRoom(await reserve(MAX_BODY_BYTES), async () =>
    (await readUpTo(MAX_BODY_BYTES)) ? Buffer.concat(chunks) : refuseTooLarge(reader),
  )
}

async function refuseTooLarge(reader: Reader): Promise<never> {
  await discard(reader)
  throw tooLarge()
}

async function discard(reader: Reader): Promise<void> {
  const enough = Bun.sleep(DISCARD_WITHIN_MS).then(() => undefined)
  let left = DISCARDED_BYTES
  while (left > 0) {
    const next = await Promise.race([reader.read(), enough])
    if (!next?.value) return
    left -= next.value.byteLength
  }
}

/** A connection that breaks is not a failure of the service. */
async function receiveWhole(request: Request, reserve: Reserve): Promise<Received> {
  try {
    return await receive(request, reserve)
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
const COLON = 0x3a
const COMMA = 0x2c
const PLUS = 0x2b
const SMALL_E = 0x65
const LARGE_E = 0x45
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

/** What is found of a JSON text before it is parsed. */
interface Scanned {
  /** How many members its objects have, together. */
  readonly members: number
  readonly values: number
  /** Whether a number may exceed the range of a double: that takes an exponent of three digits, or 200 digits in a row. */
  readonly mayOverflow: boolean
}

const SUSPICIOUS_DIGITS = 200
const isDigit = (unit: number) => unit >= 0x30 && unit <= 0x39

function endOfDigits(json: string, from: number): number {
  let end = from
  while (isDigit(json.charCodeAt(end))) end += 1
  return end
}

/** Whether three digits follow, after a plus sign or none. */
function isLongExponent(json: string, from: number): boolean {
  const at = json.charCodeAt(from) === PLUS ? from + 1 : from
  return endOfDigits(json, at) >= at + 3
}

/** Checked before parsing: a deep text costs the parser seconds, and recursion over it would overflow the stack. */
function scanJson(json: string, what: string): Scanned {
  let [depth, members, values, at] = [0, 0, 1, 0]
  let mayOverflow = false
  while (at < json.length) {
    const unit = json.charCodeAt(at++)
    if (isDigit(unit)) {
      const end = endOfDigits(json, at)
      if (end - at >= SUSPICIOUS_DIGITS - 1) mayOverflow = true
      at = end
    } else if (unit === QUOTE) at = endOfString(json, at)
    else if (unit === COLON) members += 1
    else if (unit === COMMA) values += 1
    else if (unit === SMALL_E || unit === LARGE_E) mayOverflow ||= isLongExponent(json, at)
    else if (isClosing(unit)) depth -= 1
    else if (isOpening(unit)) {
      values += 1
      if (++depth > MAX_DEPTH) throw tooDeep(what)
    }
  }
  return { members, values, mayOverflow }
}

/** A member of an object takes at least five characters, `"":0,`: a text of this length cannot hold too many. */
const SHORT_TEXT = 5 * MOST_TO_READ.members

/** Whether a text is too short, or has too few brackets, to be nested too deeply or have too many values. */
function isSimple(json: string): boolean {
  if (json.length > SHORT_TEXT) return false
  let openings = 0
  for (const bracket of ['{', '[']) {
    for (let at = json.indexOf(bracket); at !== -1; at = json.indexOf(bracket, at + 1))
      if (++openings > MAX_DEPTH) return false
  }
  return true
}

/** Refuses what the parser and the checks after it would take long for, in one piece. */
function checkCounts({ members, values }: Scanned, most: MostCounts): void {
  if (members <= most.members && values <= most.values) return
  throw invalid(
    `The body holds more than ${most.values} values, or ${most.members} members of objects; send less in one request.`,
  )
}

/** Only escapes can bring a NUL or a lone surrogate: most bodies need no further check. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

/** Finds what `Scanned.mayOverflow` tells, in a short text faster; also in strings. */
const SUSPICIOUS_NUMBER = /[eE]\+?\d{3}|(?<!\d)\d{200}/

const tooDeep = (what: string) => invalid(`${what} is nested more than ${MAX_DEPTH} levels deep.`)

/** Refuses texts and numbers that could not be stored as they were sent. `what` names the value in the refusal. */
export function checkStorable(value: unknown, what: string, depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(`${what} holds a NUL character; no text may.`)
    if (!value.isWellFormed()) throw invalid(`${what} holds a lone surrogate; no text may.`)
    return
  }
  if (value === Infinity || value === -Infinity)
    throw invalid(`${what} holds a number too large to be kept; send one between -1.7e308 and 1.7e308.`)
  if (typeof value !== 'object' || value === null) return
  if (depth === MAX_DEPTH) throw tooDeep(what)
  if (Array.isArray(value)) {
    for (const item of value) checkStorable(item, what, depth + 1)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    checkStorable(name, what)
    checkStorable(member, what, depth + 1)
  }
}

export interface Body {
  /** As it was sent; empty for no body at all. */
  readonly text: string
  /** Undefined for no body at all. */
  readonly value: unknown
  /** The reservation of its memory, to be released when the request is finished. */
  readonly reservation?: BodyReservation
}

/** The text of the body and its JSON value. The Content-Type does not matter. It may hold less where nothing is written. */
export async function readBody(request: Request, reserve: Reserve, mayWrite: boolean): Promise<Body> {
  const most = mayWrite ? MOST_TO_WRITE : MOST_TO_READ
  const { bytes, reservation } = await receiveWhole(request, reserve)
  if (bytes.byteLength === 0) return { text: '', value: undefined, reservation }
  try {
    const text = decodeUtf8(bytes)
    const value = text.length > LONG_TEXT ? await longValue(text, most) : shortValue(text, most)
    return { text, value, reservation }
  } catch (error) {
    reservation?.release()
    throw error
  }
}

/** Scanning or parsing a longer text takes milliseconds. */
const LONG_TEXT = 500_000

async function longValue(text: string, most: MostCounts): Promise<unknown> {
  const inTurn = <Result>(work: () => Result) => stepsOfThread.run('', work)
  const scanned = await inTurn(() => scanJson(text, WHAT))
  checkCounts(scanned, most)
  const value = await inTurn(() => parseJson(text, WHAT))
  if (mayBeUnstorable(text, scanned)) await inTurn(() => checkStorable(value, WHAT))
  return value
}

const WHAT = 'The body'

function shortValue(text: string, most: MostCounts): unknown {
  const scanned = isSimple(text) ? undefined : scanJson(text, WHAT)
  if (scanned) checkCounts(scanned, most)
  return storable(text, WHAT, scanned)
}

/** Parses a JSON text. Refuses one that could not be stored as it was sent; `what` names it in the refusal. */
export const storableJson = (text: string, what: string): unknown =>
  storable(text, what, isSimple(text) ? undefined : scanJson(text, what))

function storable(text: string, what: string, scanned: Scanned | undefined): unknown {
  const value = parseJson(text, what)
  if (mayBeUnstorable(text, scanned)) checkStorable(value, what)
  return value
}

const mayBeUnstorable = (text: string, scanned: Scanned | undefined): boolean =>
  (text.includes('\\u') && SUSPICIOUS_ESCAPE.test(text)) ||
  (scanned ? scanned.mayOverflow : SUSPICIOUS_NUMBER.test(text))
