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

const tooLarge = (most: number) =>
  new Refusal('too_large', `The body is larger than ${most / 1024 / 1024} MiB; send less in one request.`)

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

async function receive(request: Request, reserve: Reserve, most: number): Promise<Received> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared <= SMALL_BODY_BYTES) return { bytes: new Uint8Array(await request.arrayBuffer()) }
  if (declared <= most)
    return withRoom(await reserve(declared), async () => new Uint8Array(await request.arrayBuffer()))
  if (!request.body) return { bytes: new Uint8Array() }
  return receiveUndeclared(request.body.getReader(), declared, reserve, most)
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
async function receiveUndeclared(
  reader: Reader,
  declared: number,
  reserve: Reserve,
  most: number,
): Promise<Received> {
  const chunks: Uint8Array[] = []
  let size = declared > most ? declared : 0
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
  if (size > most) return refuseTooLarge(reader, most)
  return withRoom(await reserve(most), async () =>
    (await readUpTo(most)) ? Buffer.concat(chunks) : refuseTooLarge(reader, most),
  )
}

async function refuseTooLarge(reader: Reader, most: number): Promise<never> {
  await discard(reader)
  throw tooLarge(most)
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

/** The bytes of a body, `most` of them. A connection that breaks is not a failure of the service. */
export async function receiveWhole(
  request: Request,
  reserve: Reserve,
  most = MAX_BODY_BYTES,
): Promise<Received> {
  try {
    return await receive(request, reserve, most)
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

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c]
const isOpening = (unit: number) => unit === 0x5b || unit === 0x7b
const isClosing = (unit: number) => unit === 0x5d || unit === 0x7d

/** The position of the quote that ends the string literal in which `from` is. */
function endOfString(json: string, from: number): number {
  for (let end = json.indexOf('"', from); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return json.length
}

/** Refuses, before it is parsed, a text that would keep the parser busy for long, or is nested so deeply that it takes seconds. */
function checkCounts(json: string, what: string, most?: MostCounts): void {
  let [depth, members, values] = [0, 0, 1]
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) at = endOfString(json, at + 1)
    else if (unit === COLON) members += 1
    else if (unit === COMMA) values += 1
    else if (isClosing(unit)) depth -= 1
    else if (isOpening(unit)) {
      values += 1
      if (++depth > MAX_DEPTH) throw tooDeep(what)
    }
  }
  if (!most || (members <= most.members && values <= most.values)) return
  throw invalid(
    `${what} holds more than ${most.values} values, or ${most.members} members of objects; send less in one request.`,
  )
}

/** Only escapes can bring a NUL or a lone surrogate: most bodies need no further check. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

/** A number may exceed the range of a double: that takes an exponent of three digits, or 200 digits in a row. */
const LONG_EXPONENT = /[eE]\+?\d{3}/
/** By itself, and so looked for many times as fast. */
const LONG_NUMBER = /(?<!\d)\d{200}/

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
  readonly reservation?: BodyReservation | undefined
}

/** Reading a longer text takes milliseconds. */
const LONG_TEXT = 500_000

/** Each step with a long body has a turn of its own, in which other requests wait for no other step. */
const inTurn = <Result>(isLong: boolean, work: () => Result): Result | Promise<Result> =>
  isLong ? stepsOfThread.run('', work) : work()

const WHAT = 'The body'

/** The text of the body and its JSON value. The Content-Type does not matter. It may hold less where nothing is written. */
export async function readBody(request: Request, reserve: Reserve, mayWrite: boolean): Promise<Body> {
  const { bytes, reservation } = await receiveWhole(request, reserve)
  if (bytes.byteLength === 0) return { text: '', value: undefined, reservation }
  try {
    const text = decodeUtf8(bytes)
    const isLong = text.length > LONG_TEXT
    await inTurn(isLong, () => checkCounts(text, WHAT, mayWrite ? MOST_TO_WRITE : MOST_TO_READ))
    return { text, value: await inTurn(isLong, () => storable(text, WHAT)), reservation }
  } catch (error) {
    reservation?.release()
    throw error
  }
}

/** Parses a JSON text. Refuses one that could not be stored as it was sent; `what` names it in the refusal. */
export function storableJson(text: string, what: string): unknown {
  checkCounts(text, what)
  return storable(text, what)
}

/** Parses a JSON text of which only parts will be stored. */
export function parsedJson(text: string, what: string): unknown {
  checkCounts(text, what)
  return parseJson(text, what)
}

function storable(text: string, what: string): unknown {
  const value = parseJson(text, what)
  const isSuspicious =
    (text.includes('\\u') && SUSPICIOUS_ESCAPE.test(text)) ||
    LONG_EXPONENT.test(text) ||
    LONG_NUMBER.test(text)
  if (isSuspicious) checkStorable(value, what)
  return value
}
