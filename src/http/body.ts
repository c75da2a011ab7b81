import { callerKeyOf } from '../kernel/caller.ts'
import { LONG_TEXT, runFairly } from '../kernel/fair-share.ts'
import { addressGroup } from '../lib/address-group.ts'
import { Admission } from '../lib/admission.ts'
import { type Clock, sleep, systemClock } from '../lib/clock.ts'
import { invalid, Refusal } from '../lib/refusal.ts'
import { checkCounts, READ_LIMITS, storable, WRITE_LIMITS } from '../lib/storable-json.ts'
import type { Exchange } from './exchange.ts'
import type { SchemaCheck } from './validation.ts'

/** Reads a body once enough memory is free; the request holds the memory until it is finished. */
type WithMemory = (bytes: number, read: () => Promise<Uint8Array>) => Promise<Uint8Array>

/** The body of a request as sent. */
export class SentBody {
  constructor(
    private readonly exchange: Exchange,
    private readonly bodies: BodyBudget,
  ) {}

  /** The JSON value; `{}` if an optional body is absent. Ignores the Content-Type. */
  async read(check: SchemaCheck, isRequired: boolean): Promise<unknown> {
    const { exchange } = this
    const { caller } = exchange
    const key = caller ? callerKeyOf(caller) : addressGroup(exchange.address)
    const bytes = await this.#received(key, MAX_BODY_BYTES)
    const text = decodeUtf8(bytes)
    const value = bytes.byteLength === 0 ? undefined : await parsed(key, text, caller?.mayWrite ?? false)
    exchange.recheck()
    exchange.bodyText = text
    exchange.body = value
    if (value === undefined && isRequired)
      throw invalid('A JSON object is required as the body of this request.')
    const body = value === undefined ? {} : value
    check(body)
    exchange.waitForHandler()
    return body
  }

  /**
   * The bytes, at most 10 MiB unless `most` is given; `key` identifies the caller whose bodies share a memory limit.
   */
  async bytes(key: string, most = MAX_BODY_BYTES): Promise<Uint8Array> {
    const bytes = await this.#received(key, most)
    this.exchange.waitForHandler()
    return bytes
  }

  /** A broken connection is not a failure of the service. */
  async #received(key: string, most: number): Promise<Uint8Array> {
    const withRoom: WithMemory = async (bytes, read) => {
      const reservation = await this.bodies.reserve(key, bytes)
      this.exchange.reservation = reservation
      return reservation.arrived(read())
    }
    try {
      return await receive(this.exchange.request, withRoom, most)
    } catch (error) {
      throw error instanceof Refusal ? error : invalid('The body ended before it was complete.')
    }
  }
}

/**
 * The body of a request as the input of a write. Only its text is copied to another thread, where it is parsed again,
 * because that is faster than copying its parts.
 */
export class RequestBody<Value> {
  readonly #value: Value

  constructor(
    value: Value,
    readonly text: string,
  ) {
    this.#value = value
  }

  static valueOf<Value>(body: RequestBody<Value>): Value {
    return body instanceof RequestBody ? body.#value : JSON.parse((body as RequestBody<Value>).text)
  }
}

/** The largest accepted body, in bytes. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

const tooLarge = (most: number) =>
  new Refusal('too_large', `The body is larger than ${most / 1024 / 1024} MiB; split the request.`)

/**
 * The amount, and the time, of data to read and discard before a refusal: some clients read nothing until they have
 * sent everything.
 */
const DISCARDED_BYTES = 64 * 1024 * 1024
const DISCARD_WITHIN_MS = 1_000

