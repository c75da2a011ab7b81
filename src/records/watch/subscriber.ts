import type { StreamEvent, StreamReader } from '../../http/sse.ts'
import type { Moments, Seen, Telling } from './page.ts'

/** One reader of a room, and what it knows. */
export class Follower {
  #seen: Seen | undefined
  /** The problem it was told last, unless an answer came after it. */
  #problem: string | undefined

  constructor(
    private readonly reader: StreamReader,
    readonly wantsChanges: boolean,
  ) {}

  /** It comes back and knows the records of a page; undefined when that is known no more. */
  resume(moments: Moments | undefined): void {
    if (moments) this.#seen = { moments }
  }

  /** Tells the page, unless it is what the reader saw last. */
  tell(telling: Telling): void {
    const isOverProblem = this.#problem !== undefined
    const event = telling.eventFor(this.#seen, this.wantsChanges, isOverProblem)
    this.#seen = telling.page
    this.#problem = undefined
    if (event) this.reader.send(event)
  }

  /** Tells a problem, unless it is the one the reader was told last. */
  tellProblem(problem: StreamEvent): void {
    if (this.#problem === problem.data) return
    this.#problem = problem.data
    this.reader.send(problem)
  }

  end(closed: StreamEvent): void {
    this.reader.end(closed)
  }
}
