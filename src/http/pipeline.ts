import type { BlockList } from 'node:net'
import { Bursts } from '../kernel/fair-share.ts'
import { addressGroup } from '../lib/address-group.ts'
import { systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Refusal } from '../lib/refusal.ts'
import type { RequestMetrics } from '../lib/request-metrics.ts'
import { isStreamed } from '../lib/response-stream.ts'
import { isRead, type Quota } from './authorizer.ts'
import type { BodyBudget } from './body.ts'
import type { BrowserRules } from './browser/browser-rules.ts'
import { addCorsHeaders } from './browser/cors.ts'
import { behindProxies } from './client-address.ts'
import type { Endpoints } from './endpoints.ts'
import { errorResponse } from './errors.ts'
import { Exchange, type HttpServer, type Rights, requestIds } from './exchange.ts'
import { mount } from './mount.ts'
import {
  addSafeHeaders,
  compressed,
  jsonResponse,
  knownBody,
  type ResponseBudget,
  withBody,
} from './responses.ts'

export interface PipelineOptions extends Rights {
  /** Bounds the memory of request bodies. */
  bodies: BodyBudget
  /** Bounds the memory of responses. */
  responseBudget: ResponseBudget
  rules: BrowserRules
  /** The challenge of a 401 of the MCP endpoint, which leads clients to OAuth. */
  challengeFor: (request: Request) => string
  corsOrigins: readonly string[]
  log: Log
  requests: RequestMetrics
  /** Called with anything that a handler throws, refusals and failures. */
  noteError: (error: unknown) => void
  /** The proxies that report the client of a request. */
  trustedProxies: BlockList | undefined
  /** The refusal of every request once the pipeline is stopped. */
  stopped: () => Refusal
}

/** Stands in for the server when requests use no network. */
const LOCAL: HttpServer = { requestIP: () => ({ address: 'local' }), timeout: () => {} }

/**
 * Serves the endpoints of all features. Before a handler it checks, in this order: URL and name of the server (431,
 * 421), path (404) and method (405), key (401) and scope (403), and the schemas of query and body (400, 413). Every
 * response has an `X-Request-Id` and one line in the log.
 */
export function createPipeline(options: PipelineOptions, features: readonly Endpoints[]) {
  const { corsOrigins, log, requests, bodies, trustedProxies } = options
  let isStopped = false
  /** The server of the latest request; each Bun server knows the connections of all. */
  let latest: HttpServer
  const newId = requestIds()
  const bursts = new Bursts()

  function finish(exchange: Exchange, response: Response): Response {
    const { request, requestId, route } = exchange
    exchange.end()
    response.headers.set('X-Request-Id', requestId)
    addSafeHeaders(response.headers)
    if (exchange.quota) addQuota(response.headers, exchange.quota)
    if (corsOrigins.length > 0) addCorsHeaders(response.headers, corsOrigins, request)
    const ms = systemClock.monotonicMs() - exchange.startedAt
    const { method } = request
    const { status } = response
    requests.add(method === 'HEAD' ? 'GET' : method, route, status, ms)
    log.request({ requestId, method, route, status, ms, keyId: exchange.caller?.keyId })
    return response
  }

  function respond(exchange: Exchange, response: Response): Response | Promise<Response> {
    const send = (ready: Response) => finish(exchange, withBody(exchange, ready, options.responseBudget))
    if (exchange.request.method === 'HEAD')
      return withoutBody(response).then((head) => finish(exchange, head))
    const ready = compressed(exchange, response)
    return ready instanceof Promise ? ready.then(send) : send(ready)
  }

  const succeed = (exchange: Exchange, result: unknown): Response | Promise<Response> =>
    respond(exchange, responseOf(result))

  function fail(exchange: Exchange, error: unknown): Response | Promise<Response> {
    options.noteError(error)
    const response = errorResponse(refusalOf(exchange) ?? error, exchange, log)
    if (response.status === 401 && exchange.route === AGENTS)
      response.headers.set('WWW-Authenticate', options.challengeFor(exchange.request))
    return respond(exchange, response)
  }

  async function settle(exchange: Exchange, result: Promise<unknown>): Promise<Response> {
    if (isRead(exchange.request)) exchange.waitForHandler()
    try {
      const value = await result
      exchange.checkAfter(true)
      return await succeed(exchange, value)
    } catch (error) {
      return fail(exchange, error)
    }
  }

  function run(exchange: Exchange, endpoint: () => unknown): Response | Promise<Response> {
    try {
      const result = endpoint()
      if (result instanceof Promise) return settle(exchange, result)
      // A permission that was just checked, without a wait since, needs no new check.
      const response = succeed(exchange, result)
      return response instanceof Promise ? response.catch((error) => fail(exchange, error)) : response
    } catch (error) {
      return fail(exchange, error)
    }
  }

  function check(request: Request): void {
    if (isStopped) throw options.stopped()
    checkTarget(request, options)
  }

  const newExchange = (request: Request) => new Exchange(request, latest, options, newId())
  const pipeline = { check, newExchange, run, succeed, fail }
  const { app, fetch } = mount(features, pipeline, { bodies, hasCors: corsOrigins.length > 0 })

  return {
    app,
    /** From now on every request is refused. */
    stop: () => {
      isStopped = true
    },
    /** Serves one request; `server` is the one that received it. */
    fetch: (request: Request, server = LOCAL): Response | Promise<Response> => {
      const from = trustedProxies ? behindProxies(server, trustedProxies) : server
      const address = () => from.requestIP(request)?.address ?? 'unknown'
      return bursts.serve(
        () => callerOf(request, address),
        () => {
          latest = from
          return fetch(request)
        },
      )
    },
  }
}

