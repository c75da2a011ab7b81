import { Elysia } from 'elysia'
import type { Caller } from '../context.ts'
import type { QueryValues } from './query.ts'

/** What the edge learned of a request before the application sees it. */
export interface RequestContext {
  readonly requestId: string
  readonly caller: Caller | undefined
  readonly query: QueryValues
  readonly body: unknown
  /** The body as it was sent; empty without one. */
  readonly bodyText: string
  /** Whether only the headers of the answer are wanted. */
  readonly isHead: boolean
  /** After how many idle seconds the server closes this connection; 0 for never. For streams. */
  readonly limitIdle: (seconds: number) => void
}

const requestContexts = new WeakMap<Request, RequestContext>()

export const attachRequestContext = (request: Request, requestContext: RequestContext): void =>
  void requestContexts.set(request, requestContext)

export function requestContextOf(request: Request): RequestContext {
  const requestContext = requestContexts.get(request)
  if (!requestContext) throw new Error('a request reached the application without passing the edge')
  return requestContext
}

function callerOf(request: Request): Caller {
  const { caller } = requestContextOf(request)
  if (!caller) throw new Error('a route that needs a key was served without one')
  return caller
}

/**
 * Gives every handler its `caller`, and routes three options: `write: true` for what a read-only key may not
 * do, `creates: true` for what honours an `Idempotency-Key` (`idempotency.ts`), and `tokenInQuery: true` where
 * the key may stand in the query (`auth.ts`).
 */
export const keyed = () =>
  new Elysia({ name: 'keyed' })
    .macro({
      write: (needed: boolean) => ({ detail: { 'x-write': needed } as object }),
      tokenInQuery: (taken: boolean) => ({ detail: { 'x-token': taken } as object }),
      creates: (needed: boolean) => ({ detail: { 'x-creates': needed } as object }),
    })
    .derive({ as: 'scoped' }, ({ request }) => ({ caller: callerOf(request) }))
