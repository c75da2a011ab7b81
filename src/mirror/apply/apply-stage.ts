import { appendMirrored, type MirroredChange } from '../../changes/append-mirrored.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { addEvents } from '../events.ts'
import { reconcile } from '../reconcile.ts'
import type { Stage } from '../stage.ts'
import { type Progress, saveProgress } from '../state.ts'
import { CopyTransaction, instantOf, type Restorer } from './copy-transaction.ts'
import { files } from './files.ts'
import { notes } from './notes.ts'
import {
  incoming,
  items,
  lenses,
  presets,
  properties,
  rowViews,
  subscriptions,
  tags,
  views,
} from './objects.ts'
import { Records } from './records.ts'
import { structures } from './structures.ts'

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
  if (mode === 'whole') reconcile(copy)
  if (mode !== 'fresh' && target.isForwarding) addEvents(copy, target.workspaceId)
  applyObjects(copy)
  if (mode !== 'fresh') appendMirrored(tx, workspacePk, mirroredChanges(stage))
  saveProgress(tx, workspacePk, progress)
}

/** Each kind refers only to kinds before it: so what is gone goes in the other direction, before anything is written. */
function applyObjects(copy: CopyTransaction): void {
  const { stage, isFresh } = copy
  const kinds: readonly Restorer[] = [
    ...[tags, properties, structures, notes, new Records(), files],
    ...[presets, views, lenses, items, rowViews, subscriptions, incoming],
  ]
  for (const restorer of isFresh ? [] : kinds.toReversed()) {
    restorer.remove(copy, stage.gone(restorer.kind))
    if (!restorer.setAside) continue
    for (const { id, json } of stage.objects(restorer.kind)) if (json !== null) restorer.setAside(copy, id)
  }
  for (const restorer of kinds) {
    for (const { json, structureId } of stage.objects(restorer.kind))
      if (json !== null) restorer.write(copy, JSON.parse(json) as never, structureId)
    restorer.finish?.(copy)
  }
}

/** An update of nothing but what the copy leaves out is among them: `updated_at` of the object is another. */
function* mirroredChanges(stage: Stage): Generator<MirroredChange> {
  for (const { at, op, structure_id, actor, ...entry } of stage.entries())
    yield {
      ...entry,
      at: instantOf(at),
      operation: op,
      structureId: structure_id,
      actor: { surface: actor.surface, userId: actor.user_id, keyId: actor.key_id, name: actor.name },
    }
}
