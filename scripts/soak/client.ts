import type { FaultWindows } from './faults/windows.ts'
import type { Statistics, Violations } from './report.ts'
import type { Server } from './server.ts'

/** Longer than the limit for any response. */
const TIMEOUT_MS = 30_000
const MAX_RESPONSE_MS = 5_000

/**
 * The outcome of a request. A `refused` request has written nothing; an `unknown` one, without a response, may have.
 */
export type Outcome =
  // biome-ignore lint/suspicious/noExplicitAny: checked by the caller
  { kind: 'done'; body: any } | { kind: 'refused' } | { kind: 'unknown' }

export interface Request {
  /** The name in the report. */
  readonly name: string
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Record<string, string>
  /** The expected status; 200 if absent. */
  readonly status?: number
  /** By default, whether the method is GET. */
  readonly isRead?: boolean
}

export interface ClientOptions {
  readonly server: Server
  readonly faultWindows: FaultWindows
  readonly violations: Violations
  readonly statistics: Statistics
}

/** Sends requests to the running server and checks the status and the time of every response. */
export class Client {
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
  }

  get server(): Server {
    return this.#options.server
  }

  async send(request: Request): Promise<Outcome> {
    const url = await this.server.url
    const begin = performance.now()
    try {
      const { status, body } = await this.#fetch(url, request)
      return this.#check(request, status, body, begin)
    } catch (error) {
      return this.#noResponse(request, begin, error)
    }
  }

  /** Repeats a read until it succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async read(name: string, path: string): Promise<any> {
    for (;;) {
      const outcome = await this.send({ name, path })
      if (outcome.kind === 'done') return outcome.body
      await Bun.sleep(100)
    }
  }

  async #fetch(url: string, { method = 'GET', path, body, key = this.server.key, headers = {} }: Request) {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { status: response.status, body: await response.json() }
  }

  #check(request: Request, status: number, body: unknown, begin: number): Outcome {
    const { name, method = 'GET', isRead = method === 'GET', status: expected = 200 } = request
    const { statistics, violations, faultWindows } = this.#options
    const durationMs = performance.now() - begin
    const isExpected = faultWindows.overlaps(begin)
    if (durationMs > MAX_RESPONSE_MS && !isExpected)
      violations.add('responses', `${name} took ${Math.round(durationMs)} ms`)
    statistics.operation(name, status === expected ? 'done' : 'refused', isExpected ? 0 : durationMs)
    if (!isExpected) statistics.time(isRead ? 'reads' : 'writes', durationMs)
    if (status === expected) return { kind: 'done', body }
    if (status !== 503 || !isExpected)
      violations.add('responses', `${name} returned ${status}, not ${expected}: ${JSON.stringify(body)}`)
    return { kind: status >= 500 && status !== 503 ? 'unknown' : 'refused' }
  }

  #noResponse({ name }: Request, begin: number, error: unknown): Outcome {
    const { statistics, violations, faultWindows } = this.#options
    statistics.operation(name, 'unanswered')
    if (!faultWindows.overlaps(begin)) violations.add('responses', `${name} got no response: ${error}`)
    return { kind: 'unknown' }
  }
}
