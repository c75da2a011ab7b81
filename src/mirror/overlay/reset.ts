import { appendMirrored } from '../../changes/append-mirrored.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { CopyTransaction } from '../apply/copy-transaction.ts'
import { mirroredChanges } from '../apply-stage.ts'
import { Stage } from '../stage.ts'
import { Lifted } from './lifted.ts'
import { listOverlay } from './store.ts'

/** Gives an object, or all, the state that the remote has. */
export function resetLocalChanges(tx: Tx, workspacePk: number, id: string | undefined): void {
  const stage = new Stage(':memory:')
  try {
    const lifted = new Lifted(new CopyTransaction(tx, workspacePk, stage, false), listOverlay(tx))
    const differences = lifted.layAgain((row) => id === undefined || row.id === id)
    appendMirrored(tx, workspacePk, mirroredChanges(differences))
  } finally {
    stage.close()
  }
}
