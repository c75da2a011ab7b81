import { queryOf } from '../../test/support/records.ts'
import { readWatch } from '../../test/support/watch.ts'
import type { Random } from '../random.ts'
import type { ApiOptions } from './api.ts'
import { ROWS } from './objects.ts'

interface Row {
  id: string
}

interface Answer {
  records: Row[]
  total: number
  changes?: { created: Row[]; updated: Row[]; removed: string[] }
}

export interface WatcherOptions extends ApiOptions {
  readonly random: Random
  readonly question: Record<string, unknown>
}

const LONGEST_STAY_MS = 20_000

/** Follows a question, and holds what the changes tell against each answer; leaves and comes back now and then. */
export class Watcher {
  readonly #options: WatcherOptions
  #rows = new Map<string, Row>()
  #lastId: string | undefined
  #latest: Answer | undefined
  #isOver = false
  #leave = () => {}

  constructor(options: WatcherOptions) {
    this.#options = options
  }

  get question(): Record<string, unknown> {
    return this.#options.question
  }

  /** What the last answer said. */
  get latest(): Answer | undefined {
    return this.#latest
  }

  end(): void {
    this.#isOver = true
    this.#leave()
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      // A connection that breaks is made again; the faults break many.
      await this.#stay().catch(() => Bun.sleep(100))
    }
  }

  /** Stays until the time has come, or the stream ends. */
  async #stay(): Promise<void> {
    const { server, tally, random } = this.#options
    const url = `${await server.url}/v1/records/watch?${queryOf({ structure: ROWS, ...this.question, changes: true })}`
    const gone = new AbortController()
    const headers = {
      authorization: `Bearer ${server.key}`,
      ...(this.#lastId !== undefined && { 'last-event-id': this.#lastId }),
    }
    const watch = readWatch(await fetch(url, { headers, signal: gone.signal }))
    tally.operation('watch', 'done')
    this.#leave = () => gone.abort()
    const timer = setTimeout(this.#leave, random.below(LONGEST_STAY_MS))
    try {
      for (let said = await watch.next(); said; said = await watch.next()) {
        if ('event' in said) this.#hear(said.event, said.data, watch.lastId)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: an event is judged by its name
  #hear(event: string, data: any, id: string | undefined): void {
    const { findings, disturbances, tally } = this.#options
    tally.operation(`watch: ${event}`, 'done')
    if (event === 'answer') this.#replay(data, id)
    else if (!disturbances.since(performance.now()))
      findings.add('watches', `${event}: ${JSON.stringify(data)}`)
  }

  #replay(answer: Answer, id: string | undefined): void {
    const { records, changes } = answer
    this.#lastId = id
    this.#latest = answer
    if (!changes) {
      this.#rows = new Map(records.map((row) => [row.id, row]))
      return
    }
    for (const gone of changes.removed) this.#rows.delete(gone)
    for (const row of [...changes.created, ...changes.updated]) this.#rows.set(row.id, row)
    const wanted = new Map(records.map((row) => [row.id, row]))
    if (!Bun.deepEquals(this.#rows, wanted)) {
      const replayed = [...this.#rows.values()].filter((row) => !Bun.deepEquals(row, wanted.get(row.id)))
      this.#options.findings.add(
        'watches',
        `${JSON.stringify(this.question)} was replayed to ${this.#rows.size} rows, not ${wanted.size}; one is ${JSON.stringify(replayed[0])}`,
      )
      this.#rows = wanted
    }
  }
}