/** The key or session; without either, the address, because finding it costs more. */
const callerOf = ({ headers }: Request, address: () => string): string =>
  headers.get('authorization') ?? headers.get('cookie') ?? addressGroup(address())

/**
 * The refusal of a caller whose permission has ended meanwhile, which takes precedence over a failure of the handler.
 */
function refusalOf(exchange: Exchange): Refusal | undefined {
  try {
    exchange.checkAfter(false)
  } catch (error) {
    if (error instanceof Refusal) return error
  }
  return undefined
}

/** Bun's parser allows twice this limit, so that this service sends the refusal. */
const MAX_URL_BYTES = 65_536

/** The MCP endpoint. MCP requires that pages of other sites are refused. */
const AGENTS = '/mcp'

/** Responses of these paths depend on the session or on the host, or the paths act without a key. */
const OWN_HOST_ONLY = ['/app', AGENTS, '/oauth/', '/.well-known/oauth-']

/** Refuses a URL that is too long, and a foreign host name where browsers are involved. */
function checkTarget(request: Request, { rules, corsOrigins }: PipelineOptions): void {
  const { url } = request
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (url.length - start > MAX_URL_BYTES) throw uriTooLong()
  // Most requests.
  if (url.startsWith('/v1/', start)) return
  if (!OWN_HOST_ONLY.some((prefix) => url.startsWith(prefix, start))) return
  const mark = url.indexOf('?', start)
  const path = url.slice(start, mark === -1 ? undefined : mark)
  if (path === '/app' || path === AGENTS || /^\/(?:app|oauth|\.well-known)\//.test(path))
    rules.checkHost(request)
  if (path === AGENTS) rules.checkOrigin(request, corsOrigins)
}

const uriTooLong = () =>
  new Refusal('uri_too_long', `The URL is longer than ${MAX_URL_BYTES} bytes; shorten the query.`)

/** The fields of draft-ietf-httpapi-ratelimit-headers. */
function addQuota(headers: Headers, { limit, remaining, seconds }: Quota): void {
  headers.set('RateLimit-Policy', `"key";q=${limit};w=60`)
  headers.set('RateLimit', `"key";r=${remaining};t=${seconds}`)
}

/** The response to `HEAD` states the length of the body, except for a stream, which is not started. */
async function withoutBody(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  const known = knownBody(response)
  if (isStreamed(response)) await response.body?.cancel()
  else if (known instanceof Uint8Array) headers.set('Content-Length', String(known.byteLength))
  else if (response.body !== null)
    headers.set('Content-Length', String((await response.arrayBuffer()).byteLength))
  return new Response(null, { status: response.status, headers })
}

/** Turns the result of a handler into a response: a Response is sent unchanged, anything else as JSON. */
function responseOf(result: unknown): Response {
  if (result instanceof Response) return result
  return jsonResponse(JSON.stringify(result))
}
