// Not a named import: the root certificates would be read from the system on import.
import type { SecureContext } from 'node:tls'
import {
  type AllowlistEntry,
  addressesError,
  createResolve,
  isAddress,
  isNamedAnywhere,
  lookupError,
  type ParsedUrl,
  parseDeliveryUrl,
  type Resolve,
  urlError,
} from '../../../lib/addresses.ts'
import { memoize } from '../../../lib/bounded-cache.ts'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import { nodeTls } from '../../../lib/node-modules.ts'
import {
  type Answered,
  type Connecting,
  type Connection,
  connectionError,
  type Endpoint,
  endpointKey,
  openConnection,
  type SendResult,
} from './connection.ts'
import { isSuccess, type ReceivedResponse } from './response-parser.ts'

export interface AttemptRequest {
  readonly url: string
  readonly headers: Record<string, string>
  /** Text, or the raw bytes of a call that is passed on. */
  readonly body: string | Uint8Array
}

/** Delivered when `error` is null, which is when `status` is 200 to 299. An error is a sentence without secrets. */
export interface AttemptOutcome {
  readonly status: number | null
  readonly error: string | null
  /** No retry can succeed. */
  readonly isFinal?: true
  readonly response?: ReceivedResponse
}

/** Makes one attempt of at most 10 seconds; never rejects. */
export type Send = (request: AttemptRequest) => Promise<AttemptOutcome>

export interface SenderSettings {
  readonly allowlist: readonly AllowlistEntry[]
  /** Certificates in PEM format that are trusted in addition to the built-in roots. */
  readonly ca?: string
  readonly resolve?: Resolve
  readonly clock?: Clock
}

/** Sends deliveries; connections stay open for a few seconds for reuse. */
export interface Sender {
  readonly send: Send
  /** The number of open connections, and of idle ones among them. */
  readonly connections: { readonly open: number; readonly free: number }
  /** Closes every connection; attempts in flight fail. */
  close(): void
}

const TIMEOUT_MS = 10_000
/** The time to wait for the explanation of an error, once its status is known. */
const EXPLANATION_MS = 1_000
/** The time to wait for one of several addresses before trying the next. */
const CONNECT_TIMEOUT_MS = 3_000

/** Less than the 5 seconds after which many servers close an idle connection. */
const IDLE_MS = 4_000
const MAX_FREE = 64

interface PooledConnection {
  readonly key: string
  readonly connection: Connection
  /** Cancels the idle timeout. */
  cancelClose: () => void
}

class ConnectionPool {
  readonly #members = new Set<PooledConnection>()
  /** Oldest first. */
  readonly #free = new Set<PooledConnection>()

  constructor(private readonly clock: Clock) {}

  get open(): number {
    return this.#members.size
  }

  get free(): number {
    return this.#free.size
  }

