import type { Clock } from '../../lib/clock.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Refusal } from '../../refusal.ts'
import type { Sql } from '../sql.ts'
import { State } from '../state.ts'
import { currentRequester, currentRight } from './requester.ts'
import type { Tx } from './transaction.ts'

/** A write that waits in the queue, or has run. */
export interface Item {
  /** Whether a request waits for it. */
  readonly isOfRequest: boolean
  /** Checks the right of the requester, and writes. */
  run(): void
  /** Calls what waits for the commit, and reports success or the failure. */
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
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): Item {
  const actions: (() => void)[] = []
  const right = currentRight()
  let result: T
  const callAction = (action: () => void) => {
    try {
      action()
    } catch (error) {
      log.error('after-commit action failed', { error: String(error) })
    }
  }
  return {
    isOfRequest: currentRequester() !== '',
    run: () => {
      right?.checkInWrite({ sql })
      const now = clock.now()
      result = write({
        sql,
        now,
        newId: () => newId(now),
        afterCommit: (action) => actions.push(action),
        transaction: { startedAt: now, state: new State() },
      })
    },
    settle: (failure) => {
      actions.forEach(callAction)
      if (failure) reject(failure)
      else resolve(result)
    },
    reject,
  }
}
