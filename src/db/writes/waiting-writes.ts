import { FairQueue } from '../../lib/fair-queue.ts'
import { currentRequester } from './requester.ts'
import type { Item } from './write-item.ts'

/** What waits for its turn to let another connection write. */
export interface Pause {
  /** Called when it is its turn; the queue stays paused until the promise ends. */
  begin(): Promise<void>
  reject(error: unknown): void
}

/** The key of all that takes long, which is in one line: a short write waits for at most one of them. */
const LONG = 'long'

/** Writes and pauses that wait. Short writes are in turn between requesters: those of one delay another by one of them. */
export class WaitingWrites {
  readonly #queue = new FairQueue<Item | Pause>()

  get isEmpty(): boolean {
    return this.#queue.isEmpty
  }

  /** Adds a write of the current requester. */
  add(item: Item, isLong: boolean): void {
    this.#queue.add(isLong ? LONG : `by ${currentRequester()}`, item)
  }

  addPause(pause: Pause): void {
    this.#queue.add(LONG, pause)
  }

  /** Removes and returns the next one if it is a pause. */
  takePause(): Pause | undefined {
    const next = this.#queue.next
    return next && 'begin' in next ? (this.#queue.take() as Pause) : undefined
  }

  /** Removes and returns the next one if it is a long write. */
  takeLong(): Item | undefined {
    return this.#queue.nextKey === LONG ? (this.#queue.take() as Item) : undefined
  }

  /** Removes and returns the next short write, unless one that takes long comes before it. */
  takeShort(): Item | undefined {
    return this.#queue.nextKey === LONG ? undefined : (this.#queue.take() as Item | undefined)
  }

  /** Removes and returns what was queued before an instant; everything by default. */
  removeAll(queuedBefore = Number.POSITIVE_INFINITY): (Item | Pause)[] {
    const isRemoved = (one: Item | Pause) => ('queuedAt' in one ? one.queuedAt : 0) < queuedBefore
    return this.#queue.removeAll(isRemoved)
  }
}
