import type { Caller } from '../context.ts'
import type { AdmittedCaller, Kernel } from '../kernel/call.ts'
import type { Covers } from '../kernel/caller.ts'
import { allowsWriting, keyNeeded } from '../kernel/caller.ts'
import { KEY_FORM, type RequestIdentity, savedFor } from '../kernel/once.ts'
import type { Operation, WriteOperation } from '../kernel/operation.ts'
import { systemClock } from '../lib/clock.ts'
import { isTaggedJson, listedTags, type TaggedJson } from '../lib/entity-tags.ts'
import { fail, invalid, Refusal } from '../lib/refusal.ts'
import {
  type Authorize,
  admitted,
  isRead,
  type Quota,
  type Requirement,
  type Rule,
  tokenIn,
} from './authorizer.ts'
import type { BodyReservation } from './body.ts'
import { createdResponse, entityResponse, type JsonBody, jsonResponse } from './responses.ts'

/** The server that received a request, such as Bun's. */
export interface HttpServer {
  /** The address of the client. Finding it costs more than finding a key, so call this only when needed. */
  requestIP(request: Request): { address: string; port?: number } | null
  /** Sets the idle timeout of this request's connection in seconds; 0 for none. */
  timeout(request: Request, seconds: number): void
}

/**
 * Called with the reason when a caller may no longer read: the key was revoked or has expired, or the session has
 * ended.
 */
export type RightEndListener = (
  why: 'key_revoked' | 'key_expired' | 'session_ended' | 'access_changed',
) => void

/** Finds callers and checks their permissions. */
export interface Rights {
  readonly kernel: Kernel
  readonly authorize: Authorize
  readonly onRightEnd: (caller: Caller, listener: RightEndListener) => () => void
}

/** The idle timeout of connections. */
export const IDLE_SECONDS = 60

/** Request ids: a random prefix and a number. Numbers start high enough that all ids have the same length. */
export function requestIds(): () => string {
  const prefix = crypto.getRandomValues(Buffer.alloc(5)).toString('hex')
  let count = 0x10000000
  return () => `${prefix}${(count++).toString(16)}`
}

/** Refuses an encoded body; a request without a body may name any coding. */
function checkEncoding(request: Request): void {
  const encoding = request.headers.get('content-encoding')
  if (encoding === null || request.body === null) return
  const codings = encoding.split(',').map((coding) => coding.trim().toLowerCase())
  if (codings.every((coding) => coding === '' || coding === 'identity')) return
  throw new Refusal(
    'unsupported_encoding',
    `Bodies with the Content-Encoding "${encoding}" are not supported; send the body uncompressed, without this header.`,
  )
}

/** The requirements of an endpoint, and the objects that it shows or changes. */
type EndpointRule = Rule & {
  readonly covers: Covers
  readonly entity?: true | undefined
  readonly secret?: true | undefined
}

/** The tags of `If-Match`. Refuses a malformed header, and a condition that the endpoint would ignore. */
function ifMatchOf(
  { headers, url }: Request,
  { entity, write }: EndpointRule,
): readonly string[] | undefined {
  const header = headers.get('if-match')
  if (header === null) return undefined
  if (entity)
    return (
      listedTags(header) ??
      fail(invalid('The header "If-Match" must be `*` or a list of quoted entity tags.'))
    )
  if (write && new URL(url).pathname.startsWith('/v1/'))
    throw invalid('This endpoint does not support the header "If-Match"; send the request without it.')
  return undefined
}

/** A request, its derived data and its response, as handlers pass them to the functions of `http`. */
export class Exchange {
  readonly startedAt = systemClock.monotonicMs()
  /** The path of the endpoint with the names of its parameters; undefined if no endpoint matches. */
  route: string | undefined = undefined
  /** The caller as last checked; undefined before the check, and for endpoints without a key. */
  caller: AdmittedCaller | undefined = undefined
  /** The raw text of the body; empty without one. */
  bodyText = ''
  /** The parsed value of a JSON body. */
  body: unknown = undefined
  /** The names of the query parameters of the endpoint. */
  parameters: readonly string[] = []
  /** The memory reserved for the body, until the response exists. */
  reservation: BodyReservation | undefined = undefined
  /** Whether the endpoint reads or changes one object with an entity tag. */
  isEntity = false
  /** Set if the requests of the caller are limited. */
  quota: Quota | undefined = undefined
  /** Whether the response contains a secret. */
  hasSecret = false
  /** The tags of `If-Match`; the write is done only if one of them is the object's. */
  ifMatch: readonly string[] | undefined = undefined
  /** Whether the key may be in the query. */
  takesToken = false
  /** Whether the request has written something; its response is then sent even if the caller's permission has ended. */
  isFulfilled = false
  /** Whether the permissions were checked with no wait since, so that the response needs no new check. */
  private isFresh = false
  /** The authenticated caller, and the endpoint's requirements. */
  private authenticated: Caller | undefined = undefined
  private requirement: Requirement | undefined = undefined
  /** Whether the idle timeout of the connection is suspended. */
  private isWaiting = false

  constructor(
    readonly request: Request,
    readonly server: HttpServer,
    private readonly rights: Rights,
    /** The value of `X-Request-Id`, which the log also contains. */
    readonly requestId: string,
  ) {}

  /** The raw query. */
  get search(): string {
    const { url } = this.request
    const mark = url.indexOf('?')
    return mark === -1 ? '' : url.slice(mark + 1)
  }

  /** The address of the client. */
  get address(): string {
    return this.server.requestIP(this.request)?.address ?? 'unknown'
  }

