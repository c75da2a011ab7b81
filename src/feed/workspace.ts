import { type InWorkspace, placeFor } from '../context.ts'
import { listSources } from '../events/sources/service.ts'
import { listWebhooks } from '../events/webhooks/service.ts'
import { countWebhooks } from '../events/webhooks/store.ts'
import { countFiles } from '../files/store.ts'
import { hides } from '../kernel/caller.ts'
import { read } from '../kernel/operation.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { fail, notFound } from '../lib/refusal.ts'
import { lensKind } from '../notes/lenses/service.ts'
import { itemKind } from '../notes/pinned/service.ts'
import { presetKind } from '../notes/presets/service.ts'
import { propertyKind } from '../notes/properties/service.ts'
import { tagKind } from '../notes/tags/service.ts'
import { viewKind } from '../notes/views/service.ts'
import { findWorkspace } from '../people/accounts/store.ts'
import { countStructures } from '../records/structures/store.ts'
import { listRowViews } from '../records/views/service.ts'
import type { Reader } from '../storage/reader.ts'

/** The number of objects of each kind except notes in a workspace, in the order of responses. */
interface ObjectCounts {
  structures: number
  records: number
  tags: number
  properties: number
  presets: number
  views: number
  lenses: number
  quick_access: number
  files: number
  webhooks: number
  sources: number
  row_views: number
}

/** The number of objects that are visible to the caller. */
export function countObjects(reader: Reader, caller: InWorkspace): ObjectCounts {
  const { workspacePk: workspace } = placeFor(caller, 'notes')
  return {
    ...countStructures(reader, caller),
    tags: tagKind.count(reader, workspace),
    properties: propertyKind.count(reader, workspace),
    presets: presetKind.count(reader, workspace),
    views: viewKind.count(reader, workspace),
    lenses: lensKind.count(reader, workspace),
    quick_access: itemKind.count(reader, workspace),
    files: countFiles(reader, caller),
    webhooks:
      caller.rights === undefined ? countWebhooks(reader, workspace) : listWebhooks(reader, caller).length,
    sources: listSources(reader, caller).length,
    row_views: listRowViews(reader, caller).length,
  }
}

/** The caller's workspace and its number of objects of each kind. */
export const readWorkspace = read({
  name: 'change-feed.workspace',
  covers: 'several',
  run: (snapshot, caller) => {
    const row = findWorkspace(snapshot, caller.workspacePk) ?? fail(notFound('workspace'))
    const isHidden = hides(caller.rights, 'notes')
    const [notes, trashed_notes] = isHidden ? [0, 0] : [row.liveNotes, row.trashedNotes]
    const { sources: _, row_views: __, ...others } = countObjects(snapshot, caller)
    const counts = { notes, trashed_notes, ...others }
    return { workspace: { id: row.id, name: row.name, created_at: isoTimestamp(row.createdAt), counts } }
  },
})
