import { type Covers, checkCovered } from '../access/rights.ts'
import { onlyNotesAndRecords, readOnlyCopy } from '../changes/mirror-guard.ts'
import type { Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { requesterKey } from '../db/worker/client.ts'
import type { Right } from '../db/writes/requester.ts'
import type { Credential } from '../kernel/call.ts'
import { type Grant, grantOf, type Standing, standsForWriting } from '../kernel/caller.ts'
import { addressGroup } from '../lib/address-group.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Clock } from '../lib/clock.ts'
import { fail, invalid, Refusal } from '../refusal.ts'
import type { BrowserRules } from './browser/browser-rules.ts'
import type { HttpServer } from './exchange.ts'

/** Finds whose key this is; undefined for one that is unknown, revoked or expired, or whose user is gone. */
export type Authenticate = (key: string) => Caller | undefined

const FAILURES_ALLOWED = 20
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 10_000
const MAX_KEYS = 10_000

const unauthorized = (sentence: string) => new Refusal('unauthorized', sentence)

export const invalidKey = () => unauthorized('This API key is not valid, or was revoked, or has expired.')

/** The requirements of an endpoint. */
export interface Rule {
  /** Only sessions of the application may call it. */
  readonly session?: true
  /** Only an owner of the workspace may call it. */
  readonly owner?: true
  /** It writes, which a read-only key may not. */
  readonly write?: true
  /** It changes the workspace itself or its content, as opposed to its members and sessions. */
  readonly workspace?: true
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

const secondsUntilOver = (since: number, now: number) =>
  Math.max(1, Math.ceil((since + WINDOW_MS - now) / 1000))

const tooManyFailures = (oldest: number, now: number) =>
  new Refusal('rate_limited', 'Too many failed API keys from this address; wait a minute.', {
    retryAfterSeconds: secondsUntilOver(oldest, now),
  })

/** Counts the requests of a key, a person who is signed in, or a source, in windows of a minute. */
export class RequestLimit {
  readonly #windows = new BoundedCache<string, { since: number; count: number }>(MAX_KEYS)

  constructor(
    private readonly clock: Clock,
    private readonly perMinute: number | null,
    /** The subject of the refusal. */
    private readonly who = 'This key may make',
  ) {}

  check(key: string): void {
    if (this.perMinute === null) return
    const now = this.clock.now()
    const known = this.#windows.get(key)
    const window =
      known && now - known.since < WINDOW_MS && now >= known.since ? known : { since: now, count: 0 }
    window.count += 1
    this.#windows.set(key, window)
    if (window.count <= this.perMinute) return
    throw new Refusal('rate_limited', `${this.who} ${this.perMinute} requests a minute; wait.`, {
      retryAfterSeconds: secondsUntilOver(window.since, now),
    })
  }
}

/** How sessions of the application are found; a part of the features. */
export interface SessionAuthenticator {
  /** The token in the cookie of a request, if any. */
  tokenIn(request: Request): string | undefined
  /** Finds who is signed in with this token; undefined once the session has ended. */
  authenticate(token: string): Caller | undefined
}

export interface AuthorizerOptions {
  readonly clock: Clock
  readonly authenticate: Authenticate
  readonly sessions: SessionAuthenticator
  readonly rules: BrowserRules
  /** For each key, and for each person who is signed in; null for no limit. */
  readonly requestsPerMinute: number | null
  /** The address of the remote of which this server is a copy: no caller may write, or notes and records only. */
  readonly mirrorOf: string | undefined
  readonly isMirrorWritable: boolean | undefined
}

/**
 * Checks first the key or the session (401, 429), then what it may do (403). The cookie of a session counts only in
 * requests without a key, under a name of this server, and from its own pages.
 */
export function createAuthorizer(options: AuthorizerOptions): Authorize {
  const failed = new FailedKeys(options.clock)
  const limit = new RequestLimit(options.clock, options.requestsPerMinute)
  return (request, server, rule, token) => {
    const key = presentedKey(request, token)
    const caller = key === undefined ? signedIn(options, request, rule) : options.authenticate(key)
    if (!caller) throw failed.refuse(addressGroup(server.requestIP(request)?.address ?? 'unknown'))
    limit.check(requesterKey(caller))
    if (rule.session && caller.sessionId === undefined) throw sessionRequired()
    if (rule.owner && caller.role !== 'owner') throw ownerRequired()
    if (rule.workspace) refuseInCopy(options, request)
    if (rule.write && !caller.mayWrite) throw readOnly(caller)
    return caller
  }
}

/** Paths that change notes and records; the log refuses other changes by these requests. */
const LOCAL_PATHS = /^\/v1\/(notes|records(?!\/(structures|views))|changes|presets\/[^/]+\/apply)(\/|$)/

function refuseInCopy({ mirrorOf, isMirrorWritable }: AuthorizerOptions, { url }: Request): void {
  if (mirrorOf === undefined) return
  if (!isMirrorWritable) throw readOnlyCopy(mirrorOf)
  if (!LOCAL_PATHS.test(new URL(url).pathname)) throw onlyNotesAndRecords(mirrorOf)
}

/** The caller of the session in the cookie. */
function signedIn({ sessions, rules }: AuthorizerOptions, request: Request, { session }: Rule): Caller {
  const token = request.headers.has('authorization') ? undefined : sessions.tokenIn(request)
  if (token === undefined) throw session ? signInNeeded() : keyNeeded()
  rules.checkHost(request)
  rules.checkSameSite(request, request.method === 'GET' || request.method === 'HEAD')
  return sessions.authenticate(token) ?? fail(signInNeeded())
}

export const keyNeeded = () =>
  unauthorized('This endpoint needs the header "Authorization: Bearer <API key>".')
export const signInNeeded = () => unauthorized('There is no session, or it has ended; sign in again.')

const sessionRequired = () =>
  new Refusal('session_required', 'This endpoint needs a signed-in session; API keys cannot use it.')

/** The refusal for who is not an owner of the workspace. */
export const ownerRequired = () =>
  new Refusal('owner_required', 'Only an owner of the workspace can do this; ask an owner.')

/** The refusal of a write by a caller who can only read, because of the key or of its user. */
export const readOnly = ({ scope, keyId }: Pick<Caller, 'scope' | 'keyId'>) =>
  new Refusal('read_only_key', readOnlySentence(keyId === null, scope))

function readOnlySentence(isSession: boolean, scope: Caller['scope']): string {
  if (isSession)
    return 'You are a viewer of this workspace and cannot change anything; ask an owner to make you an editor.'
  return scope === 'read'
    ? 'This API key is read-only; use a read-write key to change anything.'
    : 'The user of this API key is a viewer of the workspace and cannot change anything.'
}

/** The credential and the requirements of a request. */
export interface RightData extends Omit<Grant, 'needsWrite' | 'covers' | 'isNamed'> {
  needsWrite: boolean
  covers: Covers
  isNamed: boolean
}

/** Throws the refusal that the request would get now; by default it sees the database as reads do. */
export type Recheck = (right: RightData, reader?: Reader) => Standing

/** The requirements of an endpoint, and whether its path names an object. */
interface Asked {
  readonly rule: Rule & { readonly covers: Covers }
  readonly isNamed: boolean
}

/**
 * The caller of one request, and its right. The right is checked when the request arrives (`createAuthorizer`).
 * Because it may end meanwhile, it is checked again once the body has arrived, in every transaction of a write, and
 * before the response to a read that had to wait. Only the first check counts towards limits. The caller has the
 * permissions of the last check.
 */
export class RequestCaller implements Caller, Credential, Right {
  workspacePk: number
  readonly workspaceId: string
  readonly userId: string
  readonly keyId: string | null
  readonly keyName: string | null
  readonly sessionId: string | undefined
  scope: Caller['scope']
  role: Caller['role']
  mayWrite: boolean
  rights: Caller['rights']
  readonly surface: Caller['surface']
  readonly #request: Request
  readonly #recheck: Recheck
  readonly #data: RightData
  /** Whether the request writes for its caller. Indexes that a read writes belong to the server. */
  readonly #isWriteRoute: boolean
  #isFulfilled = false
  /** Whether the right was just checked, so that the response needs no further check. */
  #isFresh = false

  constructor(caller: Caller, request: Request, { rule, isNamed }: Asked, recheck: Recheck) {
    this.workspacePk = caller.workspacePk
    this.workspaceId = caller.workspaceId
    this.userId = caller.userId
    this.keyId = caller.keyId
    this.keyName = caller.keyName
    this.sessionId = caller.sessionId
    this.scope = caller.scope
    this.role = caller.role
    this.mayWrite = caller.mayWrite
    this.rights = caller.rights
    this.surface = caller.surface
    this.#request = request
    this.#recheck = recheck
    const { owner: needsOwner = false, write: needsWrite = false, covers } = rule
    this.#data = grantOf(caller, { needsOwner, needsWrite, covers, isNamed })
    this.#isWriteRoute = needsWrite || (rule.session === true && !isRead(request))
    this.#narrow()
  }

  /** Read only where something waits for long: Bun makes the signal when it is first read. */
  get signal(): AbortSignal {
    return this.#request.signal
  }

  /** Whether what was asked for is written: then the response says so, whatever has ended since. */
  get isFulfilled(): boolean {
    return this.#isFulfilled
  }

  get grant(): Grant {
    return this.#data
  }

  get data(): RightData | undefined {
    return this.#isWriteRoute ? this.#data : undefined
  }

  checkInWrite(reader: Reader): void {
    if (this.#isWriteRoute) this.check(reader)
  }

  check(reader?: Reader): void {
    const { scope, role, rights } = this.#recheck(this.#data, reader)
    this.scope = scope
    this.role = role
    this.mayWrite &&= standsForWriting({ scope, role })
    this.rights = rights
    this.#narrow()
  }

  #narrow(): void {
    this.workspacePk = workspaceOf(this.#data, this.rights)
  }

  /** Notes that the right was checked while the response was made, without waiting for anything since. */
  noteFresh(): void {
    this.#isFresh = true
  }

  /** Checks it when the handler is done, but for one that has written what was asked for. */
  checkAfter(hasSucceeded: boolean): void {
    if (hasSucceeded && this.#isWriteRoute) this.#isFulfilled = true
    if (!this.#isFulfilled && !(hasSucceeded && this.#isFresh)) this.check()
  }

  /** Notes that the request has written something, so that its response is sent whatever ends now. */
  noteFulfilled(): void {
    this.#isFulfilled = true
  }

  /** The caller as it is now, on another surface. */
  on(surface: Caller['surface']): Caller {
    const { workspacePk, workspaceId, userId, keyId, keyName, scope, role, mayWrite, rights } = this
    const request = this.#request
    return {
      workspacePk,
      workspaceId,
      userId,
      keyId,
      keyName,
      scope,
      role,
      mayWrite,
      rights,
      surface,
      get signal() {
        return request.signal
      },
    }
  }
}

/** The workspace in which a request looks for what its endpoint covers. */
export const workspaceOf = (
  { workspacePk, needsWrite: isWrite, covers, isNamed }: RightData,
  rights: Caller['rights'],
): number => checkCovered(rights, workspacePk, { covers, isWrite, isNamed })

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'
