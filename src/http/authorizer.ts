import type { Caller } from '../context.ts'
import { AdmittedCaller } from '../kernel/call.ts'
import {
  type Covers,
  invalidKey,
  keyNeeded,
  ownerRequired,
  readOnly,
  signInNeeded,
} from '../kernel/caller.ts'
import { addressGroup } from '../lib/address-group.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Clock } from '../lib/clock.ts'
import { fail, invalid, Refusal } from '../lib/refusal.ts'
import { type CopySettings, refuseInCopy } from '../log/mirror-guard.ts'
import type { BrowserRules } from './browser/browser-rules.ts'
import type { HttpServer } from './exchange.ts'

/** Finds the caller of a key; undefined for an unknown, revoked or expired key, or if its user was removed. */
export type Authenticate = (key: string) => Caller | undefined

const FAILURES_ALLOWED = 20
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 10_000
const MAX_KEYS = 10_000

/** The requirements of an endpoint. */
export interface Rule {
  /** Only sessions of the application may call it. */
  readonly session?: true
  /** Only an owner of the workspace may call it. */
  readonly owner?: true
  /** The endpoint writes, which read-only keys may not. */
  readonly write?: true
  /** The endpoint changes the workspace itself or its content, as opposed to its members and sessions. */
  readonly workspace?: true
  /** Accepts the access tokens of connected apps, and no session. */
  readonly agent?: true
  /** Accepts the key in the query, for clients that cannot set headers. */
  readonly keyInQuery?: true
}

/**
 * Authenticates and authorizes a request. Refuses a request without a valid key or session (401, 429), and a caller
 * without the permission for the endpoint (403). `token` is the key in the query, if the endpoint accepts it there.
 */
export type Authorize = (
  request: Request,
  server: HttpServer,
  rule: Rule,
  token: string | undefined,
  report?: (quota: Quota) => void,
) => Caller

/** The query parameter for the key, for clients that cannot set headers, such as a browser's `EventSource`. */
export const TOKEN = 'access_token'

/** The key in a query; read before the query is validated, because the key is checked first. */
export const tokenIn = (search: string): string | undefined =>
  new URLSearchParams(search).get(TOKEN) || undefined

/** The key in the header; undefined without a key, or with another scheme. */
const keyInHeader = (request: Request): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]

function presentedKey(request: Request, token: string | undefined): string | undefined {
  const key = keyInHeader(request)
  if (key !== undefined && token !== undefined)
    throw invalid(`The key is in the header and in "${TOKEN}"; give it once.`)
  return key ?? token
}

/** Counts failed keys by address: after twenty within a minute, further ones from that address are refused with 429. */
class FailedKeys {
  readonly #failures = new BoundedCache<string, readonly number[]>(MAX_ADDRESSES)

  constructor(private readonly clock: Clock) {}

  /** Records a failure and returns the refusal for it. A refusal with 429 is not counted. */
  refuse(address: string): Refusal {
    const now = this.clock.now()
    const recent = (this.#failures.get(address) ?? []).filter((at) => at <= now && now - at < WINDOW_MS)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= FAILURES_ALLOWED) return tooManyFailures(oldest, now)
    this.#failures.set(address, [...recent, now])
    return invalidKey()
  }
}

const secondsUntilOver = (since: number, now: number) => Math.ceil((since + WINDOW_MS - now) / 1000)

const tooManyFailures = (oldest: number, now: number) =>
  new Refusal('rate_limited', 'Too many failed API keys from this address; wait a minute.', {
    retryAfterSeconds: secondsUntilOver(oldest, now),
  })

/** The requests that a caller has left, and the seconds until it has more. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly seconds: number
}

/** Counts the requests of a key, a signed-in user or a source, in windows of a minute. */
export class RequestLimit {
  readonly #windows = new BoundedCache<string, { since: number; count: number }>(MAX_KEYS)

  constructor(
    private readonly clock: Clock,
    private readonly perMinute: number | null,
    /** The beginning of the refusal. */
    private readonly refusalStart = 'This key may make',
  ) {}

