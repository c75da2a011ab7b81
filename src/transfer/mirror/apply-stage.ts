import { long, write } from '../../kernel/operation.ts'
import { appendMirrored } from '../../log/append-mirrored.ts'
import { Copy } from '../../objects/copy.ts'
import { applyObjects } from '../../objects/kinds.ts'
import { withCacheOf } from '../../storage/connection/open.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { addEvents } from './events.ts'
import { listOverlay } from './overlay/store.ts'
import { SuspendedChanges } from './overlay/suspended-changes.ts'
import { reconcile } from './reconcile.ts'
import { Stage } from './stage.ts'
import { type Progress, saveOmitted, saveProgress } from './state.ts'

export interface Target {
  readonly workspacePk: number
  /** `fresh` for an empty copy; `whole` if the stage is the whole workspace, so that missing objects are deleted. */
  readonly mode: 'fresh' | 'changes' | 'whole'
  /** Whether record changes become events to be posted. */
  readonly isForwarding: boolean
  readonly progress: Progress
}

/** Brings the copy to the staged state of the remote, in the caller's transaction. */
export function applyStage(tx: Tx, stage: Stage, target: Target): void {
  const { workspacePk, mode, progress } = target
  const copy = new Copy(tx, workspacePk, stage, mode === 'fresh')
  const suspended = mode === 'fresh' ? undefined : suspendConcerned(copy, mode === 'whole')
  if (mode === 'whole') reconcile(copy)
  if (mode !== 'fresh' && target.isForwarding) addEvents(copy)
  applyObjects(copy)
  const differences = suspended?.reapply() ?? []
  // An update that changes only omitted attributes is logged too, because `updated_at` differs.
  if (mode !== 'fresh') appendMirrored(tx, workspacePk, [...stage.entries(), ...differences])
  saveOmitted(tx, stage, mode !== 'changes')
  saveProgress(tx, workspacePk, progress)
}

/** Removes the local changes that the staged changes may concern from the tables. */
function suspendConcerned(copy: Copy<Stage>, isWhole: boolean): SuspendedChanges | undefined {
  const { tx, stage } = copy
  const overlay = listOverlay(tx)
  if (overlay.length === 0) return undefined
  const structures = stage.structures()
  const hasNotes = NOTE_KINDS.some((kind) => stage.holdsAny(kind))
  const rows = overlay.filter(
    ({ kind, structure }) => isWhole || (kind === 'record' ? structures.has(structure ?? '') : hasNotes),
  )
  return rows.length === 0 ? undefined : new SuspendedChanges(copy, rows, isWhole)
}

const NOTE_KINDS = ['note', 'tag', 'property', 'quick_access_item', 'comment'] as const

/** Rows are mostly appended, so that a larger cache would cost memory and save little time. */
const CACHE_KIB = 24_576

interface StageInFile {
  readonly stageFile: string
  readonly now: number
  readonly target: Target
}

/** Applies a stage in a file, in one transaction. */
export const mirrorApply = long(
  write({
    name: 'mirror.apply',
    covers: 'several',
    run: (tx, _, { stageFile, now, target }: StageInFile): void => {
      const stage = new Stage(stageFile)
      const apply = () => applyStage({ ...tx, now }, stage, target)
      try {
        withCacheOf(CACHE_KIB, tx.sql.database, apply)
      } finally {
        stage.close()
      }
    },
  }),
)
