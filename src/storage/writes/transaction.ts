import type { Db } from '../database.ts'
import type { Reader } from '../reader.ts'
import type { State } from '../state.ts'

/** The open transaction of one write, which is atomic. */
export interface Tx extends Reader {
  /** The one instant of this write, in milliseconds. */
  readonly now: number
  newId(): string
  /** Runs after the commit; never if the write is refused or the commit fails. */
  afterCommit(action: () => void): void
  /** Identifies the transaction in every copy of this object. */
  readonly transaction: Transaction
}

export interface Transaction {
  /** The instant of the write, also in a copy with another `now`. */
  readonly startedAt: number
  readonly state: State
}

/** A write is synchronous: passing a function that returns a promise is a type error. */
export type WriteFunction<T> = (tx: Tx) => T extends PromiseLike<unknown> ? never : T

/** Thrown out of the transaction of a dry run, to roll it back and still return its outcome. */
export class Trial extends Error {
  constructor(readonly outcome: unknown) {
    super('nothing is written')
  }
}

/** The result of a write, or the outcome of its trial. */
export async function resultOf<Outcome>(written: Promise<Outcome>): Promise<Outcome> {
  try {
    return await written
  } catch (error) {
    if (error instanceof Trial) return error.outcome as Outcome
    throw error
  }
}

/**
 * Writes, or checks everything in the same way and returns the same result without writing. `isDryRun` may depend on
 * the outcome.
 */
export async function writeUnlessDry<Outcome>(
  db: Pick<Db, 'write'>,
  run: (tx: Tx) => Outcome,
  isDryRun: boolean | ((outcome: Outcome) => boolean),
  isLong = false,
): Promise<Outcome> {
  const write = (tx: Tx): { outcome: Outcome } => {
    const outcome = run(tx)
    if (isDryRun === true || (isDryRun !== false && isDryRun(outcome))) throw new Trial({ outcome })
    return { outcome }
  }
  return (await resultOf(db.write(write, { isLong }))).outcome
}