  /** Counts a request, and refuses it above the limit. Reports the quota in both cases. */
  check(key: string, report?: (quota: Quota) => void): void {
    if (this.perMinute === null) return
    const now = this.clock.now()
    const known = this.#windows.get(key)
    const window =
      known && now - known.since < WINDOW_MS && now >= known.since ? known : { since: now, count: 0 }
    window.count += 1
    this.#windows.set(key, window)
    const retryAfterSeconds = secondsUntilOver(window.since, now)
    report?.({
      limit: this.perMinute,
      remaining: Math.max(0, this.perMinute - window.count),
      seconds: retryAfterSeconds,
    })
    if (window.count <= this.perMinute) return
    throw new Refusal('rate_limited', `${this.refusalStart} ${this.perMinute} requests a minute; wait.`, {
      retryAfterSeconds,
    })
  }
}

/** Finds sessions of the application; implemented by a feature. */
export interface SessionAuthenticator {
  /** The token in the cookie of a request, if any. */
  tokenIn(request: Request): string | undefined
  /** Finds the signed-in caller for this token; undefined once the session has ended. */
  authenticate(token: string): Caller | undefined
}

export interface AuthorizerOptions extends CopySettings {
  readonly clock: Clock
  readonly authenticate: Authenticate
  /** The same for the access tokens of connected apps. */
  readonly authenticateApp: Authenticate
  readonly sessions: SessionAuthenticator
  readonly rules: BrowserRules
  /** For each key, and for each signed-in user; null for no limit. */
  readonly requestsPerMinute: number | null
}

/**
 * Checks the key or session first (401, 429), then its permissions (403). A session cookie counts only in requests
 * without a key, under a name of this server, and from its own pages.
 */
export function createAuthorizer(options: AuthorizerOptions): Authorize {
  const failed = new FailedKeys(options.clock)
  const limit = new RequestLimit(options.clock, options.requestsPerMinute)
  return (request, server, rule, token, report) => {
    const key = presentedKey(request, token)
    const caller = key === undefined ? signedIn(options, request, rule) : withToken(options, key, rule)
    if (!caller) throw failed.refuse(addressGroup(server.requestIP(request)?.address ?? 'unknown'))
    if (rule.agent && caller.sessionId !== undefined) throw keyNeeded()
    limit.check(caller.keyId ?? caller.appId ?? caller.userId, report)
    if (rule.session && caller.sessionId === undefined) throw sessionRequired()
    if (rule.owner && caller.role !== 'owner') throw ownerRequired()
    if (rule.workspace && options.mirrorOf !== undefined) refuseInCopy(options, mayBeLocal(request))
    if (rule.write && !caller.mayWrite) throw readOnly(caller)
    return caller
  }
}

/** Paths that change notes and records. */
const LOCAL_PATHS = /^\/v1\/(notes|records(?!\/(structures|views))|changes|presets\/[^/]+\/apply)(\/|$)/

const mayBeLocal = ({ url }: Request): boolean => LOCAL_PATHS.test(new URL(url).pathname)

const withToken = ({ authenticate, authenticateApp }: AuthorizerOptions, token: string, rule: Rule) =>
  authenticate(token) ?? (rule.agent && authenticateApp(token))

/** The caller of the session in the cookie. */
function signedIn({ sessions, rules }: AuthorizerOptions, request: Request, { session }: Rule): Caller {
  const token = request.headers.has('authorization') ? undefined : sessions.tokenIn(request)
  if (token === undefined) throw session ? signInNeeded() : keyNeeded()
  rules.checkHost(request)
  rules.checkSameSite(request, request.method === 'GET' || request.method === 'HEAD')
  return sessions.authenticate(token) ?? fail(signInNeeded())
}

const sessionRequired = () =>
  new Refusal('session_required', 'This endpoint needs a signed-in session; API keys cannot use it.')

/** The requirements of an endpoint for its callers; `isNamed` if its path names an object. */
export interface Requirement {
  readonly rule: Rule & { readonly covers: Covers }
  readonly isNamed: boolean
}

/** Narrows a caller to the content that an endpoint covers; refuses a caller that may not write it. */
export function admitted(caller: Caller, request: Request, { rule, isNamed }: Requirement): AdmittedCaller {
  const { owner: needsOwner = false, write: needsWrite = false, covers } = rule
  return new AdmittedCaller(caller, request, { needsOwner, needsWrite, covers, isNamed })
}

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'
