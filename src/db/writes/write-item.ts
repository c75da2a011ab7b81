import type { Clock } from '../../lib/clock.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Refusal } from '../../refusal.ts'
import type { Reader } from '../reader.ts'
import type { Sql } from '../sql.ts'
import { currentRight } from './requester.ts'
import type { Tx } from './transaction.ts'

/** A write that waits in the queue, or has run. */
export interface Item {
  /** Checks the right of the requester, and writes. */
  run(): void
  /** Calls what waits for the commit, and reports success or the failure. */
  settle(failure?: Refusal): void
  reject(error: unknown): void
  readonly queuedAt: number
}

/** The writes of an open transaction that have run. */
export interface Group {
  readonly done: Item[]
  /** When the lock was taken. */
  readonly locked: number
}

interface ItemOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly newId: IdSource
  readonly log: Log
}

interface Outcome<T> {
  resolve(result: T): void
  reject(error: unknown): void
}

export function newItem<T>(
  { sql, clock, newId, log }: ItemOptions,
  run: (tx: Tx) => T,
  { resolve, reject }: Outcome<T>,
): Item {
  const actions: (() => void)[] = []
  const right = currentRight()
  let result: T
  const callActions = () => {
    for (const action of actions) {
      try {
        action()
      } catch (error) {
        log.error('after-commit action failed', { error: String(error) })
      }
    }
  }
  return {
    queuedAt: performance.now(),
    run: () => {
      right?.checkInWrite({ sql })
      const now = clock.now()
      result = run({
        sql,
        now,
        newId: () => newId(now),
        afterCommit: (action) => actions.push(action),
        transaction: { startedAt: now },
      })
    },
    settle: (failure) => {
      callActions()
      if (failure) reject(failure)
      else resolve(result)
    },
    reject,
  }
}

/** Writes the first page of the file without changing it. */
export function rewriteVersion({ sql }: Reader): void {
  sql.script(`PRAGMA user_version = ${sql.scalar<number>('PRAGMA user_version')}`)
}
