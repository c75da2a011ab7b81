import type { CopyTransaction, Restorer } from './copy-transaction.ts'
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

/** Each kind refers only to kinds before it: so what is gone goes in the other direction, before anything is written. */
export function applyObjects(copy: CopyTransaction): void {
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
