import { Histogram } from './histogram.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** The requests of one route; `route` is undefined for unknown routes. */
export interface RouteMetrics {
  readonly method: string
  readonly route: string | undefined
  readonly statuses: Map<number, number>
  readonly seconds: Histogram
}

/** Counts requests by route and status. The number of routes bounds the memory, whatever clients send. */
export class RequestMetrics {
  readonly #byRoute = new Map<string | undefined, Map<string, RouteMetrics>>()

  get all(): Iterable<RouteMetrics> {
    return this.#byRoute.values().flatMap((byMethod) => byMethod.values())
  }

  /** `ms` is the time until the response, or until the beginning of a stream. */
  add(method: string, route: string | undefined, status: number, ms: number): void {
    const known =
      this.#byRoute.get(route)?.get(route === undefined ? '' : method) ?? this.#begin(method, route)
    known.statuses.set(status, (known.statuses.get(status) ?? 0) + 1)
    known.seconds.add(ms / 1_000)
  }

  /** Unknown routes count together, under the first method. */
  #begin(method: string, route: string | undefined): RouteMetrics {
    const begun = { method, route, statuses: new Map(), seconds: new Histogram(SECONDS) }
    const byMethod = this.#byRoute.get(route) ?? new Map<string, RouteMetrics>()
    this.#byRoute.set(route, byMethod.set(route === undefined ? '' : method, begun))
    return begun
  }
}
