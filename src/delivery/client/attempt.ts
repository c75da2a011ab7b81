import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { memoize } from '../../lib/memoize.ts'
import { addressesFault, type Target, targetOf, urlFault } from './address-policy.ts'
import { isAddress } from './address-ranges.ts'
import { type AllowlistEntry, isNamedAnywhere } from './allowlist.ts'
import {
  type Connecting,
  type Connection,
  type Endpoint,
  endpointKey,
  openConnection,
  type Reply,
} from './connection.ts'
import { connectionFault } from './connection-errors.ts'
import { ConnectionPool } from './connection-pool.ts'
import { createResolve, type Resolve } from './name-lookup.ts'

/** One POST. */
export interface AttemptRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** Delivered when `status` is 200 to 299; `error` is then null, else a sentence that holds no secret. */
export interface AttemptOutcome {
  readonly status: number | null
  readonly error: string | null
}

/** Makes one attempt, 10 seconds in all; never throws. */
export type Send = (request: AttemptRequest) => Promise<AttemptOutcome>

export interface SenderSettings {
  readonly allowances: readonly AllowlistEntry[]
  /** Certificates in PEM that are trusted beside the usual roots. */
  readonly ca?: string
  readonly resolve?: Resolve
  readonly clock?: Clock
}

/** Sends deliveries; connections are kept for a few seconds and used again. */
export interface Sender {
  readonly send: Send
  /** How many connections are open, and how many of them nobody uses. */
  readonly connections: { readonly open: number; readonly free: number }
  /** Ends every connection; attempts under way fail. */
  close(): void
}

const LIMIT_MS = 10_000
/** How long one of several addresses may keep the others waiting. */
const CONNECT_MS = 3_000

interface Tools {
  readonly allowances: readonly AllowlistEntry[]
  readonly judge: (url: string) => Judgement
  readonly trust: SecureContext | undefined
  readonly resolve: Resolve
  readonly clock: Clock
  readonly pool: ConnectionPool
}

/** What is known of a URL without the network. */
type Judgement = { readonly target: Target } | { readonly fault: string }

function judge(url: string, allowances: readonly AllowlistEntry[]): Judgement {
  const fault = urlFault(url, allowances)
  return fault === undefined ? { target: targetOf(url) } : { fault }
}

/** An attempt failed before any status came; the message is the sentence of the outcome. */
class NoAnswer extends Error {}

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status <= 299) return { status, error: null }
  if (status < 300 || status > 399) return { status, error: `The receiver answered ${status}.` }
  const error = `The receiver answered ${status}, a redirect, and redirects are not followed; set url to where it leads.`
  return { status, error }
}

function requestText({ authority, path }: Target, { headers, body }: AttemptRequest): string {
  let lines = ''
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
  const length = Buffer.byteLength(body)
  return `POST ${path} HTTP/1.1\r\nHost: ${authority}\r\nAccept: */*\r\n${lines}Content-Length: ${length}\r\n\r\n${body}`
}

/** One attempt on its way: what it waits for, and what must end when its time is up. */
class Attempt {
  #waitsFor = ''
  #current: { abandon(): void } | undefined
  #isOver = false

  constructor(
    private readonly tools: Tools,
    private readonly request: AttemptRequest,
  ) {}

  async run(): Promise<AttemptOutcome> {
    const judgement = this.tools.judge(this.request.url)
    if ('fault' in judgement) throw new NoAnswer(`This url is not called: ${judgement.fault}`)
    const { target } = judgement
    const addresses = await this.#resolve(target)
    const refusal = addressesFault(target, addresses, this.tools.allowances)
    if (refusal !== undefined) throw new NoAnswer(refusal)
    const secureAs = target.isSecure ? target.host : null
    const endpoints = addresses.map((address) => ({ address, port: target.port, secureAs }))
    return outcomeOf(await this.#exchange(target, endpoints))
  }

  /** The time is up: ends what is under way and answers what was waited for. */
  expire(): AttemptOutcome {
    this.abandon()
    return { status: null, error: `${this.#waitsFor} took longer than ${LIMIT_MS / 1000} seconds.` }
  }

  abandon(): void {
    this.#isOver = true
    this.#current?.abandon()
  }

  async #resolve({ host }: Target): Promise<readonly string[]> {
    if (isAddress(host)) return [host]
    this.#waitsFor = `To find the address of "${host}"`
    try {
      return await this.tools.resolve(host)
    } catch {
      throw new NoAnswer(`The name "${host}" leads to no address.`)
    }
  }

