import { appendMirrored } from '../changes/append-mirrored.ts'
import { withCacheOf } from '../db/connection/open.ts'
import type { WorkerTask } from '../db/worker/client.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { CopyTransaction } from './apply/copy-transaction.ts'
import { applyObjects } from './apply/objects.ts'
import { addEvents } from './events.ts'
import { Lifted } from './overlay/lifted.ts'
import { listOverlay } from './overlay/store.ts'
import { reconcile } from './reconcile.ts'
import { Stage } from './stage.ts'
import { type Progress, saveLeftOut, saveProgress } from './state.ts'

export interface Target {
  readonly workspacePk: number
  /** `fresh` for an empty copy; `whole` where the stage is the whole workspace, and what it lacks is gone. */
  readonly mode: 'fresh' | 'changes' | 'whole'
  /** Whether record changes become events that are posted. */
  readonly isForwarding: boolean
  readonly progress: Progress
}

/** Brings the copy to the state of the remote that is staged, in the caller's transaction. */
export function applyStage(tx: Tx, stage: Stage, target: Target): void {
  const { workspacePk, mode, progress } = target
  const copy = new CopyTransaction(tx, workspacePk, stage, mode === 'fresh')
  const lifted = mode === 'fresh' ? undefined : liftConcerned(copy, mode === 'whole')
  if (mode === 'whole') reconcile(copy)
  if (mode !== 'fresh' && target.isForwarding) addEvents(copy)
  applyObjects(copy)
  const differences = lifted?.layAgain() ?? []
  // An update of nothing but what the copy leaves out is logged, too: `updated_at` of the object is another.
  if (mode !== 'fresh') appendMirrored(tx, workspacePk, [...stage.entries(), ...differences])
  saveLeftOut(tx, stage, mode !== 'changes')
  saveProgress(tx, workspacePk, progress)
}

/** Takes off what was changed in the copy, as far as the staged changes may concern it. */
function liftConcerned(copy: CopyTransaction, isWhole: boolean): Lifted | undefined {
  const { tx, stage } = copy
  const overlay = listOverlay(tx)
  if (overlay.length === 0) return undefined
  const structures = stage.structures()
  const hasNotes = NOTE_KINDS.some((kind) => stage.holdsAny(kind))
  const rows = overlay.filter(
    ({ kind, structure }) => isWhole || (kind === 'record' ? structures.has(structure ?? '') : hasNotes),
  )
  return rows.length === 0 ? undefined : new Lifted(copy, rows)
}

const NOTE_KINDS = ['note', 'tag', 'property', 'quick_access_item'] as const

/** Rows are mostly appended, so that a larger cache takes more memory and little less time. */
const CACHE_KIB = 24_576

/** Applies a stage that is too large for the thread that serves requests; all in one transaction. */
export const mirrorApply: WorkerTask<
  { readonly stageFile: string; readonly now: number; readonly target: Target },
  void
> = {
  name: 'mirror.apply',
  isBackground: true,
  run: (tx, { stageFile, now, target }) => {
    const stage = new Stage(stageFile)
    const apply = () => applyStage({ ...tx, now }, stage, target)
    try {
      withCacheOf(CACHE_KIB, tx.sql.database, apply)
    } finally {
      stage.close()
    }
  },
}
