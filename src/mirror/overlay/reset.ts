import { appendMirrored } from '../../changes/append-mirrored.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { CopyTransaction } from '../apply/copy-transaction.ts'
import { mirroredChanges } from '../apply-stage.ts'
import { Stage } from '../stage.ts'
import { Lifted } from './lifted.ts'
import { localState } from './local-state.ts'
import { isConflict, isOwn, isSameContent, listOverlay, type OverlayRow } from './store.ts'

/** Gives an object, or all, the state that the remote has. */
export const resetLocalChanges = (tx: Tx, workspacePk: number, id: string | undefined): void =>
  reset(tx, workspacePk, (row) => id === undefined || row.id === id)

/** What was changed back by hand is as the remote has it meanwhile; returns whether there is any. */
export function settleUndone(tx: Tx, workspacePk: number): boolean {
  const isUndone = (row: OverlayRow) => isSameContent(localState(tx, row, workspacePk).json, row.base)
  const undone = listOverlay(tx).filter((row) => isOwn(row) && isConflict(row) && isUndone(row))
  if (undone.length === 0) return false
  const ids = new Set(undone.map(({ id }) => id))
  reset(tx, workspacePk, ({ id }) => ids.has(id))
  return true
}

function reset(tx: Tx, workspacePk: number, isReset: (row: OverlayRow) => boolean): void {
  const stage = new Stage(':memory:')
  try {
    const lifted = new Lifted(new CopyTransaction(tx, workspacePk, stage, false), listOverlay(tx))
    const differences = lifted.layAgain(isReset)
    appendMirrored(tx, workspacePk, mirroredChanges(differences))
  } finally {
    stage.close()
  }
}
