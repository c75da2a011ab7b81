import type { Static, TSchema } from '@sinclair/typebox'
import { Elysia, type Handler } from 'elysia'
import type { Caller } from '../context.ts'
import { NoBody, NoQuery } from './schema/types.ts'
import { createCheck, type FormCheck } from './validation.ts'

/** Who may call an endpoint: anyone, who has a key or is signed in to the application, or only the latter. */
export type Access = 'anyone' | 'caller' | 'session'

/** One endpoint, as the pipeline serves it and the OpenAPI document describes it. */
export interface Route {
  readonly method: string
  /** `/v1/notes/:id` */
  readonly pattern: string
  /** The names of the parameters in the pattern, in order. */
  readonly parameters: readonly string[]
  readonly access: Access
  readonly needsWrite: boolean
  readonly needsOwner: boolean
  /** Whether it changes the workspace itself or what is in it, as opposed to who may enter. */
  readonly changesWorkspace: boolean
  /** Whether the key may be given in the query, for clients that cannot set headers. */
  readonly takesToken: boolean
  /** Whether the endpoint honours an `Idempotency-Key`. */
  readonly creates: boolean
  /** Whether it takes a cursor of the change log, which may have expired. */
  readonly takesCursor: boolean
  readonly query: TSchema
  readonly body: TSchema
  readonly response: TSchema | undefined
  /** Of a success. */
  readonly status: number
  /** Whether there must be a body. */
  readonly takesBody: boolean
  /** Whether the body is no JSON and the handler reads it by itself. */
  readonly takesRawBody: boolean
  readonly checkQuery: FormCheck
  readonly checkBody: FormCheck
  /** Returns what is sent as JSON, or a response of its own. */
  readonly handle: (request: RequestContext) => unknown
}

/** More than the summary says, as Markdown; what is in the OpenAPI document must say it. */
interface Documented {
  description: string
}

interface RouteOptions<Query extends TSchema, Body extends TSchema, ResponseSchema extends TSchema> {
  /** Without one, the endpoint takes no query. */
  query?: Query
  /** Without one, the endpoint takes no body; `{}` is accepted. */
  body?: Body
  response: ResponseSchema
  /** Of a success: by default 201 for what `creates`, else 200. */
  status?: 201 | 202
  /** Whether the endpoint changes something, which a read-only key may not. */
  write?: true
  /** Whether it changes a workspace itself, such as its name; what is `write` changes what is in it. */
  workspace?: true
  /** Whether the endpoint honours an `Idempotency-Key`; its handler calls `respondOnce`. */
  creates?: true
  /** Whether the key may be given in the query, for clients that cannot set headers. */
  tokenInQuery?: true
  /** Whether it takes a cursor of the change log, which may have expired. */
  cursor?: true
  /** Whether the body is no JSON and the handler reads it by itself. */
  rawBody?: true
  /** Whether only an owner of the workspace may call it. */
  ownerOnly?: true
}

/** `{ id: string }` for `/v1/notes/:id`. */
type Parameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & Parameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown

type Result<Value> = Value | Response | Promise<Value | Response>

/**
 * Adds an endpoint. The OpenAPI document names it by `operationId` and `summary`; the handler's argument and result
 * have the types that the path and the schemas give.
 */
type Add<Who extends Caller | undefined, Details, Self> = <
  const Path extends string,
  ResponseSchema extends TSchema,
  Query extends TSchema = typeof NoQuery,
  Body extends TSchema = typeof NoBody,
>(
  path: Path,
  operationId: string,
  summary: string,
  handle: (
    request: RequestContext<Who, Parameters<Path>, Static<Query>, Static<Body>>,
  ) => Result<Static<ResponseSchema>>,
  options: RouteOptions<Query, Body, ResponseSchema> & Details,
) => Self

/** The endpoints of one feature; every call of a method adds one. */
class Routes<Who extends Caller | undefined, Details = Documented> {
  /** The same endpoints as a plugin, from which the generator of the OpenAPI document reads. */
  readonly plugin = new Elysia()
  readonly all: Route[] = []
  readonly get = this.#adder('GET')
  readonly post = this.#adder('POST')
  readonly put = this.#adder('PUT')
  readonly patch = this.#adder('PATCH')
  readonly delete = this.#adder('DELETE')

  constructor(
    private readonly tag: string,
    private readonly prefix: string,
    private readonly access: Access,
    private readonly isDocumented = true,
  ) {}

  /** Adds a page that is not in the OpenAPI document. */
  page<Path extends string>(
    path: Path,
    handle: (request: RequestContext<Who, Parameters<Path>>) => Result<object>,
    options: { query?: TSchema } = {},
  ): this {
    return this.#add('GET', path, handle as Route['handle'], options, { hide: true })
  }

