import type { ChangeKind } from '../storage/schema/changes.ts'
import { commentFile as comments } from './comments.ts'
import type { Copy } from './copy.ts'
import { files } from './files.ts'
import type { FiledKind, KindCopying, KindReading } from './kind.ts'
import { items, lenses, presets, properties, views } from './note-kinds.ts'
import { notes } from './notes.ts'
import { rowViews, sources, webhooks } from './record-kinds.ts'
import { Records } from './records.ts'
import { structures } from './structures.ts'
import { tags } from './tags.ts'

export type ObjectKind = Exclude<ChangeKind, 'record'>

/** Followers of the log see neither the target nor the URL of a share, only that it changed. */
const shares: KindReading = { table: 'shares', label: 'name', find: () => undefined }

/** The reading of each kind, in snapshot order: tags, properties and structures precede what refers to them. */
export const KINDS: Readonly<Record<ObjectKind, KindReading>> = {
  tag: tags,
  property: properties,
  structure: structures,
  note: notes,
  preset: presets,
  view: views,
  lens: lenses,
  quick_access_item: items,
  file: files,
  webhook: webhooks,
  source: sources,
  row_view: rowViews,
  comment: comments,
  share: shares,
}

/** Kinds included in snapshots, in order. */
export const SNAPSHOT_KINDS: readonly ObjectKind[] = (Object.keys(KINDS) as ObjectKind[]).filter(
  (kind) => kind !== 'share',
)

/** The kinds in the files of an exported workspace to which notes and rows refer. */
export const NAMED_FILES = [tags, properties].map(({ file }: FiledKind) => file)

/** The others, in the order of import: each refers only to kinds before it, and to notes and structures. */
export const OBJECT_FILES = [presets, views, lenses, items, rowViews, webhooks, sources, comments].map(
  ({ file }: FiledKind) => file,
)

/**
 * Brings a copy to the state of its remote. Each kind refers only to earlier ones, so deletions run in reverse order
 * before anything is written.
 */
export function applyObjects(copy: Copy): void {
  const { stage, isFresh } = copy
  const kinds: readonly KindCopying[] = [
    ...[tags, properties, structures, notes],
    new Records(),
    ...[files, presets, views, lenses, items, rowViews, webhooks, sources, comments],
  ]
  for (const kind of isFresh ? [] : kinds.toReversed()) {
    kind.remove(copy, stage.gone(kind.kind))
    if (!kind.setAside) continue
    for (const { id, json } of stage.objects(kind.kind)) if (json !== null) kind.setAside(copy, id)
  }
  for (const kind of kinds) {
    for (const { json, structureId } of stage.objects(kind.kind))
      if (json !== null) kind.write(copy, JSON.parse(json) as never, structureId)
    kind.finish?.(copy)
  }
}
