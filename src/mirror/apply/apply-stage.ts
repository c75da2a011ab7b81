import { appendCopied, type CopiedChange } from '../../changes/append-copied.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { addEvents } from '../events.ts'
import { reconcile } from '../reconcile.ts'
import type { Stage, StagedEntry } from '../stage.ts'
import { type Progress, saveProgress } from '../state.ts'
import { type CopyTransaction, copyingAuthor, instantOf } from './copy-transaction.ts'
import { applyFiles, removeFiles } from './files.ts'
import { Names } from './names.ts'
import { applyNotes, removeNotes } from './notes.ts'
import {
  applyLenses,
  applyPresets,
  applyProperties,
  applyQuickAccess,
  applyTags,
  applyViews,
  removeProperties,
  removeSaved,
  removeTags,
} from './objects.ts'
import { applyRecords, takeOutRecords } from './records.ts'
import { applyStructures, removeStructures } from './structures.ts'
import { applyWebhooks, removeWebhooks } from './webhooks.ts'

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
  const copy: CopyTransaction = {
    tx,
    workspacePk,
    stage,
    author: copyingAuthor(workspacePk),
    isFresh: mode === 'fresh',
  }
  if (mode === 'whole') reconcile(copy)
  if (mode !== 'fresh' && target.isForwarding) addEvents(copy, target.workspaceId)
  applyObjects(copy)
  if (mode !== 'fresh') appendCopied(tx, workspacePk, copiedChanges(stage))
  saveProgress(tx, progress)
}

/** What is gone goes first, and what others refer to is written before them. */
function applyObjects(copy: CopyTransaction): void {
  removeSaved(copy)
  removeWebhooks(copy)
  removeFiles(copy)
  takeOutRecords(copy)
  removeNotes(copy)
  removeStructures(copy)
  removeProperties(copy)
  removeTags(copy)
  applyTags(copy)
  applyProperties(copy)
  const names = new Names(copy.tx, copy.workspacePk, copy.stage)
  applyStructures(copy)
  applyNotes(copy, names)
  applyRecords(copy)
  applyFiles(copy)
  applyPresets(copy, names)
  applyViews(copy, names)
  applyLenses(copy)
  applyQuickAccess(copy)
  applyWebhooks(copy)
}

/** An update of nothing but what the copy leaves out is among them: `updated_at` of the object is another. */
function* copiedChanges(stage: Stage): Generator<CopiedChange> {
  for (const entry of stage.entries()) yield copiedChange(entry)
}

const copiedChange = ({
  transaction,
  at,
  kind,
  op,
  id,
  structure_id,
  changed,
  previous,
  actor,
}: StagedEntry) => ({
  transaction,
  at: instantOf(at),
  kind,
  operation: op,
  id,
  structureId: structure_id,
  changed,
  previous,
  actor: { surface: actor.surface, userId: actor.user_id, keyId: actor.key_id, name: actor.name },
})
