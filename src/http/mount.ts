import { Kind, type TSchema } from '@sinclair/typebox'
import { type AnyElysia, Elysia, NotFoundError } from 'elysia'
import type { Caller } from '../context.ts'
import { isRead, TOKEN } from './authorizer.ts'
import { type BodyBudget, SentBody } from './body.ts'
import { preflight } from './browser/cors.ts'
import { ACCESS, ANY_METHOD, type DeclaredEndpoint, type EndpointMarks, type Endpoints } from './endpoints.ts'
import { methodNotAllowed, unknownPath } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { NoBody } from './schema/types.ts'
import { createCheck, readQuery, UNCHECKED } from './validation.ts'

/*
 * The Elysia application. Elysia finds the endpoint of a request, and the pipeline does the rest. Unwanted behavior is
 * switched off or worked around here, each with a test in `test/http/elysia.test.ts`. By default, Elysia would:
 *
 * - read and check queries and bodies before the key is checked, convert texts into numbers, drop unknown members, and
 *   write the whole body into its error: it gets no schemas (`detail` has them for the OpenAPI document);
 * - read headers and cookies for a handler whose text names them: `handlerOf` hides the text;
 * - make every response wait for a promise if the text of the hook `onRequest` were a single call: it has a block;
 * - serve `/v1/notes/` as `/v1/notes`: `strictPath`;
 * - fail for hosts shorter than seven characters: `standardHostname`;
 * - return 404 for a method that a path does not support: `refuseOtherMethods`;
 * - pass null for a parameter with malformed percent-encoding: `checkParameters`;
 * - give the response to `HEAD` another length: `fetch`;
 * - describe itself wrongly: `openapi/corrections.ts`, with tests in `test/contract/openapi.test.ts`.
 *
 * Bun, below it, would answer long URLs (431) and bodies (413) without a body: its limits are above ours (`server.ts`),
 * and ours refuse (`pipeline.ts`, `body.ts`), with tests in `test/http/socket.test.ts`.
 */

const SETTINGS = {
  aot: true,
  strictPath: true,
  handler: { standardHostname: false },
}

/** The part of Elysia's context that is used here. */
export interface Context {
  readonly request: Request
  readonly params: Readonly<Record<string, string | null>>
  exchange: Exchange
  caller: Caller | undefined
  query: unknown
  body: unknown
}

/** Checks that the caller may call the endpoint, then validates query and body, and calls the handler. */
export type Endpoint = (exchange: Exchange, context: Context) => unknown

/** The parts of the pipeline that the application calls. */
export interface Pipeline {
  /** Refuses a request before its path is looked up. */
  check(request: Request): void
  newExchange(request: Request): Exchange
  /** Runs an endpoint, and returns the finished response, which may be a refusal. */
  run(exchange: Exchange, endpoint: () => unknown): Response | Promise<Response>
  succeed(exchange: Exchange, result: unknown): Response | Promise<Response>
  fail(exchange: Exchange, error: unknown): Response | Promise<Response>
}

interface MountOptions {
  readonly bodies: BodyBudget
  readonly hasCors: boolean
}

type Serve = (endpoint: Endpoint, context: Context) => Response | Promise<Response>

/** The application that serves the endpoints of all features. */
export function mount(features: readonly Endpoints[], pipeline: Pipeline, { bodies, hasCors }: MountOptions) {
  /** The responses to `HEAD`, which Elysia serves as `GET`. */
  const heads = new WeakMap<Request, Response>()
  const finishHead = async ({ request }: Exchange, response: Response | Promise<Response>) => {
    heads.set(request, await response)
    return new Response(null)
  }
  const finish = (exchange: Exchange, response: Response | Promise<Response>) =>
    exchange.request.method === 'HEAD' ? finishHead(exchange, response) : response

  const serve: Serve = (endpoint, context) => {
    const exchange = pipeline.newExchange(context.request)
    context.exchange = exchange
    const run = () => {
      checkParameters(context.params)
      return endpoint(exchange, context)
    }
    return finish(exchange, pipeline.run(exchange, run))
  }

  const succeed = (request: Request, result: unknown) => {
    const exchange = pipeline.newExchange(request)
    return finish(exchange, pipeline.succeed(exchange, result))
  }

  const app: AnyElysia = new Elysia(SETTINGS)
    // Set from the beginning, so that the contexts of all requests have the same shape.
    .decorate({ exchange: undefined as Exchange | undefined, caller: undefined as Caller | undefined })
    .onRequest(({ request }) => {
      pipeline.check(request)
    })
    // Handles errors outside of `serve`: unknown paths, and requests refused before path lookup.
    .onError(async (context) => {
      const exchange = pipeline.newExchange(context.request)
      context.exchange = exchange
      const { error } = context
      return finish(exchange, pipeline.fail(exchange, error instanceof NotFoundError ? unknownPath() : error))
    })
    // Handles responses of the routes that were added to the application directly.
    .mapResponse(({ exchange, request, responseValue }) =>
      exchange === undefined ? succeed(request, responseValue) : undefined,
    )
  const declared = features.flatMap((feature) => feature.declared)
  for (const endpoint of declared) {
    const { method, path, marks } = endpoint
    app.route(method, path, handlerOf(serve, endpointOf(endpoint, bodies)), { detail: marks })
  }
  refuseOtherMethods(app, declared, hasCors, serve)

  const withUsualUrl = usualUrls()

  async function head(request: Request): Promise<Response> {
    const response = await app.fetch(request)
    return heads.get(request) ?? response
  }

  return {
    app,
    fetch: (received: Request): Response | Promise<Response> => {
      const request = withUsualUrl(received)
      return request.method === 'HEAD' ? head(request) : app.fetch(request)
    },
  }
}

