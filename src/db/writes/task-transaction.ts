import { createIdSource } from '../../lib/ids.ts'
import type { Reader } from '../reader.ts'
import { stepsAtOnce, type Tx } from './transaction.ts'

const newId = createIdSource()

/**
 * The transaction of a task in a worker thread, for functions that write. What it leaves to be done after the commit is
 * not done: nothing that waits for a commit is in that thread.
 */
export const taskTransaction = ({ sql }: Reader, now: number): Tx => ({
  sql,
  now,
  newId: () => newId(now),
  inSteps: stepsAtOnce,
  afterCommit: () => {},
  transaction: { startedAt: now },
})
