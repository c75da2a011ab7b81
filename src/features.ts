import { beginEpoch } from './changes/cursors.ts'
import type { FeatureHooks } from './feature-hooks.ts'
import { countFiles } from './files/store.ts'
import { lensesNamingProperty, lensesNamingTag } from './lenses/service.ts'
import { countLenses } from './lenses/store.ts'
import { createSearchTables } from './notes/search/tables.ts'
import { countPresets, presetsNamingProperty, removeTagFromPresets } from './presets/store.ts'
import { countProperties } from './properties/store.ts'
import { countItems, removeFromQuickAccess } from './quick-access/store.ts'
import { countStructures } from './structures/store.ts'
import { countTags } from './tags/store.ts'
import { viewsNamingProperty, viewsNamingTag } from './views/service.ts'
import { countViews } from './views/store.ts'
import { deleteRemovedWebhooks, markWebhooksRemovedOf } from './webhooks/deletion.ts'
import { countWebhooks, webhooksNamingField } from './webhooks/store.ts'

/** Connects each feature with those that use its objects: a new feature that uses tags, for example, is added here. */
export const features: FeatureHooks = {
  usageOfTag: (reader, workspace, tag) => ({
    views: viewsNamingTag(reader, workspace, tag),
    lenses: lensesNamingTag(reader, workspace, tag),
  }),
  usageOfProperty: (reader, workspace, { pk, id }) => ({
    views: viewsNamingProperty(reader, workspace, id),
    presets: presetsNamingProperty(reader, pk),
    lenses: lensesNamingProperty(reader, workspace, id),
  }),
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
    tags: countTags(reader, workspace),
    properties: countProperties(reader, workspace),
    files: countFiles(reader, workspace),
    presets: countPresets(reader, workspace),
    views: countViews(reader, workspace),
    lenses: countLenses(reader, workspace),
    quickAccess: countItems(reader, workspace),
    webhooks: countWebhooks(reader, workspace),
  }),
}
