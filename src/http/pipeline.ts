import { type AnyElysia, Elysia, ElysiaCustomStatusResponse, NotFoundError } from 'elysia'
import type { Caller } from '../context.ts'
import { asRequester } from '../db/writes/requester.ts'
import type { Log } from '../lib/log.ts'
import { Refusal } from '../refusal.ts'
import { isRead } from './authorizer.ts'
import type { BodyBudget } from './body.ts'
import type { BrowserRules } from './browser/browser-rules.ts'
import { addCorsHeaders, preflight } from './browser/cors.ts'
import { Bursts } from './bursts.ts'
import { errorResponse, methodNotAllowed } from './errors.ts'
import { Exchange, type HttpServer, type Rights, requestIds } from './exchange.ts'
import { type Untaken, withBody } from './large-responses.ts'
import { type Context, type Endpoint, handlerOf, mount, type Serve } from './mount.ts'
import type { RequestMetrics } from './request-metrics.ts'
import { addSafeHeaders, jsonResponse } from './responses.ts'
import { isStreamed } from './streamed.ts'

export interface PipelineOptions extends Rights {
  /** Bounds the memory that request bodies take. */
  bodies: BodyBudget
  /** Bounds the memory that responses take. */
  untaken: Untaken
  rules: BrowserRules
  corsOrigins: readonly string[]
  log: Log
  requests: RequestMetrics
  /** Called with whatever a handler throws, a refusal or a failure. */
  noteError: (error: unknown) => void
  /** That of every request once the server is stopping. */
  refusal: () => Refusal | undefined
}

/** What Elysia does by itself and this service does another way. */
const SETTINGS = {
  aot: true,
  normalize: false,
  strictPath: true,
  nativeStaticResponse: false,
  handler: { standardHostname: false },
}

/**
 * The Elysia application that serves the endpoints of all features. Before a handler it checks, in this order: URL and
 * name of the server (431, 421), path (404) and method (405), key (401) and scope (403), and the form of query and body
 * (400, 413). Every response has an `X-Request-Id` and one line in the log.
 */
export function createPipeline(options: PipelineOptions, features: readonly AnyElysia[]) {
  const { corsOrigins, log, requests } = options
  /** The responses to `HEAD`: Elysia, which serves it as `GET`, gives them other lengths. */
  const heads = new WeakMap<Request, Response>()
  /** The server that took the latest request; each of Bun's knows the connections of all. */
  let latest: HttpServer
  const newId = requestIds()
  const bursts = new Bursts()
  const newExchange = (request: Request) => new Exchange(request, latest, options, newId())

  function finish(exchange: Exchange, response: Response): Response {
    const { request, requestId, route } = exchange
    exchange.end()
    response.headers.set('X-Request-Id', requestId)
    addSafeHeaders(response.headers)
    if (corsOrigins.length > 0) addCorsHeaders(response.headers, corsOrigins, request)
    const ms = performance.now() - exchange.startedAt
    const { method } = request
    const { status } = response
    requests.add(method === 'HEAD' ? 'GET' : method, route, status, ms)
    log.request({ requestId, method, route, status, ms, keyId: exchange.caller?.keyId })
    return response
  }

  async function finishHead(exchange: Exchange, response: Response): Promise<Response> {
    heads.set(exchange.request, finish(exchange, await withoutBody(response)))
    return new Response(null)
  }

  const respond = (exchange: Exchange, response: Response): Response | Promise<Response> =>
    exchange.request.method === 'HEAD' ? finishHead(exchange, response) : finish(exchange, response)

  const succeed = (exchange: Exchange, result: unknown): Response | Promise<Response> =>
    respond(exchange, withBody(exchange, responseOf(result), options.untaken))

  function fail(exchange: Exchange, error: unknown): Response | Promise<Response> {
    options.noteError(error)
    const thrown = error instanceof NotFoundError ? unknownPath() : (refusalOf(exchange) ?? error)
    return respond(exchange, errorResponse(thrown, exchange, log))
  }

  async function settle(exchange: Exchange, result: Promise<unknown>): Promise<Response> {
    if (isRead(exchange.request)) exchange.waitForHandler()
    try {
      const value = await result
      exchange.caller?.checkAfter(true)
      return await succeed(exchange, value)
    } catch (error) {
      return fail(exchange, error)
    }
  }

  function serve(endpoint: Endpoint, context: Context): Response | Promise<Response> {
    const exchange = newExchange(context.request)
    context.exchange = exchange
    try {
      checkParameters(context.params)
      const result = endpoint(exchange, context)
      // A right that was found a moment ago, without waiting for anything since, is checked no second time.
      return result instanceof Promise ? settle(exchange, result) : succeed(exchange, result)
    } catch (error) {
      return fail(exchange, error)
    }
  }

  const app: AnyElysia = new Elysia(SETTINGS)
    // From the beginning, so that the contexts of all requests have one shape.
    .decorate({ exchange: undefined as Exchange | undefined, caller: undefined as Caller | undefined })
    .onRequest(({ request }) => {
      const refusal = options.refusal()
      if (refusal) throw refusal
      checkTarget(request, options)
    })
    // What `serve` does not see: unknown paths, and requests that are refused before their path is looked up.
    .onError(async (context) => {
      // The response has its own.
      context.set.status = 200
      const exchange = newExchange(context.request)
      context.exchange = exchange
      return fail(exchange, context.error)
    })
    .mapResponse(({ exchange, request, responseValue }) =>
      exchange === undefined ? succeed(newExchange(request), responseValue) : undefined,
    )

  async function head(request: Request): Promise<Response> {
    const response = await app.fetch(request)
    return heads.get(request) ?? response
  }

  for (const feature of features) mount(app, feature, options.bodies, serve)
  refuseOtherMethods(app, corsOrigins.length > 0, serve)

  return {
    app,
    /** Serves one request; `from` is the server that took it. */
    fetch: (received: Request, from: HttpServer): Response | Promise<Response> => {
      const address = () => from.requestIP(received)?.address ?? 'unknown'
      return bursts.serve({ request: received, address }, () => {
        latest = from
        const request = withUsualUrl(received)
        if (request.method === 'GET') return app.fetch(request)
        if (request.method === 'HEAD') return head(request)
        return asRequester('', () => app.fetch(request))
      })
    },
  }
}

