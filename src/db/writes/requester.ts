import { AsyncLocalStorage } from 'node:async_hooks'
import type { Reader } from '../reader.ts'

/** The caller of a query or a write. */
export interface Requester {
  readonly userId: string
  readonly keyId: string | null
  readonly surface: string
  /** Aborts once the result is no longer needed; the query is then stopped. */
  readonly signal?: AbortSignal
  /** Whether the query has no time limit and is never refused, as for a watch. */
  readonly isBackground?: boolean
}

/** Requests without a key are identified by surface and user. */
export const requesterKey = ({ keyId, surface, userId }: Requester): string => keyId ?? `${surface} ${userId}`

/** The permission of a request. It may end while the request runs, so every transaction of the request checks it. */
export interface Right {
  /** Throws the refusal that the request would get now; called in the transaction, before it writes. */
  checkInWrite(reader: Reader): void
  /**
   * The same right for a transaction in another thread, which gets a copy; undefined if there is nothing to check.
   */
  readonly data: object | undefined
}

interface CurrentRequest {
  key: string
  right?: Right
}

const requesters = new AsyncLocalStorage<CurrentRequest>()

/**
 * Runs the handler of a request: its writes, also later ones, are scheduled fairly with those of other callers, and
 * checked against its right.
 */
export const asRequester = <Result>(key: string, run: () => Result, right?: Right): Result =>
  requesters.run({ key, ...(right && { right }) }, run)

/** Sets the caller of the current request and its right, once these are known. Visitors have no right that ends. */
export function identifyRequester(key: string, right?: Right): void {
  const requester = requesters.getStore()
  if (requester) Object.assign(requester, { key, ...(right && { right }) })
}

/** Runs, or schedules, work that belongs to no single request. */
export const asNobody = <Result>(run: () => Result): Result => requesters.exit(run)

/** The key of the caller of the current request; empty outside of requests. */
export const currentRequester = (): string => requesters.getStore()?.key ?? ''

/** The right of the current request; undefined for the server's own work. */
export const currentRight = (): Right | undefined => requesters.getStore()?.right
