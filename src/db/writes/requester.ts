import { AsyncLocalStorage } from 'node:async_hooks'
import type { Reader } from '../reader.ts'

/** What a request may do. That may end after the request has begun, so every transaction of the request checks it. */
export interface Right {
  /** Throws the refusal that the request would get if it came now; called in the transaction, before it writes. */
  checkInWrite(reader: Reader): void
  /** The same right for a transaction in another thread, which gets a copy; undefined where there is nothing to check. */
  readonly data: object | undefined
}

interface Requester {
  key: string
  right?: Right
}

const requesters = new AsyncLocalStorage<Requester>()

/** Runs what serves a request: its writes, also later ones, take turns with those of other requesters, under its right. */
export const asRequester = <Result>(key: string, run: () => Result, right?: Right): Result =>
  requesters.run({ key, ...(right && { right }) }, run)

/** Says who made the request that is being served, and what it may do, once that is known; a visitor has no right that ends. */
export function identifyRequester(key: string, right?: Right): void {
  const requester = requesters.getStore()
  if (requester) Object.assign(requester, { key, ...(right && { right }) })
}

/** Runs, or schedules, what serves no single request. */
export const asNobody = <Result>(run: () => Result): Result => requesters.exit(run)

/** The key of whoever made the request that is being served; empty outside of requests. */
export const currentRequester = (): string => requesters.getStore()?.key ?? ''

/** The right of the request that is being served; undefined for the server's own work. */
export const currentRight = (): Right | undefined => requesters.getStore()?.right
