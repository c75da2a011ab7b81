import type { Caller } from '../context.ts'
import type { Log } from '../lib/log.ts'
import { fail, invalid, Refusal, unavailable } from '../refusal.ts'
import { type Entry, TOKEN, tokenIn } from './authorizer.ts'
import { type Body, readBody } from './body.ts'
import { corsHeaders, preflight } from './cors.ts'
import { errorResponse } from './errors.ts'
import { type QueryValues, readQuery } from './query.ts'
import { attachRequestContext } from './request-context.ts'
import { allowedMethods, type Route, type RoutesOfPath, type RouteTable } from './route-table.ts'
import { checkForm } from './validation.ts'

/** Where a request came from. */
export interface Peer {
  /** Asked for only while the request is judged: finding it costs more than finding the key. */
  readonly address: () => string
  /** See `Exchange`. */
  readonly limitIdle: (seconds: number) => void
}

export interface PipelineOptions {
  routes: RouteTable
  /** The application behind the edge: it routes, validates and handles. */
  handle: (request: Request) => Promise<Response>
  /** Key and scope; see `auth.ts`. */
  authorize: (request: Request, entry: Entry) => Caller
  corsOrigins: readonly string[]
  log: Log
  /** True once the server is stopping: everything answers 503. */
  isStopping: () => boolean
}

/** Bun's parser is started with room for twice this, so that the refusal can be ours. */
const MAX_URL_BYTES = 65_536

interface Target {
  path: string
  search: string
}

/** Bun hands over a bare path when the request has no usable `Host`. */
function targetOf(url: string): Target {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  const fragment = url.indexOf('#', start)
  const end = fragment === -1 ? url.length : fragment
  const mark = url.indexOf('?', start)
  if (mark === -1 || mark > end) return { path: url.slice(start, end), search: '' }
  return { path: url.slice(start, mark), search: url.slice(mark + 1, end) }
}

const uriTooLong = () =>
  new Refusal('uri_too_long', `The URL is longer than ${MAX_URL_BYTES} bytes; send less in the query.`)

const unknownPath = () =>
  new Refusal('not_found', 'This service has no such path; see /docs for those it has.')

let requestCount = 0
const processMark = crypto.getRandomValues(Buffer.alloc(5)).toString('hex')
const nextRequestId = () => `${processMark}${(requestCount++).toString(16).padStart(6, '0')}`

/** What is known of a request by the time it is logged. */
interface Progress {
  readonly requestId: string
  route?: Route
  caller?: Caller
  allow?: string
}

/**
 * The edge stands before the application and judges, in this order, what needs no feature: path (404) and
 * method (405), key (401), scope (403), then the form of query and body (400, 413). Every answer leaves
 * through it with `X-Request-Id`, and is logged once.
 */
export function createPipeline(options: PipelineOptions) {
  const { log, corsOrigins } = options
  return async (request: Request, peer: Peer): Promise<Response> => {
    const started = performance.now()
    const progress: Progress = { requestId: nextRequestId() }
    const answered = await answer(options, request, peer, progress)
    const response = request.method === 'HEAD' ? await withoutBody(answered) : answered
    finish(response.headers, request, progress, corsOrigins)
    log.info('request', {
      request_id: progress.requestId,
      method: request.method,
      route: progress.route?.pattern ?? null,
      status: response.status,
      ms: Math.round((performance.now() - started) * 1000) / 1000,
      key_id: progress.caller?.keyId ?? null,
    })
    return response
  }
}

function finish(
  headers: Headers,
  request: Request,
  progress: Progress,
  corsOrigins: readonly string[],
): void {
  headers.set('X-Request-Id', progress.requestId)
  if (progress.allow !== undefined) headers.set('Allow', progress.allow)
  if (corsOrigins.length === 0) return
  for (const [name, value] of corsHeaders(corsOrigins, request)) headers.set(name, value)
}

async function answer(
  options: PipelineOptions,
  request: Request,
  peer: Peer,
  progress: Progress,
): Promise<Response> {
  try {
    if (options.isStopping())
      throw unavailable('The server is shutting down; nothing was written. Try again.')
    const target = targetOf(request.url)
    if (urlBytes(target) > MAX_URL_BYTES) throw uriTooLong()
    const routes = options.routes.find(target.path) ?? fail(unknownPath())
    if (request.method === 'OPTIONS' && options.corsOrigins.length > 0)
      return preflight(allowedMethods(routes))
    const route = routeOf(routes, request.method, progress)
    return await serve(options, request, peer, progress, route, target)
  } catch (error) {
    return errorResponse(error, progress.requestId, options.log)
  }
}

const urlBytes = ({ path, search }: Target) => path.length + (search === '' ? 0 : search.length + 1)

function routeOf(routes: RoutesOfPath, method: string, progress: Progress): Route {
  const route = routes.get(method === 'HEAD' ? 'GET' : method)
  if (route) {
    progress.route = route
    return route
  }
  progress.allow = allowedMethods(routes)
  throw new Refusal(
    'method_not_allowed',
    `This path does not answer ${method}; it answers ${progress.allow}.`,
  )
}

async function serve(
  options: PipelineOptions,
  request: Request,
  peer: Peer,
  progress: Progress,
  route: Route,
  target: Target,
): Promise<Response> {
  const token = route.takesToken ? tokenIn(target.search) : undefined
  const entry = { address: peer.address, needsWrite: route.needsWrite, token }
  if (route.needsKey) progress.caller = options.authorize(request, entry)
  const query = withoutToken(readQuery(target.search, route.query), route)
  checkForm('query', route.query, query)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const body = isRead ? undefined : await bodyFor(route, request)
  const inner = innerRequest(request, target)
  const isHead = request.method === 'HEAD'
  attachRequestContext(inner, exchangeFor(progress, query, body, isHead, peer))
  return options.handle(inner)
}

/** The key is no part of the question. */
function withoutToken(query: QueryValues, { takesToken }: Route): QueryValues {
  if (!takesToken) return query
  const { [TOKEN]: _, ...others } = query
  return others
}

/** The request as the application routes it: `HEAD` as `GET`, and a URL in which it finds the same path as we. */
function innerRequest(request: Request, target: Target): Request {
  const { url, method } = request
  if (method !== 'HEAD' && !url.startsWith('/') && !url.includes('#')) return request
  return new Request(`http://localhost${target.path}?${target.search}`, {
    method: method === 'HEAD' ? 'GET' : method,
    headers: request.headers,
    signal: request.signal,
  })
}

const exchangeFor = (
  progress: Progress,
  query: QueryValues,
  body: Body | undefined,
  isHead: boolean,
  peer: Peer,
) => ({
  requestId: progress.requestId,
  caller: progress.caller,
  query,
  body: body?.value,
  bodyText: body?.text ?? '',
  isHead,
  limitIdle: peer.limitIdle,
})

async function bodyFor(route: Route, request: Request): Promise<Body> {
  const body = await readBody(request)
  if (!body && route.takesBody) throw invalid('A JSON object is required as the body of this request.')
  const { text, value } = body ?? { text: '', value: {} }
  checkForm('body', route.body, value)
  return { text, value }
}

/** A HEAD answer says how long the body would be, except of a stream, which was not started for it. */
async function withoutBody(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  if (response.body !== null) headers.set('Content-Length', String((await response.arrayBuffer()).byteLength))
  return new Response(null, { status: response.status, headers })
}
