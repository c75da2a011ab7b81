import { type AnyElysia, Elysia, ElysiaCustomStatusResponse, NotFoundError } from 'elysia'
import { BunAdapter } from 'elysia/adapter/bun'
import { asRequester } from '../db/writes/requester.ts'
import { addressGroup } from '../lib/address-group.ts'
import { FairQueue, stepsOfThread } from '../lib/fair-queue.ts'
import type { Log } from '../lib/log.ts'
import { Refusal } from '../refusal.ts'
import type { BodyBudget } from './body.ts'
import { SentBody, SentQuery } from './body.ts'
import type { BrowserRules } from './browser/browser-rules.ts'
import { addCorsHeaders, preflight } from './browser/cors.ts'
import { errorResponse, methodNotAllowed } from './errors.ts'
import { Exchange, type HttpServer, type Rights, requestIds } from './exchange.ts'
import { type Untaken, withBody } from './large-responses.ts'
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
  // Bodies are read by their schemas: before that, the key is judged.
  adapter: {
    ...BunAdapter,
    composeHandler: {
      ...BunAdapter.composeHandler,
      parser: { ...BunAdapter.composeHandler.parser, json: () => '' },
    },
  },
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
    requests.add(request.method === 'HEAD' ? 'GET' : request.method, route, response.status, ms)
    log.info('request', {
      request_id: requestId,
      method: request.method,
      route: route ?? null,
      status: response.status,
      ms: Math.round(ms * 1000) / 1000,
      key_id: exchange.caller?.keyId ?? null,
    })
    return response
  }

  function begin({ request, params }: { request: Request; params: object }) {
    checkParameters(params)
    const exchange = newExchange(request)
    return { exchange, query: new SentQuery(exchange), body: new SentBody(exchange, options.bodies) }
  }

  async function finishHead(exchange: Exchange, response: Response): Promise<Response> {
    heads.set(exchange.request, finish(exchange, await withoutBody(response)))
    return new Response(null)
  }

  const respond = (exchange: Exchange, response: Response): Response | Promise<Response> =>
    exchange.request.method === 'HEAD' ? finishHead(exchange, response) : finish(exchange, response)

  function succeed(exchange: Exchange, result: unknown): Response | Promise<Response> {
    exchange.caller?.checkAfter(true)
    return respond(exchange, withBody(exchange, responseOf(result), options.untaken))
  }

  function fail(exchange: Exchange, error: unknown): Response | Promise<Response> {
    options.noteError(error)
    const thrown = error instanceof NotFoundError ? unknownPath() : (refusalOf(exchange) ?? error)
    return respond(exchange, errorResponse(thrown, exchange, log))
  }

  const app: AnyElysia = new Elysia(SETTINGS)
    // From the beginning, so that the contexts of all requests have one shape.
    .decorate({ exchange: undefined, caller: undefined } as Record<never, unknown>)
    .onRequest(leaveQuery)
    .onRequest(({ request }) => {
      const refusal = options.refusal()
      if (refusal) throw refusal
      checkTarget(request, options)
    })
    .derive(begin)
    .onError(async ({ error, request, exchange, set }) => {
      // The response has its own.
      set.status = 200
      return fail(exchange ?? newExchange(request), error)
    })
    .mapResponse(({ exchange, responseValue }) => {
      if (exchange === undefined || exchange.isOver) return
      // Elysia guesses from the text of a handler whether it has to wait for it.
      if (!(responseValue instanceof Promise)) return succeed(exchange, responseValue)
      return responseValue.then((value) => succeed(exchange, value)).catch((error) => fail(exchange, error))
    })

  async function head(request: Request): Promise<Response> {
    const response = await app.fetch(request)
    return heads.get(request) ?? response
  }

  for (const feature of features) app.use(feature)
  refuseOtherMethods(app, corsOrigins.length > 0)

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

/** Has Elysia leave the query alone, by hiding where it begins: it would read it, too, before the key is judged. */
function leaveQuery(context: object): void {
  ;(context as { qi: number }).qi = -1
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
function refuseOtherMethods(app: AnyElysia, hasCors: boolean): void {
  const methods = new Map<string, string[]>()
  for (const { path, method, hooks } of app.routes) {
    if (method !== 'ALL' && !(hooks.detail?.access && hooks.detail.covers))
      throw new Error(`${method} ${path} does not say who may call it, or what it covers`)
    const known = methods.get(path) ?? []
    methods.set(path, [...known, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])])
  }
  for (const [path, known] of methods) {
    if (known.includes('ALL')) continue
    const allow = known.join(', ')
    app.all(
      path,
      ({ request }) => {
        if (request.method === 'OPTIONS' && hasCors) return preflight(allow)
        return methodNotAllowed(request, allow)
      },
      { detail: { hide: true } },
    )
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

/** How long the server works for requests that arrived together before it looks for others. */
const SLICE_MS = 5
/** Work that was this short cannot have kept anybody waiting. */
const SHORT_MS = 1
/** Requests that come further apart did not arrive together. */
const APART_MS = 0.1

/** By the key or the session, without either by the address. */
const callerOf = ({ request, address }: Arrival): string =>
  request.headers.get('authorization') ?? request.headers.get('cookie') ?? addressGroup(address())

/** A request, and how to find the address of its client, which costs more than finding a key. */
interface Arrival {
  readonly request: Request
  readonly address: () => string
}

/**
 * Requests that arrive together, as when a program opens 1,000 streams: they would all be served before the server looks at
 * its connections again, however much work that is. Here those that come after 5 ms of it wait for a turn of the event
 * loop, and each caller among them has one after the other.
 */
class Bursts {
  readonly #waiting = new FairQueue<() => void>()
  /** The work for requests in this turn of the event loop, as far as it was not short. */
  #workedMs = 0
  #endedAt = 0
  #isEndAwaited = false

  /** Serves the request now, or in its turn. */
  serve(arrival: Arrival, handle: () => Response | Promise<Response>): Response | Promise<Response> {
    const startedAt = performance.now()
    if (this.#workedMs < SLICE_MS && (this.#waiting.isEmpty || !this.#waiting.has(callerOf(arrival)))) {
      const response = handle()
      this.#count(startedAt)
      return response
    }
    if (this.#waiting.isEmpty) this.#scheduleSlice()
    return new Promise((resolve) => this.#waiting.add(callerOf(arrival), () => resolve(Promise.try(handle))))
  }

  #count(startedAt: number): void {
    const now = performance.now()
    if (startedAt - this.#endedAt > APART_MS) this.#workedMs = 0
    this.#workedMs += now - startedAt
    this.#endedAt = now
    if (this.#workedMs > SHORT_MS) this.#awaitEndOfTurn()
  }

  #awaitEndOfTurn(): void {
    if (this.#isEndAwaited) return
    this.#isEndAwaited = true
    setImmediate(() => {
      this.#isEndAwaited = false
      this.#workedMs = 0
    })
  }

  #scheduleSlice(): void {
    void stepsOfThread.run('requests', () => this.#serveSlice())
  }

  #serveSlice(): void {
    const until = performance.now() + SLICE_MS
    while (!this.#waiting.isEmpty && performance.now() < until) this.#waiting.take()?.()
    if (!this.#waiting.isEmpty) this.#scheduleSlice()
  }
}
