import { createIdSource } from '../../lib/ids.ts'
import type { Reader } from '../reader.ts'
import { stepsAtOnce, type Tx } from './transaction.ts'

/** Of this thread; it follows the ids of the main thread, and those follow it. */
export const taskIds = createIdSource()

/**
 * The transaction of a task in a worker thread, for functions that write. What it leaves to be done after the commit is
 * not done: nothing that waits for a commit is in that thread.
 */
export const taskTransaction = ({ sql }: Reader, now: number): Tx => ({
  sql,
  now,
  newId: () => taskIds(now),
  inSteps: stepsAtOnce,
  afterCommit: () => {},
  transaction: { startedAt: now },
})
