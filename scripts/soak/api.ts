import type { Disturbances } from './disturbances.ts'
import type { Findings } from './findings.ts'
import type { Server } from './server.ts'
import type { Tally } from './tally.ts'

/** Longer than any answer may take. */
const GIVE_UP_AFTER_MS = 30_000
const SLOW_MS = 5_000

/**
 * What became of a request: done with this answer; refused, so that nothing was written; or unknown, because no
 * answer came.
 */
export type Outcome =
  // biome-ignore lint/suspicious/noExplicitAny: an answer is judged by whoever asked
  { kind: 'done'; body: any } | { kind: 'refused' } | { kind: 'unknown' }

export interface Request {
  /** How the summary names it. */
  readonly name: string
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Record<string, string>
  /** What it must be answered with, 200 unless given. */
  readonly status?: number
}

export interface ApiOptions {
  readonly server: Server
  readonly disturbances: Disturbances
  readonly findings: Findings
  readonly tally: Tally
}

/** Asks the server that runs, and judges every answer by its status and its time. */
export class Api {
  readonly #options: ApiOptions

  constructor(options: ApiOptions) {
    this.#options = options
  }

  get server(): Server {
    return this.#options.server
  }

  async send(request: Request): Promise<Outcome> {
    const url = await this.server.url
    const begin = performance.now()
    try {
      const { status, body } = await this.#ask(url, request)
      return this.#judge(request, status, body, begin)
    } catch (error) {
      return this.#unanswered(request, begin, error)
    }
  }

  /** The answer of a read that must succeed sooner or later. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async read(name: string, path: string): Promise<any> {
    for (;;) {
      const outcome = await this.send({ name, path })
      if (outcome.kind === 'done') return outcome.body
      await Bun.sleep(100)
    }
  }

  async #ask(url: string, { method = 'GET', path, body, key = this.server.key, headers = {} }: Request) {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(GIVE_UP_AFTER_MS),
    })
    return { status: response.status, body: await response.json() }
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  #judge({ name, status: wanted = 200 }: Request, status: number, body: any, begin: number): Outcome {
    const { tally, findings, disturbances } = this.#options
    const durationMs = performance.now() - begin
    const isExcused = disturbances.since(begin)
    if (durationMs > SLOW_MS && !isExcused)
      findings.add('answers', `${name} took ${Math.round(durationMs)} ms`)
    tally.operation(name, status === wanted ? 'done' : 'refused', isExcused ? 0 : durationMs)
    if (status === wanted) return { kind: 'done', body }
    if (status !== 503 || !isExcused)
      findings.add('answers', `${name} was answered ${status}, not ${wanted}: ${JSON.stringify(body)}`)
    return { kind: status >= 500 && status !== 503 ? 'unknown' : 'refused' }
  }

  #unanswered({ name }: Request, begin: number, error: unknown): Outcome {
    const { tally, findings, disturbances } = this.#options
    tally.operation(name, 'unanswered')
    if (!disturbances.since(begin)) findings.add('answers', `${name} got no answer: ${error}`)
    return { kind: 'unknown' }
  }
}
