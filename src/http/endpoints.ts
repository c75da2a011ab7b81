import type { Static, TSchema } from '@sinclair/typebox'
import type { Caller } from '../context.ts'
import type { Covers } from '../kernel/caller.ts'
import type { Rule } from './authorizer.ts'
import type { Exchange } from './exchange.ts'
import { NoBody, NoQuery } from './schema/types.ts'

/*
 * A feature declares its endpoints as data. `mount.ts` adds them to the application, and `openapi/document.ts` describes
 * them.
 */

/**
 * The callers of an endpoint: with a key or session, or only in a session of the application; for reads or writes.
 * Read-only keys and viewers may not write, and neither may any caller of a server that is a copy.
 */
export const ACCESS = {
  read: {},
  /** A read that accepts the key in the query, for clients that cannot set headers. */
  stream: { keyInQuery: true },
  /** A read that also accepts the access tokens of connected apps, and no session. */
  agent: { agent: true },
  write: { write: true, workspace: true },
  session: { session: true },
  'session-write': { session: true, write: true, workspace: true },
  /** Changes a workspace itself, such as its name. */
  'session-workspace': { session: true, workspace: true },
  'session-owner': { session: true, owner: true },
} as const satisfies Readonly<Record<string, Rule>>

export type Access = keyof typeof ACCESS

/** The schema of a success, or schemas by status if the status is not the usual one. */
type ResponseSchema = TSchema | Readonly<Record<number, TSchema>>

interface Documentation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
}

/** The callers of an endpoint. */
type Admission =
  | { readonly access: Access; readonly open?: undefined }
  | { readonly open: true; readonly access?: undefined }

/**
 * The declaration of an endpoint without its handler. Query and body have no members unless their schemas are given.
 */
interface Options<Query extends TSchema, Body extends TSchema, Response extends ResponseSchema>
  extends Documentation {
  /** Supports `Idempotency-Key`: the handler writes within `once`. */
  readonly once?: true
  /** Reads one object with its entity tag, or changes one and supports `If-Match`. */
  readonly entity?: true
  /** The response contains a secret, so it is never compressed. */
  readonly secret?: true
  /** Accepts a cursor of the change log, which may have expired. */
  readonly cursor?: true
  readonly query?: Query
  readonly body?: Body
  readonly response?: Response
}

/** An endpoint as the application and the OpenAPI document need it. */
export interface EndpointMarks extends Documentation {
  readonly access: Access | 'open'
  readonly covers: Covers
  readonly once?: true
  readonly entity?: true
  readonly secret?: true
  readonly cursor?: true
  readonly query: TSchema
  readonly body: TSchema
  readonly response?: ResponseSchema
  /** The tags in the OpenAPI document. */
  readonly tags?: string[]
  /** Whether the OpenAPI document omits the endpoint. */
  readonly hide?: true
}

type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Key in Name]: string } & Params<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [Key in Name]: string }
    : Path extends `${string}*`
      ? { readonly '*': string }
      : object

/** A request as handlers get it: after the checks of the caller, the query and the body. */
export interface Context<Path extends string, Query extends TSchema, Body extends TSchema, From> {
  readonly exchange: Exchange
  readonly request: Request
  readonly params: Params<Path>
  readonly caller: From
  readonly query: Static<Query>
  readonly body: Static<Body>
}

/** An object returned by a handler becomes the JSON of the response. */
type Returned<Response extends ResponseSchema> =
  | globalThis.Response
  | (Response extends TSchema
      ? Static<Response>
      : {
          [Status in keyof Response]: Response[Status] extends TSchema ? Static<Response[Status]> : never
        }[keyof Response])

type Handler<Given, Response extends ResponseSchema> = (
  context: Given,
) => Returned<Response> | Promise<Returned<Response>>

export interface DeclaredEndpoint {
  readonly method: string
  /** `/v1/notes/:id` */
  readonly path: string
  readonly handler: (context: never) => unknown
  readonly marks: EndpointMarks
}

/** Stands for all methods without their own endpoint at the path. */
export const ANY_METHOD = 'ALL'

type Shared = Pick<EndpointMarks, 'covers' | 'tags' | 'hide'>

/** The endpoints of a feature, in declaration order. */
export class Endpoints {
  readonly declared: DeclaredEndpoint[] = []

  constructor(
    private readonly prefix: string,
    private readonly shared: Shared,
  ) {}

  readonly get = this.#declaring('GET')
  readonly post = this.#declaring('POST')
  readonly put = this.#declaring('PUT')
  readonly patch = this.#declaring('PATCH')
  readonly delete = this.#declaring('DELETE')
  readonly options = this.#declaring('OPTIONS')

  /** Makes a path respond the same way to every request, regardless of method, query and body. */
  all(path: string, handler: () => Response): this {
    return this.#declare(ANY_METHOD, path, handler, { open: true })
  }

  #declaring(method: string) {
    return <
      const Path extends string,
      Admitted extends Admission,
      Query extends TSchema = typeof NoQuery,
      Body extends TSchema = typeof NoBody,
      Response extends ResponseSchema = TSchema,
    >(
      path: Path,
      handler: Handler<
        Context<Path, Query, Body, Admitted extends { access: Access } ? Caller : undefined>,
        Response
      >,
      options: Admitted & Options<Query, Body, Response>,
    ): this => this.#declare(method, path, handler, options)
  }

  #declare(
    method: string,
    path: string,
    handler: DeclaredEndpoint['handler'],
    { access, open, ...options }: Partial<EndpointMarks> & { readonly open?: true | undefined },
  ): this {
    const whole = this.prefix + path
    if (!access && !open) throw new Error(`${method} ${whole} does not say who may call it`)
    const marks = { query: NoQuery, body: NoBody, ...this.shared, ...options, access: access ?? 'open' }
    this.declared.push({ method, path: whole, handler, marks })
    return this
  }
}

/**
 * The endpoints of a feature, under a prefix, with a tag in the OpenAPI document. `covers` is the kind of content that
 * they show and change, for callers with restricted access.
 */
export const endpoints = (tag: string, prefix: string, covers: Covers) =>
  new Endpoints(prefix, { covers, tags: [tag] })

/** Endpoints that are not in the OpenAPI document. */
export const hiddenEndpoints = (prefix: string, covers: Covers) =>
  new Endpoints(prefix, { covers, hide: true })

/** The endpoints that only the application uses. */
export const applicationEndpoints = (covers: Covers) => hiddenEndpoints('/app/api', covers)
