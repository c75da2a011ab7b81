import type { Static, TSchema } from '@sinclair/typebox'
import { Elysia, type Handler } from 'elysia'
import type { Caller } from '../context.ts'
import type { RequestContext } from './request-context.ts'
import { NoBody, NoQuery } from './schema/types.ts'
import { createCheck, type FormCheck } from './validation.ts'

/** One endpoint, as the pipeline serves it and the OpenAPI document describes it. */
export interface Route {
  readonly method: string
  /** `/v1/notes/:id` */
  readonly pattern: string
  /** The names of the parameters in the pattern, in order. */
  readonly parameters: readonly string[]
  readonly needsKey: boolean
  readonly needsWrite: boolean
  /** Whether the key may be given in the query, for clients that cannot set headers. */
  readonly takesToken: boolean
  /** Whether the endpoint honours an `Idempotency-Key`. */
  readonly creates: boolean
  readonly query: TSchema
  readonly body: TSchema
  readonly response: TSchema | undefined
  /** Of a success. */
  readonly status: number
  /** Whether there must be a body. */
  readonly takesBody: boolean
  readonly checkQuery: FormCheck
  readonly checkBody: FormCheck
  /** Returns what is sent as JSON, or a response of its own. */
  readonly handle: (request: RequestContext) => unknown
}

interface RouteOptions<Query extends TSchema, Body extends TSchema, ResponseSchema extends TSchema> {
  /** More than the summary says, as Markdown. */
  description?: string
  /** Without one, the endpoint takes no query. */
  query?: Query
  /** Without one, the endpoint takes no body; `{}` is accepted. */
  body?: Body
  response: ResponseSchema
  /** Of a success: by default 201 for what `creates`, else 200. */
  status?: 202
  /** Whether the endpoint changes something, which a read-only key may not. */
  write?: true
  /** Whether the endpoint honours an `Idempotency-Key`; its handler calls `respondOnce`. */
  creates?: true
  /** Whether the key may be given in the query, for clients that cannot set headers. */
  tokenInQuery?: true
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
type Add<Who extends Caller | undefined, Self> = <
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
  options: RouteOptions<Query, Body, ResponseSchema>,
) => Self

/** The endpoints of one feature; every call of a method adds one. */
class Routes<Who extends Caller | undefined> {
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
    private readonly needsKey: boolean,
  ) {}

  /** Adds a page that is not in the OpenAPI document. */
  page(path: string, handle: () => Result<object>): this {
    return this.#add('GET', path, handle, {}, { hide: true })
  }

  #adder(method: Route['method']): Add<Who, this> {
    return (path, operationId, summary, handle, options) => {
      const detail = { operationId, summary, description: options.description, tags: [this.tag] }
      return this.#add(method, path, handle as Route['handle'], options, detail)
    }
  }

  #add(
    method: string,
    path: string,
    handle: Route['handle'],
    options: Partial<RouteOptions<TSchema, TSchema, TSchema>>,
    detail: Record<string, unknown>,
  ): this {
    const { query = NoQuery, body = NoBody, response, creates = false } = options
    const pattern = this.prefix + (path === '/' ? '' : path)
    this.all.push({
      method,
      pattern,
      parameters: [...pattern.matchAll(/:(\w+)/g)].map(([, name]) => name ?? ''),
      needsKey: this.needsKey,
      needsWrite: options.write ?? false,
      takesToken: options.tokenInQuery ?? false,
      creates,
      query,
      body,
      response,
      status: options.status ?? (creates ? 201 : 200),
      takesBody: body !== NoBody,
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
export const routes = (tag: string, prefix: string) => new Routes<Caller>(tag, prefix, true)

/** The endpoints of the server itself, which need no key. */
export const publicRoutes = (tag: string, prefix = '') => new Routes<undefined>(tag, prefix, false)

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
  readonly routes: Map<string, Route>
}

const newNode = (): Node => ({ named: new Map(), routes: new Map() })

/** Finds the routes of a path; a literal segment wins over a parameter (`/v1/notes/trash` over `/v1/notes/:id`). */
export class RouteTable {
  readonly #root = newNode()

  constructor(readonly routes: readonly Route[]) {
    for (const route of routes) this.#add(route)
  }

  #add(route: Route): void {
    let node = this.#root
    for (const segment of route.pattern.split('/').slice(1)) {
      if (segment.startsWith(':')) {
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
    for (let start = 1, end = 0; end < path.length; start = end + 1) {
      end = path.indexOf('/', start)
      if (end === -1) end = path.length
      const segment = path.slice(start, end)
      const next: Node | undefined = node.named.get(segment)
      if (next) node = next
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

/** The value of an `Allow` header: `GET` brings `HEAD` along. */
export function allowedMethods(routes: RoutesOfPath): string {
  const methods = [...routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return methods.join(', ')
}
