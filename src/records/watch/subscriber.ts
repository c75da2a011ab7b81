import type { Caller } from '../../context.ts'
import type { StreamEvent, StreamReader } from '../../http/sse.ts'
import { Refusal } from '../../refusal.ts'
import { recordJson } from '../present.ts'
import type { RecordRow } from '../store.ts'
import type { Versions, WatchedPage } from './pages.ts'

/** The page that a reader knows. Of a reader that has just reconnected, only the versions are known. */
interface KnownPage {
  readonly versions: Versions
  readonly text?: string
}

interface Difference {
  readonly isSame: boolean
  changed?: StreamEvent
}

/** Sends one page to many readers; those that know the same page share one event. */
export class Broadcast {
  readonly #plain: StreamEvent
  readonly #differences = new Map<KnownPage, Difference>()

  constructor(readonly page: WatchedPage) {
    this.#plain = { name: 'answer', id: page.id, data: `{${page.text}}` }
  }

  /** Undefined when the reader knows this page already, unless it is sent `always`. Changes need a known page. */
  eventFor(known: KnownPage | undefined, wantsChanges: boolean, always: boolean): StreamEvent | undefined {
    if (!known) return this.#plain
    const difference = this.#differenceFrom(known)
    if (difference.isSame && !always) return undefined
    if (!wantsChanges) return this.#plain
    difference.changed ??= changedEvent(this.page, known.versions)
    return difference.changed
  }

  #differenceFrom(known: KnownPage): Difference {
    const found = this.#differences.get(known)
    if (found) return found
    const difference = { isSame: known.text === this.page.text }
    this.#differences.set(known, difference)
    return difference
  }
}

/** The page, and what changed since the versions of `before`. */
function changedEvent({ id, text, rows, versions }: WatchedPage, before: Versions): StreamEvent {
  const created = rows.filter((row) => !before.has(row.id))
  const updated = rows.filter((row) => before.has(row.id) && before.get(row.id) !== row.updatedAt)
  const removed = [...before.keys()].filter((recordId) => !versions.has(recordId))
  const changes = `{"created":${listJson(created)},"updated":${listJson(updated)},"removed":${JSON.stringify(removed)}}`
  return { name: 'answer', id, data: `{${text},"changes":${changes}}` }
}

const listJson = (rows: readonly RecordRow[]): string => `[${rows.map(recordJson).join(',')}]`

/** A page could not be read. Errors other than refusals are not described to clients. */
export const problemEvent = (error: unknown): StreamEvent => ({
  name: 'problem',
  data: JSON.stringify(
    error instanceof Refusal
      ? { error: error.message, code: error.code }
      : { error: 'Something failed on the side of the service; the watch goes on.', code: 'internal' },
  ),
})

/** One reader of a channel, with the page that it knows. */
export class Subscriber {
  #known: KnownPage | undefined
  /** Whether the page that it received last was found; undefined if it named none, and once `resumed` was sent. */
  #isResumed: boolean | undefined
  /** The data of the problem sent last, unless a page was sent after it. */
  #problem: string | undefined

  constructor(
    private readonly reader: StreamReader,
    readonly caller: Caller,
    readonly wantsChanges: boolean,
  ) {}

  /** For a reader that reconnects: whether the page that it received last is known, and for changes which it was. */
  resume(isKnown: boolean, versions?: Versions): void {
    this.#isResumed = isKnown
    if (versions) this.#known = { versions }
  }

  /** Sends the page, unless it equals the one sent last. */
  send(broadcast: Broadcast): void {
    const isAfterProblem = this.#problem !== undefined
    const event = broadcast.eventFor(this.#known, this.wantsChanges, isAfterProblem)
    this.#known = broadcast.page
    this.#problem = undefined
    if (event) this.reader.send(this.#isResumed === undefined ? event : withResumed(event, this.#isResumed))
    this.#isResumed = undefined
  }

  /** Sends a problem, unless it equals the one sent last. */
  sendProblem(problem: StreamEvent): void {
    if (this.#problem === problem.data) return
    this.#problem = problem.data
    this.reader.send(problem)
  }

  end(closed: StreamEvent): void {
    this.reader.end(closed)
  }
}

/** The answer, saying first whether the reader missed nothing. */
const withResumed = (event: StreamEvent, isResumed: boolean): StreamEvent => ({
  ...event,
  data: event.data.replace('{', `{"resumed":${isResumed},`),
})
