import { Elysia } from 'elysia'
import type { Caller } from '../context.ts'
import type { QueryValues } from './query.ts'

/** What the edge learned of a request before the application sees it. */
export interface Exchange {
  readonly requestId: string
  readonly caller: Caller | undefined
  readonly query: QueryValues
  readonly body: unknown
  /** The body as it was sent; empty without one. */
  readonly bodyText: string
  /** Takes the server's idle time-out off this connection; for streams. */
  readonly keepOpen: () => void
}

const exchanges = new WeakMap<Request, Exchange>()

export const beginExchange = (request: Request, exchange: Exchange): void =>
  void exchanges.set(request, exchange)

export function exchangeOf(request: Request): Exchange {
  const exchange = exchanges.get(request)
  if (!exchange) throw new Error('a request reached the application without passing the edge')
  return exchange
}

function callerOf(request: Request): Caller {
  const { caller } = exchangeOf(request)
  if (!caller) throw new Error('a route that needs a key was served without one')
  return caller
}

/**
 * Gives every handler its `caller`, and routes two options: `write: true` for what a read-only key may not
 * do, and `creates: true` for what honours an `Idempotency-Key` (`idempotency.ts`).
 */
export const keyed = () =>
  new Elysia({ name: 'keyed' })
    .macro({
      write: (needed: boolean) => ({ detail: { 'x-write': needed } as object }),
      creates: (needed: boolean) => ({ detail: { 'x-creates': needed } as object }),
    })
    .derive({ as: 'scoped' }, ({ request }) => ({ caller: callerOf(request) }))
