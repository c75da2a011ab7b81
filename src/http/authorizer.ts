import type { Caller } from '../context.ts'
import type { Clock } from '../lib/clock.ts'
import { invalid, Refusal } from '../refusal.ts'
import type { HttpServer } from './request-context.ts'

/** Finds whose key this is; undefined for one that is unknown, revoked or expired, or whose user is gone. */
export type Authenticate = (key: string) => Caller | undefined

const FAILURES_ALLOWED = 20
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 10_000

const unauthorized = (sentence: string) => new Refusal('unauthorized', sentence)

/**
 * Whose request this is. Refuses one without a valid key (401, 429), and one whose key may not write where that is
 * needed (403). `token` is the key in the query, where the endpoint takes it there.
 */
export type Authorize = (
  request: Request,
  server: HttpServer,
  needsWrite: boolean,
  token: string | undefined,
) => Caller

/** The query parameter in which clients that cannot set headers, such as a browser's `EventSource`, give the key. */
export const TOKEN = 'access_token'

/** The key in a query; read before the query is checked, because the key is checked first. */
export const tokenIn = (search: string): string | undefined =>
  new URLSearchParams(search).get(TOKEN) || undefined

/** The key in the header; undefined for a request without one, also one with another scheme. */
const keyInHeader = (request: Request): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]

function presentedKey(request: Request, token: string | undefined): string | undefined {
  const key = keyInHeader(request)
  if (key !== undefined && token !== undefined)
    throw invalid(`The key is in the header and in "${TOKEN}"; give it once.`)
  return key ?? token
}

/** Counts failed keys by address: after twenty within a minute, further ones from there are refused with 429. */
class FailedKeys {
  readonly #failures = new Map<string, number[]>()

  constructor(private readonly clock: Clock) {}

  /** Records a failure and returns the refusal for it. A refusal with 429 is not counted. */
  refuse(address: string): Refusal {
    const now = this.clock.now()
    const recent = (this.#failures.get(address) ?? []).filter((at) => at <= now && now - at < WINDOW_MS)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= FAILURES_ALLOWED) return tooManyFailures(oldest, now)
    this.#failures.delete(address)
    this.#failures.set(address, [...recent, now])
    this.#forgetOldest()
    return unauthorized('This API key is not valid, or was revoked, or has expired.')
  }

  #forgetOldest(): void {
    if (this.#failures.size <= MAX_ADDRESSES) return
    for (const address of this.#failures.keys()) {
      this.#failures.delete(address)
      return
    }
  }
}

const secondsUntilOver = (since: number, now: number) =>
  Math.max(1, Math.ceil((since + WINDOW_MS - now) / 1000))

const tooManyFailures = (oldest: number, now: number) =>
  new Refusal(
    'rate_limited',
    'Too many failed API keys from this address; wait a minute.',
    secondsUntilOver(oldest, now),
  )

/** Counts a key's requests in windows of a minute. */
class RequestLimit {
  readonly #windows = new Map<string, { since: number; count: number }>()

  constructor(
    private readonly clock: Clock,
    private readonly perMinute: number | null,
  ) {}

  check(keyId: string | null): void {
    if (this.perMinute === null || keyId === null) return
    const now = this.clock.now()
    const known = this.#windows.get(keyId)
    const window =
      known && now - known.since < WINDOW_MS && now >= known.since ? known : { since: now, count: 0 }
    window.count += 1
    this.#windows.set(keyId, window)
    if (window.count <= this.perMinute) return
    throw new Refusal(
      'rate_limited',
      `This key may make ${this.perMinute} requests a minute; wait.`,
      secondsUntilOver(window.since, now),
    )
  }
}

/** Checks first the key (401, 429), then the scope (403). `requestsPerMinute` is per key; null for no limit. */
export function createAuthorizer(
  clock: Clock,
  authenticate: Authenticate,
  requestsPerMinute: number | null,
): Authorize {
  const failed = new FailedKeys(clock)
  const limit = new RequestLimit(clock, requestsPerMinute)
  return (request, server, needsWrite, token) => {
    const key = presentedKey(request, token)
    if (key === undefined)
      throw unauthorized('This endpoint needs the header "Authorization: Bearer <API key>".')
    const caller = authenticate(key)
    if (!caller) throw failed.refuse(server.requestIP(request)?.address ?? 'unknown')
    limit.check(caller.keyId)
    if (needsWrite && !caller.mayWrite) throw readOnly(caller)
    return caller
  }
}

const readOnly = ({ scope }: Caller) =>
  new Refusal(
    'read_only_key',
    scope === 'read'
      ? 'This API key is read-only; use a read-write key to change anything.'
      : 'The user of this API key is a viewer of the workspace and may not change anything.',
  )
