import { Histogram } from '../lib/histogram.ts'
import type { Route } from './routes.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** The requests of one route; `route` is undefined for those that no route serves. */
export interface RouteMetrics {
  readonly route: Route | undefined
  readonly statuses: Map<number, number>
  readonly seconds: Histogram
}

/** Counts requests by route and status. The routes bound how much is kept, whatever clients send. */
export class RequestMetrics {
  readonly #byRoute = new Map<Route | undefined, RouteMetrics>()

  get all(): Iterable<RouteMetrics> {
    return this.#byRoute.values()
  }

  /** `ms` is the time until the response, of a stream until its beginning. */
  add(route: Route | undefined, status: number, ms: number): void {
    let known = this.#byRoute.get(route)
    if (!known) {
      known = { route, statuses: new Map(), seconds: new Histogram(SECONDS) }
      this.#byRoute.set(route, known)
    }
    known.statuses.set(status, (known.statuses.get(status) ?? 0) + 1)
    known.seconds.add(ms / 1_000)
  }
}
