import { appendMirrored, type MirroredChange } from '../changes/append-mirrored.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { applyObjects } from './apply/apply-objects.ts'
import { CopyTransaction, instantOf } from './apply/copy-transaction.ts'
import { addEvents } from './events.ts'
import { Lifted } from './overlay/lifted.ts'
import { listOverlay } from './overlay/store.ts'
import { reconcile } from './reconcile.ts'
import type { Stage, StagedEntry } from './stage.ts'
import { type Progress, saveProgress } from './state.ts'

export interface Target {
  readonly workspacePk: number
  readonly workspaceId: string
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
  if (mode !== 'fresh' && target.isForwarding) addEvents(copy, target.workspaceId)
  applyObjects(copy)
  const differences = lifted?.layAgain() ?? []
  if (mode !== 'fresh') appendMirrored(tx, workspacePk, mirroredChanges([...stage.entries(), ...differences]))
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

/** An update of nothing but what the copy leaves out is among them: `updated_at` of the object is another. */
export function* mirroredChanges(entries: Iterable<StagedEntry>): Generator<MirroredChange> {
  for (const { at, op, structure_id, actor, ...entry } of entries)
    yield {
      ...entry,
      at: instantOf(at),
      operation: op,
      structureId: structure_id,
      actor: { surface: actor.surface, userId: actor.user_id, keyId: actor.key_id, name: actor.name },
    }
}
