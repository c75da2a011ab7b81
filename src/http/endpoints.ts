import type { TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Covers } from '../access/rights.ts'
import type { Caller } from '../context.ts'
import type { Rule } from './authorizer.ts'
import type { Exchange } from './exchange.ts'

/**
 * Who may call an endpoint, and for what: with a key or a session, or in a session of the application alone; to read,
 * or to write, which a read-only key, a viewer, and a server that is a copy of another may not.
 */
export const ACCESS = {
  read: {},
  /** A read whose key may be in the query, for clients that cannot set headers. */
  stream: { keyInQuery: true },
  write: { write: true, workspace: true },
  session: { session: true },
  'session-write': { session: true, write: true, workspace: true },
  /** Changes a workspace itself, such as its name. */
  'session-workspace': { session: true, workspace: true },
  'session-owner': { session: true, owner: true },
} as const satisfies Readonly<Record<string, Rule>>

export type Access = keyof typeof ACCESS

/** What an endpoint says of itself, in the `detail` of its route. */
export interface EndpointMarks {
  readonly access: Access | 'open'
  readonly covers: Covers
  readonly once?: true
  readonly cursor?: true
  readonly query: TSchema
  readonly body: TSchema
  /** Of a success; by its status where that is not the usual one. */
  readonly response?: TSchema | Readonly<Record<number, TSchema>>
}

const marks = (some: Partial<EndpointMarks>): object => some

/** What the endpoints of all features have in common. */
const common = (covers: Covers) =>
  new Elysia({ name: 'endpoints', seed: covers })
    // Every request has it: the pipeline adds it.
    .decorate({} as { exchange: Exchange })
    .macro({
      /** Who may call the endpoint. */
      access: (access: Access) => ({
        detail: marks({ access, covers }),
        // For the type alone: the caller is added where endpoints are mounted.
        resolve: () => ({ caller: undefined as unknown as Caller }),
      }),
      /** Anyone may call the endpoint. */
      open: {
        detail: marks({ access: 'open', covers }),
      },
      /** Honours an `Idempotency-Key`: the handler writes in `once`. */
      once: { detail: marks({ once: true }) },
      /** Takes a cursor of the change log, which may have expired. */
      cursor: { detail: marks({ cursor: true }) },
      // What the documentation says of the endpoint.
      operationId: (operationId: string) => ({ detail: { operationId } }),
      summary: (summary: string) => ({ detail: { summary } }),
      description: (description: string) => ({ detail: { description } }),
    })

/**
 * The endpoints of a feature, under a prefix, with a tag in the OpenAPI document. `covers` says what of a workspace they show
 * and change, for callers who do not reach all of it.
 */
export const endpoints = <const Prefix extends string>(tag: string, prefix: Prefix, covers: Covers) =>
  new Elysia({ prefix, tags: [tag] }).use(common(covers))

/** Endpoints that are not in the OpenAPI document. */
export const hiddenEndpoints = <const Prefix extends string>(prefix: Prefix, covers: Covers) =>
  new Elysia({ prefix, detail: { hide: true } }).use(common(covers))

/** The endpoints of the application alone. */
export const applicationEndpoints = (covers: Covers) => hiddenEndpoints('/app/api', covers)