/** Elysia inspects the text of a handler to decide what to prepare; a bound function hides its text. */
const handlerOf = (serve: Serve, endpoint: Endpoint): (() => unknown) =>
  serve.bind(undefined, endpoint) as () => unknown

/**
 * Bun passes a bare path or a URL that cannot be parsed, such as with the port 99999, when the request has no usable
 * `Host`. It includes the fragment, if any.
 */
function usualUrls(): (request: Request) => Request {
  /** The latest one that can be parsed; most requests repeat it. */
  let usableOrigin: string | undefined
  const isUsable = (origin: string) => {
    if (origin === usableOrigin) return true
    if (!URL.canParse(origin)) return false
    usableOrigin = origin
    return true
  }
  return (request) => {
    const { url } = request
    const start = url.startsWith('/') ? 0 : url.indexOf('/', 'http://'.length)
    const hasHost = isUsable(url.slice(0, start))
    const fragment = url.indexOf('#')
    if (hasHost && fragment === -1) return request
    const end = fragment === -1 ? undefined : fragment
    const value = hasHost ? url.slice(0, end) : NO_HOST + url.slice(start, end)
    return Object.defineProperty(request, 'url', { value })
  }
}

const NO_HOST = 'http://no-host.invalid'

/** Refuses a path if one of its parameters has malformed percent-encoding. */
function checkParameters(params: Context['params']): void {
  for (const name in params) if (params[name] === null) throw unknownPath()
}

/** Adds an endpoint to every path for all methods that the path does not support. */
function refuseOtherMethods(
  app: AnyElysia,
  declared: readonly DeclaredEndpoint[],
  hasCors: boolean,
  serve: Serve,
): void {
  for (const [path, endpoints] of Map.groupBy(declared, (endpoint) => endpoint.path)) {
    if (endpoints.some(({ method }) => method === ANY_METHOD)) continue
    const allow = endpoints.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ')
    const refuse = ({ request }: Exchange) =>
      request.method === 'OPTIONS' && hasCors ? preflight(allow) : methodNotAllowed(request, allow)
    app.all(path, handlerOf(serve, refuse), { detail: { hide: true } })
  }
}

type Handler = (context: Context) => unknown

function endpointOf({ method, path, handler, marks }: DeclaredEndpoint, bodies: BodyBudget): Endpoint {
  const handle = handler as Handler
  if (method === ANY_METHOD) return (_, context) => handle(context)
  const { access, covers, entity, secret, query, body }: EndpointMarks = marks
  const rule = access === 'open' ? undefined : { ...ACCESS[access], covers, entity, secret }
  const queryOf = queryReader(query)
  const bodyOf = bodyReader(body)
  return (exchange, context) => {
    if (rule) exchange.admit(path, rule)
    else exchange.open(path, secret)
    context.caller = exchange.caller
    context.query = queryOf(exchange)
    if (isRead(exchange.request)) return handle(context)
    return bodyOf(new SentBody(exchange, bodies), (value) => {
      // The permission was checked again when the body had arrived.
      context.caller = exchange.caller
      context.body = value
      return handle(context)
    })
  }
}

const isUnchecked = (schema: TSchema): boolean => schema[Kind] === UNCHECKED

function queryReader(schema: TSchema): (exchange: Exchange) => unknown {
  if (isUnchecked(schema)) return () => undefined
  const names = Object.keys(schema.properties ?? {})
  const mayBeEmpty = (schema.required ?? []).length === 0
  const check = createCheck('query', schema)
  return (exchange) => {
    exchange.parameters = names
    if (mayBeEmpty && exchange.search === '') return {}
    const values = readQuery(exchange.search, schema)
    // The key is not one of the endpoint's parameters.
    if (exchange.takesToken) delete values[TOKEN]
    check(values)
    return values
  }
}

/** Passes the body to a function; for an unchecked schema, the handler reads the body itself. */
function bodyReader(schema: TSchema): (sent: SentBody, use: (body: unknown) => unknown) => unknown {
  if (isUnchecked(schema)) return (sent, use) => use(sent)
  const check = createCheck('body', schema)
  const isRequired = schema !== NoBody
  return async (sent, use) => use(await sent.read(check, isRequired))
}
