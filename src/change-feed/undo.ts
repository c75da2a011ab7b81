import type { AppContext, Caller } from '../context.ts'
import type { WorkerTask } from '../db/worker/client.ts'
import { type Undone, undoTransaction } from './undo-transaction.ts'

interface UndoInput {
  readonly caller: Caller
  readonly transaction: string
}

export const undoTask = (features: AppContext['features']): WorkerTask<UndoInput, Undone> => ({
  name: 'features.undo',
  run: (tx, { caller, transaction }, listeners) =>
    undoTransaction(features, listeners, tx, caller, transaction),
})

/** Undoes all changes of notes and records of a transaction, in one new transaction, or refuses. */
export async function undo(
  { worker, features }: AppContext,
  { signal: _, ...caller }: Caller,
  { transaction, dry_run: isDryRun = false }: { transaction: string; dry_run?: boolean },
): Promise<Undone> {
  const undone = await worker.write(undoTask(features), { caller, transaction }, { isDryRun })
  return isDryRun ? { ...undone, transaction: null } : undone
}
