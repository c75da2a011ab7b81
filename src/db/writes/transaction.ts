import type { Reader } from '../reader.ts'
import type { State } from '../state.ts'

/** An open transaction of one write: all of it is written, or nothing. */
export interface Tx extends Reader {
  /** The one instant of this write, in milliseconds. */
  readonly now: number
  newId(): string
  /** Runs after the commit; never when the write is refused or the commit fails. */
  afterCommit(action: () => void): void
  /** Identifies the transaction: every copy of this object for the same transaction has it. */
  readonly transaction: Transaction
}

export interface Transaction {
  /** The instant of the write, also where a copy has another `now`. */
  readonly startedAt: number
  readonly state: State
}

/** A write is synchronous: passing a function that returns a promise is a type error. */
export type WriteFunction<T> = (tx: Tx) => T extends PromiseLike<unknown> ? never : T
