import type { Caller } from '../context.ts'
import { requesterKey } from '../db/worker/client.ts'
import { asRequester } from '../db/writes/requester.ts'
import type { Log } from '../lib/log.ts'
import { fail, invalid, Refusal } from '../refusal.ts'
import { type Authorize, TOKEN, tokenIn } from './authorizer.ts'
import { readBody } from './body.ts'
import type { BodyBudget } from './body-budget.ts'
import type { BrowserRules } from './browser/browser-rules.ts'
import { addCorsHeaders, preflight } from './browser/cors.ts'
import { errorResponse } from './errors.ts'
import type { RequestMetrics } from './request-metrics.ts'
import {
  type CheckedCaller,
  type Recheck,
  RequestRight,
  type Standing,
  standsForWriting,
} from './request-right.ts'
import { addSafeHeaders, responseOf } from './responses.ts'
import type { HttpServer, RequestContext, RightEndListener } from './routes.ts'
import { allowedMethods, type Route, type RoutesOfPath, type RouteTable } from './routes.ts'
import { isStreamed } from './streamed.ts'
import { type QueryValues, readQuery } from './validation.ts'

export interface PipelineOptions {
  routes: RouteTable
  authorize: Authorize
  recheck: Recheck
  /** As in `RequestContext`. */
  onRightEnd: (caller: Caller, listener: RightEndListener) => () => void
  rules: BrowserRules
  corsOrigins: readonly string[]
  log: Log
  requests: RequestMetrics
  /** Called with whatever a handler throws, a refusal or a failure. */
  noteError: (error: unknown) => void
  /** Bounds the memory that request bodies take. */
  bodies: BodyBudget
  /** That of every request once the server is stopping. */
  refusal: () => Refusal | undefined
}

/** After how many idle seconds a connection is closed. */
export const IDLE_SECONDS = 60

/** Bun's parser is started with twice this limit, so that this service sends the refusal. */
const MAX_URL_BYTES = 65_536

interface RequestUrl {
  path: string
  search: string
}

/** Bun hands over a bare path when the request has no usable `Host`. */
function requestUrlOf(url: string): RequestUrl {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  const fragment = url.indexOf('#', start)
  const end = fragment === -1 ? url.length : fragment
  const mark = url.indexOf('?', start)
  if (mark === -1 || mark > end) return { path: url.slice(start, end), search: '' }
  return { path: url.slice(start, mark), search: url.slice(mark + 1, end) }
}

const urlBytes = ({ path, search }: RequestUrl) => path.length + (search === '' ? 0 : search.length + 1)

const uriTooLong = () =>
  new Refusal('uri_too_long', `The URL is longer than ${MAX_URL_BYTES} bytes; send less in the query.`)

const unknownPath = () =>
  new Refusal('not_found', 'This service has no such path; see /docs for those it has.')

/** Starts so high that all numbers have the same length. */
let requestCount = 0x10000000
const processPrefix = crypto.getRandomValues(Buffer.alloc(5)).toString('hex')
const nextRequestId = () => `${processPrefix}${(requestCount++).toString(16)}`

/** A request on its way through the pipeline; what is not known yet is undefined. */
class PipelineRequest implements RequestContext {
  readonly requestId = nextRequestId()
  readonly startedAt = performance.now()
  readonly method: string
  route: Route | undefined = undefined
  caller: CheckedCaller | undefined = undefined
  /** Undefined where no key is needed. */
  right: RequestRight | undefined = undefined
  params: Record<string, string> = {}
  query: QueryValues = {}
  body: unknown = {}
  bodyText = ''
  /** The value of the `Allow` header, where the method is not one of the path's. */
  allow: string | undefined = undefined

  constructor(
    readonly request: Request,
    readonly server: HttpServer,
    private readonly rightEnds: PipelineOptions['onRightEnd'],
  ) {
    this.method = request.method
  }

  onRightEnd(listener: RightEndListener): () => void {
    return this.caller ? this.rightEnds(this.caller, listener) : () => {}
  }
}

/** The caller of one request. */
class RequestCaller implements CheckedCaller {
  readonly workspacePk: number
  readonly workspaceId: string
  readonly userId: string
  readonly keyId: string | null
  readonly keyName: string | null
  readonly sessionId: string | undefined
  scope: Caller['scope']
  role: Caller['role']
  mayWrite: boolean
  readonly surface: Caller['surface']
  readonly #request: Request

  constructor(caller: Caller, request: Request) {
    this.workspacePk = caller.workspacePk
    this.workspaceId = caller.workspaceId
    this.userId = caller.userId
    this.keyId = caller.keyId
    this.keyName = caller.keyName
    this.sessionId = caller.sessionId
    this.scope = caller.scope
    this.role = caller.role
    this.mayWrite = caller.mayWrite
    this.surface = caller.surface
    this.#request = request
  }

  note({ scope, role }: Standing): void {
    this.scope = scope
    this.role = role
    this.mayWrite &&= standsForWriting({ scope, role })
  }

  /** Read only where something waits for long: Bun makes the signal when it is first read. */
  get signal(): AbortSignal {
    return this.#request.signal
  }
}

/**
 * Serves every request. It checks, in this order, what needs no feature: path (404) and method (405), key (401),
 * scope (403), then the form of query and body (400, 413); then it calls the handler of the route. Every response
 * has an `X-Request-Id` and one line in the log. It is returned without a promise where the handler needs none.
 */
