import type { Db } from '../database.ts'
import type { Tx } from './transaction.ts'

/** Thrown out of a transaction to roll it back and still return what it would have done. */
class DryRun<Outcome> extends Error {
  constructor(readonly outcome: Outcome) {
    super('nothing is written')
  }
}

/**
 * Writes, or with `isDryRun`, which may depend on the outcome, checks everything in the same way, returns the same and
 * writes nothing.
 */
export async function writeUnlessDry<Outcome>(
  db: Pick<Db, 'write'>,
  run: (tx: Tx) => Outcome,
  isDryRun: boolean | ((outcome: Outcome) => boolean),
  isLong = false,
): Promise<Outcome> {
  const write = (tx: Tx): { outcome: Outcome } => {
    const outcome = run(tx)
    if (isDryRun === true || (isDryRun !== false && isDryRun(outcome))) throw new DryRun(outcome)
    return { outcome }
  }
  try {
    return (await db.write(write, isLong)).outcome
  } catch (error) {
    if (error instanceof DryRun) return error.outcome as Outcome
    throw error
  }
}
