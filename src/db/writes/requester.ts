import { AsyncLocalStorage } from 'node:async_hooks'

const requesters = new AsyncLocalStorage<string>()

/** Runs what serves a request: short writes, also later ones, take turns with those of other requesters. */
export const asRequester = <Result>(key: string, run: () => Result): Result => requesters.run(key, run)

/** Runs, or schedules, what serves no single request. */
export const asNobody = (run: () => void): void => requesters.exit(run)

/** The key of whoever made the request that is being served; empty outside of requests. */
export const currentRequester = (): string => requesters.getStore() ?? ''