  /** Authenticates the caller; refuses one that may not call an endpoint with this rule. */
  admit(route: string, rule: EndpointRule): void {
    this.route = route
    this.isEntity = rule.entity ?? false
    this.hasSecret = rule.secret ?? false
    this.takesToken = rule.keyInQuery ?? false
    const token = this.takesToken ? tokenIn(this.search) : undefined
    const { request, server, rights } = this
    this.authenticated = rights.authorize(request, server, rule, token, (quota) => {
      this.quota = quota
    })
    this.requirement = { rule, isNamed: route.includes(':') }
    this.caller = admitted(this.authenticated, request, this.requirement)
    if (isRead(request)) return
    checkEncoding(request)
    this.ifMatch = ifMatchOf(request, rule)
  }

  /**
   * Checks the caller's permission again, because it may end while the request waits. Throws the refusal that the
   * request would get now. Only the first check counts toward limits.
   */
  recheck(): void {
    const { caller, authenticated, requirement, request } = this
    if (!caller || !authenticated || !requirement) return
    const permissions = this.rights.kernel.recheck(caller.grant)
    const mayWrite = authenticated.mayWrite && allowsWriting(permissions)
    this.caller = admitted({ ...authenticated, ...permissions, mayWrite }, request, requirement)
  }

  /** Checks the permission after the handler, unless the requested write has been done. */
  checkAfter(hasSucceeded: boolean): void {
    if (!this.caller) return
    if (hasSucceeded && this.isWriteRoute) this.isFulfilled = true
    if (!this.isFulfilled && !(hasSucceeded && this.isFresh)) this.recheck()
  }

  /** Whether the endpoint changes anything, including sessions and members. */
  private get isWriteRoute(): boolean {
    const { write, session } = this.requirement?.rule ?? {}
    return write === true || (session === true && !isRead(this.request))
  }

  /** Runs an operation for the caller and responds with its output as JSON. */
  call<Input>(
    operation: Operation<Input, object | string>,
    input: Input,
    status = 200,
  ): Response | Promise<Response> {
    const caller = this.credential
    const body = this.rights.kernel.respond(operation, caller, input, this)
    const respond = (output: JsonBody | TaggedJson) => {
      const { json, tag } = isTaggedJson(output) ? output : { json: output }
      return this.isEntity && isRead(this.request)
        ? entityResponse(this.request, json, tag)
        : jsonResponse(json, status)
    }
    if (body instanceof Promise) return body.then(respond)
    this.isFresh = true
    return respond(body)
  }

  /** Runs an operation for the caller and returns its output, for a response that needs several. */
  outputOf<Input, Output>(operation: Operation<Input, Output>, input: Input): Output | Promise<Output> {
    return this.rights.kernel.call(operation, this.credential, input)
  }

  /**
   * Runs an operation for the caller, on another surface and under the operation's own requirements. For endpoints
   * whose requests call several operations. After a write, the response is sent even if the permission has ended since.
   */
  async callAs<Input, Output>(
    surface: Caller['surface'],
    operation: Operation<Input, Output>,
    input: Input,
    isNamed?: boolean,
  ): Promise<Output> {
    const { request } = this
    const caller: Caller = {
      ...(this.authenticated ?? fail(keyNeeded())),
      surface,
      get signal() {
        return request.signal
      },
    }
    const output = await this.rights.kernel.callAs(caller, operation, input, isNamed)
    if (operation.kind === 'write') this.isFulfilled = true
    return output
  }

  /** Runs a creation, or another repeatable write, with support for `Idempotency-Key` (`kernel/once.ts`). */
  async create<Input>(
    operation: WriteOperation<Input, object | string>,
    input: Input,
    status = 201,
  ): Promise<Response> {
    const { kernel } = this.rights
    const { text, replayed } = await kernel.respondOnce(
      operation,
      this.credential,
      input,
      this,
      this.identity,
    )
    return createdResponse(text, replayed, status)
  }

  /** The identity of the request by its `Idempotency-Key`; undefined without one. */
  get identity(): RequestIdentity | undefined {
    const { request, caller } = this
    const idempotencyKey = request.headers.get('idempotency-key')
    if (idempotencyKey === null) return undefined
    if (!KEY_FORM.test(idempotencyKey))
      throw invalid('The header "Idempotency-Key" must be 1 to 255 printable ASCII characters.')
    if (!caller) return undefined
    const target = `${request.method} ${new URL(request.url).pathname}`
    return { keyId: savedFor(caller), target, idempotencyKey }
  }

  /** The caller of an endpoint that needs one. */
  get credential(): AdmittedCaller {
    return this.caller ?? fail(keyNeeded())
  }

  /** Admits any client. */
  open(route: string, hasSecret = false): void {
    this.route = route
    this.hasSecret = hasSecret
    if (!isRead(this.request)) checkEncoding(this.request)
  }

  /**
   * Calls the listener, possibly at once, when the caller's key or session ends. For work that continues after the
   * response has begun. Returns a function that stops it.
   */
  onRightEnd(listener: RightEndListener): () => void {
    return this.caller ? this.rights.onRightEnd(this.caller, listener) : () => {}
  }

  /** Releases the resources of the request; the idle timeout of its connection applies again. */
  end(): void {
    this.reservation?.release()
    if (this.isWaiting) this.server.timeout(this.request, IDLE_SECONDS)
  }

  /**
   * Suspends the idle timeout while a handler waits for a large query or a lock: Bun would close the connection
   * before the response.
   */
  waitForHandler(): void {
    this.isWaiting = true
    this.server.timeout(this.request, 0)
  }
}
