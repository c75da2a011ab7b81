import { createIdSource } from '../../lib/ids.ts'
import type { Reader } from '../reader.ts'
import type { Tx } from './transaction.ts'

/** The ids of this thread, which follow those of the main thread, and the other way round. */
export const taskIds = createIdSource()

/** The transaction of a task in a thread. What waits for its commit is not in that thread: `onDeferred` is called instead. */
export const taskTransaction = ({ sql }: Reader, now: number, onDeferred: () => void): Tx => ({
  sql,
  now,
  newId: () => taskIds(now),
  afterCommit: onDeferred,
  transaction: { startedAt: now },
})