  /** A kept connection may have died unnoticed: what it cannot do is tried once more on a new one. */
  async #exchange(target: Target, endpoints: readonly Endpoint[]): Promise<number> {
    const text = requestText(target, this.request)
    const kept = this.tools.pool.take(endpoints.map(endpointKey))
    if (kept) {
      const reply = await this.#ask(kept, target, text)
      if ('status' in reply) return reply.status
      if (!reply.isUntouched || this.#isOver) throw new NoAnswer(connectionFault(reply.error, target.host))
    }
    const reply = await this.#ask(await this.#connect(target, endpoints), target, text)
    if ('status' in reply) return reply.status
    throw new NoAnswer(connectionFault(reply.error, target.host))
  }

  #ask(connection: Connection, { host }: Target, text: string): Promise<Reply> {
    this.#waitsFor = `The answer of "${host}"`
    this.#current = { abandon: () => connection.destroy() }
    return connection.requestContext(text)
  }

  async #connect({ host }: Target, endpoints: readonly Endpoint[]): Promise<Connection> {
    this.#waitsFor = `To connect to "${host}"`
    let last: unknown
    for (const [index, endpoint] of endpoints.entries()) {
      if (this.#isOver) break
      try {
        return await this.#connectTo(endpoint, index === endpoints.length - 1)
      } catch (error) {
        last = error
      }
    }
    throw new NoAnswer(connectionFault(last, host))
  }

  async #connectTo(endpoint: Endpoint, isLast: boolean): Promise<Connection> {
    const { clock, pool, trust } = this.tools
    const connecting: Connecting = openConnection(endpoint, trust)
    this.#current = connecting
    const callOff = isLast ? () => {} : clock.after(CONNECT_MS, () => connecting.abandon())
    try {
      const connection = await connecting.done
      pool.add(endpointKey(endpoint), connection)
      return connection
    } finally {
      callOff()
    }
  }
}

/** Certificates of `--webhook-ca` are trusted beside the roots that come with the program. */
const trustOf = (ca: string | undefined): SecureContext | undefined =>
  ca === undefined ? undefined : createSecureContext({ ca: [...rootCertificates, ca] })

/**
 * Makes attempts (`service.md`, Delivery rules; contract, section 7): the name is resolved once, every address it
 * stands for is checked, and the connection goes to one of those. The status line decides; the body is dropped.
 */
export function createSender(settings: SenderSettings): Sender {
  const { allowances, ca, clock = systemClock } = settings
  const isTrusted = (host: string) => isNamedAnywhere(host, allowances)
  const resolve = settings.resolve ?? createResolve({ clock, isTrusted })
  const pool = new ConnectionPool(clock)
  const judged = memoize((url) => judge(url, allowances))
  const tools: Tools = { allowances, judge: judged, trust: trustOf(ca), resolve, clock, pool }
  const running = new Set<Attempt>()
  const send: Send = (request) =>
    new Promise((settle) => {
      const attempt = new Attempt(tools, request)
      running.add(attempt)
      const end = (outcome: AttemptOutcome) => {
        callOff()
        running.delete(attempt)
        settle(outcome)
      }
      const callOff = clock.after(LIMIT_MS, () => end(attempt.expire()))
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
  error instanceof NoAnswer ? error.message : 'The attempt failed for a reason that is not known.'