export function createPipeline(options: PipelineOptions) {
  const { corsOrigins, log, requests } = options

  function finish(context: PipelineRequest, response: Response): Response {
    const { headers } = response
    headers.set('X-Request-Id', context.requestId)
    addSafeHeaders(headers)
    if (context.allow !== undefined) headers.set('Allow', context.allow)
    if (corsOrigins.length > 0) addCorsHeaders(headers, corsOrigins, context.request)
    const ms = performance.now() - context.startedAt
    requests.add(context.route, response.status, ms)
    log.info('request', {
      request_id: context.requestId,
      method: context.method,
      route: context.route?.pattern ?? null,
      status: response.status,
      ms: Math.round(ms * 1000) / 1000,
      key_id: context.caller?.keyId ?? null,
    })
    return response
  }

  function failed(context: PipelineRequest, error: unknown): Response {
    options.noteError(error)
    return errorResponse(error, context.requestId, log)
  }

  async function finishLater(context: PipelineRequest, pending: Promise<Response>): Promise<Response> {
    const response = await pending.catch((error) => failed(context, error))
    return finish(context, context.method === 'HEAD' ? await withoutBody(response) : response)
  }

  return (request: Request, server: HttpServer): Response | Promise<Response> => {
    const context = new PipelineRequest(request, server, options.onRightEnd)
    let response: Response | Promise<Response>
    try {
      response = respond(options, context)
    } catch (error) {
      response = failed(context, error)
    }
    if (response instanceof Promise) return finishLater(context, response)
    return context.method === 'HEAD'
      ? finishLater(context, Promise.resolve(response))
      : finish(context, response)
  }
}

function respond(options: PipelineOptions, context: PipelineRequest): Response | Promise<Response> {
  const { request, method, server } = context
  const refusal = options.refusal()
  if (refusal) throw refusal
  const target = requestUrlOf(request.url)
  if (urlBytes(target) > MAX_URL_BYTES) throw uriTooLong()
  if (isForBrowsers(target.path)) options.rules.checkHost(request)
  if (target.path === AGENTS) options.rules.checkOrigin(request, options.corsOrigins)
  const { routes, values } = options.routes.find(target.path) ?? fail(unknownPath())
  if (method === 'OPTIONS' && options.corsOrigins.length > 0) return preflight(allowedMethods(routes))
  const route = routeOf(context, routes)
  context.route = route
  if (route.access !== 'anyone') {
    const token = route.takesToken ? tokenIn(target.search) : undefined
    const caller = new RequestCaller(options.authorize(request, server, route, token), request)
    context.caller = caller
    context.right = new RequestRight(options.recheck, caller, route)
  }
  context.params = parametersOf(route, values)
  context.query = withoutToken(readQuery(target.search, route.query), route)
  route.checkQuery(context.query)
  if (route.method === 'GET') return handle(context, route)
  if (route.takesRawBody) return handleAsRequester(context, route)
  return readBodyAndHandle(options, context, route)
}

/** Where agents speak MCP, whose rules keep web pages out that do not belong to the server. */
const AGENTS = '/mcp'

/** Paths whose answers depend on who is signed in, or that act without a key. */
const isForBrowsers = (path: string): boolean =>
  path === '/app' || path === AGENTS || path.startsWith('/app/')

function routeOf(context: PipelineRequest, routes: RoutesOfPath): Route {
  const { method } = context
  const route = routes.get(method === 'HEAD' ? 'GET' : method)
  if (route) return route
  context.allow = allowedMethods(routes)
  throw new Refusal('method_not_allowed', `This path does not allow ${method}; it allows ${context.allow}.`)
}

function parametersOf({ parameters }: Route, values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (let index = 0; index < parameters.length; index++)
    params[parameters[index] ?? ''] = values[index] ?? ''
  return params
}

/** The key is not one of the endpoint's parameters. */
function withoutToken(query: QueryValues, { takesToken }: Route): QueryValues {
  if (!takesToken) return query
  const { [TOKEN]: _, ...others } = query
  return others
}

const requesterOf = ({ caller }: PipelineRequest): string => (caller ? requesterKey(caller) : '')

const handleAsRequester = (context: PipelineRequest, route: Route) =>
  asRequester(requesterOf(context), () => handle(context, route), context.right)

async function readBodyAndHandle(
  { bodies }: PipelineOptions,
  context: PipelineRequest,
  route: Route,
): Promise<Response> {
  const reserve = (bytes: number) => bodies.reserve(requesterOf(context), bytes)
  const { text, value, reservation } = await readBody(
    context.request,
    reserve,
    context.caller?.mayWrite ?? false,
  )
  try {
    context.right?.check()
    if (value !== undefined) {
      context.body = value
      context.bodyText = text
    } else if (route.takesBody) throw invalid('A JSON object is required as the body of this request.')
    route.checkBody(context.body)
    const handled = handleAsRequester(context, route)
    return reservation ? await handled : handled
  } finally {
    reservation?.release()
  }
}

/**
 * While a handler waits, for its large query to start or for a lock, the connection is not idle: without this, Bun would
 * close it before the response.
 */
function handle(context: PipelineRequest, route: Route): Response | Promise<Response> {
  const result = route.handle(context)
  if (!(result instanceof Promise)) return responseOf(result, route.status)
  const { request, server, right } = context
  if (!route.takesRawBody) server.timeout(request, 0)
  return (right ? right.checkAfter(result) : result)
    .finally(() => server.timeout(request, IDLE_SECONDS))
    .then((value) => responseOf(value, route.status))
}

/** The response to `HEAD` says how long the body would be, except of a stream, which was not started for it. */
async function withoutBody(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  if (isStreamed(response)) await response.body?.cancel()
  else if (response.body !== null)
    headers.set('Content-Length', String((await response.arrayBuffer()).byteLength))
  return new Response(null, { status: response.status, headers })
}
