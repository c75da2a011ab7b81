import type { Clock } from '../../lib/clock.ts'
import { reach } from '../../lib/failure-points.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Refusal } from '../../lib/refusal.ts'
import { State } from '../../lib/state.ts'
import { isStorageFailure } from '../errors.ts'
import type { Reader } from '../reader.ts'
import type { Sql } from '../sql.ts'

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

/* Groups of writes that share a commit. */

/** A queued or finished write. */
export interface Item {
  /** Whether a request waits for it. */
  readonly isOfRequest: boolean
  /** Checks the caller's right, and writes. */
  run(): void
  /** Runs the actions after the commit, and reports success or the failure. */
  settle(failure?: Refusal): void
  reject(error: unknown): void
}

interface ItemOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly newId: IdSource
  readonly log: Log
}

export function newItem<T>(
  { sql, clock, newId, log }: ItemOptions,
  write: (tx: Tx) => T,
  schedulingKey: string,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): Item {
  const actions: (() => void)[] = []
  let result: T
  let state: State | undefined
  const callAction = (action: () => void) => {
    try {
      action()
    } catch (error) {
      log.error('after-commit action failed', { error: String(error) })
    }
  }
  return {
    isOfRequest: schedulingKey !== '',
    run: () => {
      const now = clock.now()
      result = write({
        sql,
        now,
        newId: () => newId(now),
        afterCommit: (action) => actions.push(action),
        transaction: {
          startedAt: now,
          get state() {
            state ??= new State()
            return state
          },
        },
      })
    },
    settle: (failure) => {
      actions.forEach(callAction)
      reach('notified')
      if (failure) reject(failure)
      else resolve(result)
    },
    reject,
  }
}

const MOST_WRITES = 256
const MOST_MS = 5

/** A write that was refused after uncommitted writes, on which its refusal may depend. */
interface RefusedItem {
  readonly item: Item
  readonly error: unknown
}

/** The finished writes of a transaction. */
export class WriteGroup {
  readonly done: Item[] = []
  readonly #refused: RefusedItem[] = []
  /** When the lock was taken. */
  readonly locked: number
  readonly #sql: Sql
  readonly #clock: Clock

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
    this.locked = clock.monotonicMs()
  }

  get isEmpty(): boolean {
    return this.done.length === 0
  }

  /** The number of callers that wait for the group. */
  get size(): number {
    return this.done.length + this.#refused.length
  }

  get isFull(): boolean {
    return this.done.length === MOST_WRITES || this.#clock.monotonicMs() - this.locked > MOST_MS
  }

  /**
   * Runs a write that can be refused without the others. The first write of a transaction has no savepoint: in a
   * large write, preserving the pages for a savepoint takes as long as writing. If the first one is refused, the
   * transaction is rolled back, and this returns false. The refusal of a later one settles with the group: until the
   * group is on the disk, nobody can read the state on which it depends.
   */
  run(item: Item): boolean {
    const isFirst = this.isEmpty
    this.done.push(item)
    if (!isFirst) this.#sql.run('SAVEPOINT write_item')
    try {
      item.run()
    } catch (error) {
      if (isStorageFailure(error) || !this.#sql.database.inTransaction) throw error
      this.#sql.run(isFirst ? 'ROLLBACK' : 'ROLLBACK TO write_item')
      if (!isFirst) this.#sql.run('RELEASE write_item')
      this.done.pop()
      if (isFirst) item.reject(error)
      else this.#refused.push({ item, error })
      return !isFirst
    }
    if (!isFirst) this.#sql.run('RELEASE write_item')
    return true
  }

  /** Reports that the writes are on the disk, or the failure if they may not be. */
  settle(failure?: Refusal): void {
    for (const item of this.done) item.settle(failure)
    for (const { item, error } of this.#refused) item.reject(failure ?? error)
  }

  /** Rejects every write, including those that the group has refused. */
  reject(reason: unknown): void {
    for (const item of this.done) item.reject(reason)
    for (const { item } of this.#refused) item.reject(reason)
  }

  /** Rolls the transaction back and rejects its writes. */
  undo(reason: unknown): void {
    if (this.#sql.database.inTransaction) this.#sql.run('ROLLBACK')
    this.reject(reason)
    this.done.length = 0
  }
}
