import { isStorageFailure } from '../errors.ts'
import type { Sql } from '../sql.ts'
import type { Item } from './write-item.ts'

const MOST_WRITES = 256
const MOST_MS = 5

/** The writes of a transaction that have run. */
export class WriteGroup {
  readonly done: Item[] = []
  /** When the lock was taken. */
  readonly locked = performance.now()
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  get isEmpty(): boolean {
    return this.done.length === 0
  }

  get isFull(): boolean {
    return this.done.length === MOST_WRITES || performance.now() - this.locked > MOST_MS
  }

  /**
   * Runs a write that can be refused without the others. The first one of a transaction has no savepoint: in a large
   * write, keeping the pages as they were at the savepoint takes as long as writing. If it is refused, the transaction
   * is rolled back, and this returns false.
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
      item.reject(error)
      return !isFirst
    }
    if (!isFirst) this.#sql.run('RELEASE write_item')
    return true
  }

  /** Rolls the transaction back and rejects its writes. */
  undo(reason: unknown): void {
    if (this.#sql.database.inTransaction) this.#sql.run('ROLLBACK')
    for (const item of this.done.splice(0)) item.reject(reason)
  }
}
