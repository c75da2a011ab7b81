import { FairQueue } from '../../lib/fair-queue.ts'
import { currentRequester } from './requester.ts'
import type { Item } from './write-item.ts'

/** Thrown by a write that only takes its turn, so that nothing is committed. */
const TURN = new Error('this writes nothing')
export const takeTurn = (): void => {
  throw TURN
}
export const unlessTurn = (error: unknown): void => {
  if (error !== TURN) throw error
}

/**
 * Writes that wait. Short and long ones are in turn between requesters, each among themselves: those of one requester
 * delay another one by one of them. A short write waits for at most one long one, and a long one for one group of short
 * ones.
 */
export class WaitingWrites {
  readonly #short = new FairQueue<Item>()
  readonly #long = new FairQueue<Item>()
  /** Whether short writes were run while a long one waited, which is next. */
  #isTurnOfLong = false

  get isEmpty(): boolean {
    return this.#short.isEmpty && this.#long.isEmpty
  }

  /** Adds a write of the current requester. */
  add(item: Item): void {
    const queue = item.isLong ? this.#long : this.#short
    queue.add(currentRequester(), item)
  }

  /** Removes and returns the next write that runs, with which a group begins. */
  takeFirst(): Item | undefined {
    const isTurnOfLong = this.#isTurnOfLong && !this.#long.isEmpty
    const short = isTurnOfLong ? undefined : this.#short.take()
    this.#isTurnOfLong = short !== undefined && !this.#long.isEmpty
    return short ?? this.#long.take()
  }

  /** The next short write, which joins a group. */
  takeShort(): Item | undefined {
    return this.#short.take()
  }

  /** Removes and returns the writes for which `isRemoved` is true; all by default. */
  removeAll(isRemoved: (item: Item) => boolean = () => true): Item[] {
    return [...this.#short.removeAll(isRemoved), ...this.#long.removeAll(isRemoved)]
  }
}
