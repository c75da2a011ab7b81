import { stepsOfThread } from '../lib/fair-queue.ts'
import { invalid, Refusal } from '../refusal.ts'
import { type BodyReservation, SMALL_BODY_BYTES } from './body-budget.ts'
import { checkCounts, type MostCounts, storable } from './storable-json.ts'

/** The largest body the service reads, in bytes. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

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
