import { undoTask } from './change-feed/undo.ts'
import { beginEpoch } from './changes/cursors.ts'
import { lastChange } from './changes/log.ts'
import { changedAfter } from './changes/read.ts'
import type { Reader } from './db/reader.ts'
import type { WorkerQuery } from './db/worker/client.ts'
import type {
  FeatureHooks,
  FoundUsage,
  PropertyUsage,
  TagUsage,
  UsageFinder,
  UsedBy,
} from './feature-hooks.ts'
import { countFiles } from './files/store.ts'
import { lensesNamingProperty, lensesNamingTag, lensKind } from './lenses/service.ts'
import { createSearchTables } from './notes/search/tables.ts'
import { presetKind } from './presets/service.ts'
import { presetsNamingProperty, removeTagFromPresets } from './presets/store.ts'
import { propertyDeletion } from './properties/deletion.ts'
import { propertyKind } from './properties/service.ts'
import { itemKind, removeFromQuickAccess } from './quick-access/service.ts'
import { countStructures } from './structures/store.ts'
import { tagDeletion } from './tags/deletion.ts'
import { tagKind } from './tags/service.ts'
import { viewKind, viewsNamingProperty, viewsNamingTag } from './views/service.ts'
import { deleteRemovedWebhooks, markWebhooksRemovedOf } from './webhooks/deletion.ts'
import { countWebhooks, webhooksNamingField } from './webhooks/store.ts'

interface UsageInput<Named> {
  readonly workspace: number
  readonly named: Named
}

type UsageQuery<Named, Usage> = WorkerQuery<UsageInput<Named>, FoundUsage<Usage>>

/** What uses an object in a workspace; of the views and lenses, only those with these ids if they are given. */
type ReadUsage<Named, Usage> = (
  reader: Reader,
  workspace: number,
  named: Named,
  ids?: readonly string[],
) => Usage

const usageQuery = <Named, Usage>(name: string, read: ReadUsage<Named, Usage>): UsageQuery<Named, Usage> => ({
  name,
  run: (reader, { workspace, named }) => {
    const upTo = lastChange(reader, workspace)
    return { upTo, usage: read(reader, workspace, named) }
  },
})

function usageFinder<Named, Usage extends { views: UsedBy[]; lenses: UsedBy[] }>(
  query: UsageQuery<Named, Usage>,
  read: ReadUsage<Named, Usage>,
): UsageFinder<Named, Usage> {
  return {
    find: ({ worker }, caller, named) => worker.run(query, { workspace: caller.workspacePk, named }, caller),
    now: (reader, workspace, named, { usage, upTo }) => {
      const changed = changedAfter(reader, workspace, upTo, ['view', 'lens'])
      const again = read(reader, workspace, named, changed)
      const unchanged = ({ id }: UsedBy) => !changed.includes(id)
      const views = [...usage.views.filter(unchanged), ...again.views]
      const lenses = [...usage.lenses.filter(unchanged), ...again.lenses]
      return { ...again, views, lenses }
    },
  }
}

const readTagUsage: ReadUsage<number, TagUsage> = (reader, workspace, tag, ids) => ({
  views: viewsNamingTag(reader, workspace, tag, ids),
  lenses: lensesNamingTag(reader, workspace, tag, ids),
})

const readPropertyUsage: ReadUsage<{ pk: number; id: string }, PropertyUsage> = (
  reader,
  workspace,
  { pk, id },
  ids,
) => ({
  views: viewsNamingProperty(reader, workspace, id, ids),
  presets: presetsNamingProperty(reader, pk),
  lenses: lensesNamingProperty(reader, workspace, id, ids),
})

export const tagUsageQuery = usageQuery('features.tagUsage', readTagUsage)
export const propertyUsageQuery = usageQuery('features.propertyUsage', readPropertyUsage)

/** Connects each feature with those that use its objects: a new feature that uses tags, for example, is added here. */
export const features: FeatureHooks = {
  usageOfTag: usageFinder(tagUsageQuery, readTagUsage),
  usageOfProperty: usageFinder(propertyUsageQuery, readPropertyUsage),
  usageOfField: webhooksNamingField,
  onNoteTrashed: removeFromQuickAccess,
  onTagDeleted: removeTagFromPresets,
  onStructureDeleted: markWebhooksRemovedOf,
  removeHidden: deleteRemovedWebhooks,
  onWorkspaceCreated: (tx, workspace) => {
    createSearchTables(tx, workspace)
    beginEpoch(tx, workspace)
  },
  countsOf: (reader, workspace) => ({
    ...countStructures(reader, workspace),
    tags: tagKind.count(reader, workspace),
    properties: propertyKind.count(reader, workspace),
    files: countFiles(reader, workspace),
    presets: presetKind.count(reader, workspace),
    views: viewKind.count(reader, workspace),
    lenses: lensKind.count(reader, workspace),
    quickAccess: itemKind.count(reader, workspace),
    webhooks: countWebhooks(reader, workspace),
  }),
}

/* What runs in a worker thread with these. */
export const undo = undoTask(features)
export const deleteTag = tagDeletion(features)
export const deleteProperty = propertyDeletion(features)