async function receive(request: Request, withRoom: WithMemory, most: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  const whole = async () => new Uint8Array(await request.arrayBuffer())
  if (declared <= SMALL_BODY_BYTES) return whole()
  if (declared <= most) return withRoom(declared, whole)
  if (!request.body) return new Uint8Array()
  return receiveUndeclared(request.body.getReader(), declared, withRoom, most)
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>

/** Receives a chunked body by counting its bytes, or a body that is declared too large. */
async function receiveUndeclared(
  reader: Reader,
  declared: number,
  withRoom: WithMemory,
  most: number,
): Promise<Uint8Array> {
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
  if (await readUpTo(SMALL_BODY_BYTES)) return Buffer.concat(chunks)
  if (size > most) return refuseTooLarge(reader, most)
  return withRoom(most, async () =>
    (await readUpTo(most)) ? Buffer.concat(chunks) : refuseTooLarge(reader, most),
  )
}

async function refuseTooLarge(reader: Reader, most: number): Promise<never> {
  const enough = sleep(systemClock, DISCARD_WITHIN_MS).then(() => undefined)
  let left = DISCARDED_BYTES
  while (left > 0) {
    const next = await Promise.race([reader.read(), enough])
    if (!next?.value) break
    left -= next.value.byteLength
  }
  throw tooLarge(most)
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
}

const WHAT = 'The body'

/**
 * Bodies of requests that do not write may contain fewer values. A long text is parsed behind other requests.
 */
function parsed(key: string, text: string, mayWrite: boolean): unknown {
  const check = () => checkCounts(text, WHAT, mayWrite ? WRITE_LIMITS : READ_LIMITS)
  const parse = () => storable(text, WHAT)
  if (text.length > LONG_TEXT) return runFairly(key, check).then(() => runFairly(key, parse))
  check()
  return parse()
}

const MEBIBYTE = 1_048_576

/** A body of up to this size is read at once and does not count towards the limits. */
export const SMALL_BODY_BYTES = 65_536

/** The memory limits for the bodies of all unfinished requests, and for those of one key. */
const MAX_BYTES = 192 * MEBIBYTE
const MAX_BYTES_PER_KEY = 64 * MEBIBYTE

/** The time that a request waits for memory before it is refused. */
const MAX_WAIT_MS = 30_000
/** The time that a body may take to arrive while others wait for memory. */
const MAX_ARRIVAL_MS = 10_000

const RETRY_AFTER_SECONDS = 5

const tooManyBodies = () =>
  new Refusal(
    'unavailable',
    'Too many large bodies are being sent at once; nothing was written. Try again, or send them one after another.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )

const tooSlow = () =>
  new Refusal(
    'unavailable',
    `The body did not arrive within ${MAX_ARRIVAL_MS / 1_000} seconds while others waited; nothing was written. Try again.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )

/** The memory reserved for one body until its request is finished. */
export class BodyReservation {
  /** Undefined once the body has arrived. */
  #reject: ((refusal: Refusal) => void) | undefined

  constructor(
    readonly key: string,
    readonly since: number,
    private readonly end: (reservation: BodyReservation) => void,
  ) {}

  /**
   * The body, once it has arrived and may be parsed. Bodies that arrive together are parsed one at a time, with other
   * requests in between. Rejects if the body arrives too slowly while others wait.
   */
  async arrived<Body>(body: Promise<Body>): Promise<Body> {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#reject = reject
    try {
      await Promise.race([body, promise])
    } finally {
      this.#reject = undefined
    }
    await runFairly(this.key, () => {})
    return body
  }

  /** Refuses a body that is still arriving; returns whether it did. */
  refuseSlow(): boolean {
    this.#reject?.(tooSlow())
    return this.#reject !== undefined
  }

  release(): void {
    this.end(this)
  }
}

/**
 * Bounds the memory for bodies. A body without available memory stays unread, so that its sender waits too. Meanwhile,
 * bodies that have been arriving for too long are refused, so that no client reserves memory without sending.
 */
export class BodyBudget {
  readonly #memory: Admission
  readonly #arriving = new Set<BodyReservation>()
  #cancelCheck: (() => void) | undefined

  constructor(private readonly clock: Clock) {
    this.#memory = new Admission({
      most: MAX_BYTES,
      mostPerKey: MAX_BYTES_PER_KEY,
      waitingWithin: { ms: MAX_WAIT_MS, clock },
      refusal: tooManyBodies,
    })
  }

  async reserve(key: string, bytes: number): Promise<BodyReservation> {
    const admitted = this.#memory.reserve({ key }, bytes)
    if (this.#memory.isWaiting) this.#cancelCheck ??= this.clock.after(this.#untilNextCheck(), this.#check)
    const release = await admitted
    const reservation = new BodyReservation(key, this.clock.now(), (ended) => {
      this.#arriving.delete(ended)
      release()
    })
    this.#arriving.add(reservation)
    return reservation
  }

  /** Milliseconds until the oldest body may be refused. Bodies that begin together have memory before they are known. */
  #untilNextCheck(): number {
    const now = this.clock.now()
    const oldest = Math.min(now, ...[...this.#arriving].map(({ since }) => since))
    return Math.max(1_000, oldest + MAX_ARRIVAL_MS - now)
  }

  readonly #check = (): void => {
    this.#cancelCheck = undefined
    if (!this.#memory.isWaiting) return
    for (const body of [...this.#arriving])
      if (this.clock.now() - body.since >= MAX_ARRIVAL_MS && this.#memory.isInTheWay(body.key))
        body.refuseSlow()
    this.#cancelCheck ??= this.clock.after(1_000, this.#check)
  }
}
