import type { Reader } from '../reader.ts'

/** An open transaction of one write: all of it is written, or nothing. */
export interface Tx extends Reader {
  /** The one instant of this write, in milliseconds. */
  readonly now: number
  newId(): string
  /**
   * Calls `step` before the commit until it returns false: for much work after the last refusal. In a server other
   * requests are served between steps, which must be short, while other writes wait. Other connections see nothing of
   * the transaction meanwhile. Where a savepoint may be rolled back, `stepsAtOnce` has to stand for it: steps outlive it.
   */
  inSteps(step: () => boolean): void
  /** Runs after the commit; never when the write is refused or the commit fails. */
  afterCommit(action: () => void): void
  /** Identifies the transaction: every copy of this object for the same transaction has it. */
  readonly transaction: Transaction
}

/** An `inSteps` that leaves nothing for later. */
export const stepsAtOnce: Tx['inSteps'] = (step) => {
  while (step()) {}
}

export interface Transaction {
  /** The instant of the write, also where a copy has another `now`. */
  readonly startedAt: number
}

/** A write is synchronous: passing a function that returns a promise is a type error. */
export type WriteFunction<T> = (tx: Tx) => T extends PromiseLike<unknown> ? never : T
