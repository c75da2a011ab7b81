import { queryOf } from '../../../test/support/records.ts'
import { readWatch } from '../../../test/support/watch.ts'
import type { Random } from '../../lib/random.ts'
import type { ClientOptions } from '../client.ts'
import { ROWS } from '../fixtures.ts'

interface Row {
  id: string
}

interface Page {
  records: Row[]
  total: number
  changes?: { created: Row[]; updated: Row[]; removed: string[] }
}

export interface WatcherOptions extends ClientOptions {
  readonly random: Random
  readonly query: Record<string, unknown>
}

const MAX_STREAM_MS = 20_000

/** Watches a query and replays the changes, which must yield each page. Disconnects and resumes at random. */
export class Watcher {
  readonly #options: WatcherOptions
  #rows = new Map<string, Row>()
  #lastId: string | undefined
  #latest: Page | undefined
  #isOver = false
  #disconnect = () => {}

  constructor(options: WatcherOptions) {
    this.#options = options
  }

  get query(): Record<string, unknown> {
    return this.#options.query
  }

  /** The last page. */
  get latest(): Page | undefined {
    return this.#latest
  }

  end(): void {
    this.#isOver = true
    this.#disconnect()
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      // Faults break many connections, so connect again.
      await this.#watch().catch(() => Bun.sleep(100))
    }
  }

  /** Reads the stream until it ends, or until a random time has passed. */
  async #watch(): Promise<void> {
    const { server, statistics, random } = this.#options
    const url = `${await server.url}/v1/records/watch?${queryOf({ structure: ROWS, ...this.query, changes: true })}`
    const gone = new AbortController()
    const headers = {
      authorization: `Bearer ${server.key}`,
      ...(this.#lastId !== undefined && { 'last-event-id': this.#lastId }),
    }
    const watch = readWatch(await fetch(url, { headers, signal: gone.signal }))
    statistics.operation('watch', 'done')
    this.#disconnect = () => gone.abort()
    const timer = setTimeout(this.#disconnect, random.below(MAX_STREAM_MS))
    try {
      for (let message = await watch.next(); message; message = await watch.next()) {
        if ('event' in message) this.#onEvent(message.event, message.data, watch.lastId)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: checked by the name of the event
  #onEvent(event: string, data: any, id: string | undefined): void {
    const { violations, faultWindows, statistics } = this.#options
    statistics.operation(`watch: ${event}`, 'done')
    if (event === 'answer') this.#replay(data, id)
    else if (!faultWindows.overlaps(performance.now()))
      violations.add('watches', `${event}: ${JSON.stringify(data)}`)
  }

  #replay(answer: Page, id: string | undefined): void {
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
      this.#options.violations.add(
        'watches',
        `${JSON.stringify(this.query)} was replayed to ${this.#rows.size} rows, not ${wanted.size}; one is ${JSON.stringify(replayed[0])}`,
      )
      this.#rows = wanted
    }
  }
}