  #adder(method: Route['method']): Add<Who, Details, this> {
    return (path, operationId, summary, handle, options) => {
      const { tag, isDocumented } = this
      const detail = {
        operationId,
        summary,
        description: 'description' in options ? options.description : undefined,
        tags: [tag],
        hide: !isDocumented,
      }
      return this.#add(method, path, handle as Route['handle'], options, detail)
    }
  }

  #add(
    method: string,
    path: string,
    handle: Route['handle'],
    options: Partial<RouteOptions<TSchema, TSchema, TSchema> & Documented>,
    detail: Record<string, unknown>,
  ): this {
    const { query = NoQuery, body = NoBody, response, creates = false } = options
    const pattern = this.prefix + (path === '/' ? '' : path) || '/'
    this.all.push({
      method,
      pattern,
      parameters: [...pattern.matchAll(/:(\w+)/g)].map(([, name]) => name ?? ''),
      access: this.access,
      needsOwner: options.ownerOnly ?? false,
      needsWrite: options.write ?? false,
      changesWorkspace: (options.write ?? false) || (options.workspace ?? false),
      takesToken: options.tokenInQuery ?? false,
      creates,
      takesCursor: options.cursor ?? false,
      query,
      body,
      response,
      status: options.status ?? (creates ? 201 : 200),
      takesBody: body !== NoBody,
      takesRawBody: options.rawBody ?? false,
      checkQuery: createCheck('query', query),
      checkBody: createCheck('body', body),
      handle,
    })
    this.plugin.route(method, pattern, handle as unknown as Handler, { detail })
    return this
  }
}

export type { Routes }

/** The endpoints of a feature that need a key; `tag` is their heading in the OpenAPI document. */
export const routes = (tag: string, prefix: string) => new Routes<Caller>(tag, prefix, 'caller')

/** Endpoints that need a key and speak a protocol of their own; they are not in the OpenAPI document. */
export const protocolRoutes = (prefix: string) =>
  new Routes<Caller, object>('Protocol', prefix, 'caller', false)

/** The endpoints of the server itself, which need no key. */
export const publicRoutes = (tag: string, prefix = '') => new Routes<undefined>(tag, prefix, 'anyone')

/** The endpoints with which a person signs in to the application; they are not in the OpenAPI document. */
export const signInRoutes = () => new Routes<undefined, object>('Application', '/app/api', 'anyone', false)

/** The endpoints of the application for who is signed in to it; they are not in the OpenAPI document. */
export const sessionRoutes = () => new Routes<Caller, object>('Application', '/app/api', 'session', false)

/** The routes of one path by method. */
export type RoutesOfPath = ReadonlyMap<string, Route>

export interface Match {
  readonly routes: RoutesOfPath
  /** The values of the parameters in the path, decoded, in order. */
  readonly values: readonly string[]
}

interface Node {
  readonly named: Map<string, Node>
  parameter?: Node
  /** For every path below this node that has no node of its own. */
  rest?: Node
  readonly routes: Map<string, Route>
}

const newNode = (): Node => ({ named: new Map(), routes: new Map() })

/**
 * Finds the routes of a path; a literal segment wins over a parameter (`/v1/notes/trash` over `/v1/notes/:id`), and a
 * parameter over `*`, which matches the rest of the path at its end.
 */
export class RouteTable {
  readonly #root = newNode()

  constructor(readonly routes: readonly Route[]) {
    for (const route of routes) this.#add(route)
  }

  #add(route: Route): void {
    let node = this.#root
    for (const segment of route.pattern.split('/').filter((text) => text !== '')) {
      if (segment === '*') {
        node.rest ??= newNode()
        node = node.rest
      } else if (segment.startsWith(':')) {
        node.parameter ??= newNode()
        node = node.parameter
      } else {
        const next = node.named.get(segment) ?? newNode()
        node.named.set(segment, next)
        node = next
      }
    }
    node.routes.set(route.method, route)
  }

  /** Undefined for an unknown path, also one with a trailing slash or malformed percent-encoding. */
  find(path: string): Match | undefined {
    const values: string[] = []
    let node: Node | undefined = this.#root
    for (let start = 1, end = path === '/' ? 1 : 0; end < path.length; start = end + 1) {
      end = path.indexOf('/', start)
      if (end === -1) end = path.length
      const segment = path.slice(start, end)
      const next: Node | undefined = node.named.get(segment)
      if (next) node = next
      else if (node.rest && !node.parameter) return { routes: node.rest.routes, values: [] }
      else {
        const value = decoded(segment)
        if (!node.parameter || value === undefined) return undefined
        values.push(value)
        node = node.parameter
      }
    }
    return node.routes.size > 0 ? { routes: node.routes, values } : undefined
  }
}

function decoded(segment: string): string | undefined {
  if (segment === '') return undefined
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The value of an `Allow` header: `GET` includes `HEAD`. */
export function allowedMethods(routes: RoutesOfPath): string {
  const methods = [...routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return methods.join(', ')
}

/** The server that took a request; Bun's own is one. */
export interface HttpServer {
  /** The address of the client. Finding it costs more than finding a key: ask only where it is needed. */
  requestIP(request: Request): { address: string } | null
  /** After how many idle seconds the connection of this request is closed; 0 for never. */
  timeout(request: Request, seconds: number): void
}

/** Is told why a caller may no longer read: the key was revoked or has expired, or the session has ended. */
export type RightEndListener = (why: 'key_revoked' | 'key_expired' | 'session_ended') => void

/** A request with what the pipeline has read and checked of it: what a handler is given. */
export interface RequestContext<
  Who extends Caller | undefined = Caller | undefined,
  Params = unknown,
  Query = unknown,
  Body = unknown,
> {
  /** In the response as `X-Request-Id`, and in the log. */
  readonly requestId: string
  readonly request: Request
  readonly server: HttpServer
  /** Undefined where no key is needed. */
  readonly caller: Who
  /** From the path, decoded. */
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The body as it was sent; empty without one. */
  readonly bodyText: string
  /**
   * Calls the listener, perhaps at once, when the key or session of the caller ends, for what goes on after the response
   * has begun. Returns a function that stops it.
   */
  readonly onRightEnd: (listener: RightEndListener) => () => void
}