/** The refusal of a caller whose right has ended meanwhile, which a failure of the handler does not hide. */
function refusalOf({ caller }: Exchange): Refusal | undefined {
  try {
    caller?.checkAfter(false)
  } catch (error) {
    if (error instanceof Refusal) return error
  }
  return undefined
}

/** Bun hands over a bare path when the request has no usable `Host`, and the fragment if there is one. */
function withUsualUrl(request: Request): Request {
  const { url } = request
  const isBare = url.startsWith('/')
  const fragment = url.indexOf('#')
  if (!isBare && fragment === -1) return request
  const value = (isBare ? NO_HOST : '') + (fragment === -1 ? url : url.slice(0, fragment))
  return Object.defineProperty(request, 'url', { value })
}

const NO_HOST = 'http://no-host.invalid'

/** Bun's parser is started with twice this limit, so that this service sends the refusal. */
const MAX_URL_BYTES = 65_536

/** Where agents speak MCP, whose rules keep web pages out that do not belong to the server. */
const AGENTS = '/mcp'

/** Refuses a URL that is too long, and a name that is not the server's where browsers are involved. */
function checkTarget(request: Request, { rules, corsOrigins }: PipelineOptions): void {
  const { url } = request
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (url.length - start > MAX_URL_BYTES) throw uriTooLong()
  if (!url.startsWith('/app', start) && !url.startsWith(AGENTS, start)) return
  const mark = url.indexOf('?', start)
  const path = url.slice(start, mark === -1 ? undefined : mark)
  // Their answers depend on who is signed in, or they act without a key.
  if (path === '/app' || path === AGENTS || path.startsWith('/app/')) rules.checkHost(request)
  if (path === AGENTS) rules.checkOrigin(request, corsOrigins)
}

const uriTooLong = () =>
  new Refusal('uri_too_long', `The URL is longer than ${MAX_URL_BYTES} bytes; send less in the query.`)

/** The refusal of a path that no endpoint has. */
export const unknownPath = () =>
  new Refusal('not_found', 'This service has no such path; see /docs for those it has.')

/** A parameter with malformed percent-encoding comes as null. */
function checkParameters(params: object): void {
  for (const name in params) if (params[name as never] === null) throw unknownPath()
}

/** Every path gets an endpoint for the methods that it does not have. */
function refuseOtherMethods(app: AnyElysia, hasCors: boolean, serve: Serve): void {
  const methods = new Map<string, string[]>()
  for (const { path, method } of app.routes) {
    const known = methods.get(path) ?? []
    methods.set(path, [...known, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])])
  }
  for (const [path, known] of methods) {
    if (known.includes('ALL')) continue
    const allow = known.join(', ')
    const refuse = ({ request }: Exchange) =>
      request.method === 'OPTIONS' && hasCors ? preflight(allow) : methodNotAllowed(request, allow)
    app.all(path, handlerOf(serve, refuse), { detail: { hide: true } })
  }
}

/** The response to `HEAD` says how long the body would be, except of a stream, which was not started for it. */
async function withoutBody(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  if (isStreamed(response)) await response.body?.cancel()
  else if (response.body !== null)
    headers.set('Content-Length', String((await response.arrayBuffer()).byteLength))
  return new Response(null, { status: response.status, headers })
}

/** What a handler returned, as a response: one of its own is sent as it is, anything else as JSON. */
function responseOf(result: unknown, status = 200): Response {
  if (result instanceof Response) return result
  if (result instanceof ElysiaCustomStatusResponse) return responseOf(result.response, Number(result.code))
  return jsonResponse(JSON.stringify(result), status)
}