  /** Adds a connection in use. It closes 4 seconds after each status unless it is reused by then. */
  add(key: string, connection: Connection): void {
    const member: PooledConnection = { key, connection, cancelClose: () => {} }
    this.#members.add(member)
    connection.onStatus = () => {
      member.cancelClose = this.clock.after(IDLE_MS, () => connection.destroy())
    }
    let cancelWait = () => {}
    connection.onPartialError = () => {
      // The wait for an earlier response of the connection must not end this one.
      cancelWait()
      cancelWait = this.clock.after(EXPLANATION_MS, () => connection.answer())
    }
    connection.onFree = () => {
      this.#free.add(member)
      if (this.#free.size > MAX_FREE) [...this.#free][0]?.connection.destroy()
    }
    connection.onClose = () => {
      member.cancelClose()
      cancelWait()
      this.#free.delete(member)
      this.#members.delete(member)
    }
  }

  /** A free connection to one of these endpoints, which are identified by `endpointKey`. */
  take(keys: readonly string[]): Connection | undefined {
    for (const member of this.#free) {
      if (!keys.includes(member.key)) continue
      member.cancelClose()
      this.#free.delete(member)
      return member.connection
    }
    return undefined
  }

  close(): void {
    for (const { connection } of [...this.#members]) connection.destroy()
  }
}

interface Shared {
  readonly allowlist: readonly AllowlistEntry[]
  readonly checkUrl: (url: string) => CheckedUrl
  readonly tls: SecureContext | undefined
  readonly resolve: Resolve
  readonly clock: Clock
  readonly pool: ConnectionPool
}

type CheckedUrl = { readonly target: ParsedUrl } | { readonly error: string }

function checkUrl(url: string, allowlist: readonly AllowlistEntry[]): CheckedUrl {
  const error = urlError(url, allowlist)
  return error === undefined ? { target: parseDeliveryUrl(url) } : { error }
}

/** An attempt failed without a status; the message is the outcome's `error`. */
class AttemptFailed extends Error {}

function errorOf(status: number): string | null {
  if (isSuccess(status)) return null
  if (status < 300 || status > 399) return `The receiver answered ${status}.`
  return `The receiver answered ${status}, a redirect, and redirects are not followed; set url to its target.`
}

const outcomeOf = ({ status, response }: Answered): AttemptOutcome => ({
  status,
  error: errorOf(status),
  response,
})

function requestText({ authority, path }: ParsedUrl, { headers, body }: AttemptRequest): string | Buffer {
  let lines = ''
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
  const start = `POST ${path} HTTP/1.1\r\nHost: ${authority}\r\n`
  const end = `${lines}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`
  if (typeof body === 'string') return `${start}Accept: */*\r\n${end}${body}`
  // Received header values are bytes, one for each character.
  return Buffer.concat([Buffer.from(start + end, 'latin1'), body])
}

/** An attempt in flight: its current step, and what to abandon when its time is up. */
class Attempt {
  /** The step as the subject of the sentence about a timeout. */
  #step = ''
  #current: { abandon(): void; readonly answered?: Answered | null } | undefined
  #isOver = false

  constructor(
    private readonly shared: Shared,
    private readonly request: AttemptRequest,
  ) {}

  async run(): Promise<AttemptOutcome> {
    const checked = this.shared.checkUrl(this.request.url)
    if ('error' in checked) throw new AttemptFailed(`This url is not called: ${checked.error}`)
    const { target } = checked
    const addresses = await this.#resolve(target)
    if (this.#isOver) throw new AttemptFailed('The attempt was abandoned.')
    const error = addressesError(target, addresses, this.shared.allowlist)
    if (error !== undefined) throw new AttemptFailed(error)
    const secureAs = target.isSecure ? target.host : null
    const endpoints = addresses.map((address) => ({ address, port: target.port, secureAs }))
    return outcomeOf(await this.#exchange(target, endpoints))
  }

  /** Abandons the attempt because its time is up; returns the outcome. */
  expire(): AttemptOutcome {
    const answered = this.#current?.answered
    this.abandon()
    if (answered) return outcomeOf(answered)
    return { status: null, error: `${this.#step} took longer than ${TIMEOUT_MS / 1000} seconds.` }
  }

  abandon(): void {
    this.#isOver = true
    this.#current?.abandon()
  }

  async #resolve({ host }: ParsedUrl): Promise<readonly string[]> {
    if (isAddress(host)) return [host]
    this.#step = `Resolving the name "${host}"`
    try {
      return await this.shared.resolve(host)
    } catch (error) {
      throw new AttemptFailed(lookupError(error, host))
    }
  }

  /** Sends the request again on a new connection if the reused one was closed in the meantime. */
  async #exchange(target: ParsedUrl, endpoints: readonly Endpoint[]): Promise<Answered> {
    const text = requestText(target, this.request)
    const reused = this.shared.pool.take(endpoints.map(endpointKey))
    if (reused) {
      const result = await this.#send(reused, target, text)
      if ('status' in result) return result
      if (!result.isUnanswered || this.#isOver)
        throw new AttemptFailed(connectionError(result.error, target.host))
    }
    const result = await this.#send(await this.#connect(target, endpoints), target, text)
    if ('status' in result) return result
    throw new AttemptFailed(connectionError(result.error, target.host))
  }

  #send(connection: Connection, { host }: ParsedUrl, text: string | Buffer): Promise<SendResult> {
    this.#step = `The response of "${host}"`
    this.#current = {
      abandon: () => connection.destroy(),
      get answered() {
        return connection.answered
      },
    }
    return connection.send(text)
  }

  async #connect({ host }: ParsedUrl, endpoints: readonly Endpoint[]): Promise<Connection> {
    this.#step = `Connecting to "${host}"`
    let last: unknown
    for (const [index, endpoint] of endpoints.entries()) {
      if (this.#isOver) break
      try {
        return await this.#connectTo(endpoint, index === endpoints.length - 1)
      } catch (error) {
        last = error
      }
    }
    throw new AttemptFailed(connectionError(last, host))
  }

  async #connectTo(endpoint: Endpoint, isLast: boolean): Promise<Connection> {
    const { clock, pool, tls } = this.shared
    const connecting: Connecting = openConnection(endpoint, tls)
    this.#current = connecting
    const cancelTimeout = isLast ? () => {} : clock.after(CONNECT_TIMEOUT_MS, () => connecting.abandon())
    try {
      const connection = await connecting.done
      pool.add(endpointKey(endpoint), connection)
      return connection
    } finally {
      cancelTimeout()
    }
  }
}

const tlsContext = (ca: string | undefined): SecureContext | undefined =>
  ca === undefined ? undefined : nodeTls().createSecureContext({ ca: [...nodeTls().rootCertificates, ca] })

/**
 * Each attempt resolves the name once, checks all its addresses, and connects to one of them. The status line decides;
 * the beginning of the response is kept for the log of deliveries.
 */
export function createSender(settings: SenderSettings): Sender {
  const { allowlist, ca, clock = systemClock } = settings
  const isTrusted = (host: string) => isNamedAnywhere(host, allowlist)
  const resolve = settings.resolve ?? createResolve({ clock, isTrusted })
  const pool = new ConnectionPool(clock)
  const shared: Shared = {
    allowlist,
    checkUrl: memoize((url) => checkUrl(url, allowlist)),
    tls: tlsContext(ca),
    resolve,
    clock,
    pool,
  }
  const running = new Set<Attempt>()
  const send: Send = (request) =>
    new Promise((settle) => {
      const attempt = new Attempt(shared, request)
      running.add(attempt)
      const end = (outcome: AttemptOutcome) => {
        cancelTimeout()
        running.delete(attempt)
        settle(outcome)
      }
      const cancelTimeout = clock.after(TIMEOUT_MS, () => end(attempt.expire()))
      attempt.run().then(end, (error: unknown) => end({ status: null, error: sentenceOf(error) }))
    })
  return {
    send,
    connections: pool,
    close: () => {
      for (const attempt of running) attempt.abandon()
      pool.close()
    },
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof AttemptFailed ? error.message : 'The attempt failed for an unknown reason.'
