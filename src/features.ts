import { placeFor } from './context.ts'
import { removeSourcesOf, sealedRemoval, sourceDetachment } from './events/sources/deletion.ts'
import { listSources } from './events/sources/service.ts'
import { sourcesNamingField } from './events/sources/store.ts'
import { removeWebhooksOf, webhookDetachment } from './events/webhooks/deletion.ts'
import { listWebhooks } from './events/webhooks/service.ts'
import { countWebhooks, webhooksNaming, webhooksNamingField } from './events/webhooks/store.ts'
import type { FeatureHooks, PropertyUsage, TagUsage, UsageFinder, UsedBy } from './feature-hooks.ts'
import { applying } from './feed/apply.ts'
import { undoing } from './feed/undo.ts'
import { fileDetachment } from './files/deletion.ts'
import { countFiles } from './files/store.ts'
import { jobPreparing, jobStepping } from './kernel/job-steps.ts'
import { statisticsRefresh } from './kernel/statistics.ts'
import { scheduleBeginning, scheduleEnding } from './log/due.ts'
import { lastChange } from './log/log.ts'
import { changedAfter } from './log/read.ts'
import { quietNoteEvents } from './notes/events.ts'
import { lensKind } from './notes/lenses/service.ts'
import { linkIndexing } from './notes/links/indexing.ts'
import { noteCreation, noteTrashing } from './notes/operations.ts'
import { itemKind, removeFromQuickAccess } from './notes/pinned/service.ts'
import { openPreset } from './notes/presets/apply.ts'
import { presetKind, presetsNamingProperty, removeTagFromPresets } from './notes/presets/service.ts'
import { propertyDeletion, propertyDetachment } from './notes/properties/deletion.ts'
import {
  propertyKind,
  propertyPatching,
  propertyReading,
  propertyUsageFinding,
} from './notes/properties/service.ts'
import { storedTreeReferences } from './notes/query/tree-query.ts'
import { longNoteIndexing, noteIndexing, searchMerging } from './notes/search/indexing.ts'
import { tagDeletion, tagDetachment, tagUsageFinding } from './notes/tags/deletion.ts'
import { tagLinking } from './notes/tags/links.ts'
import { tagKind, tagReading } from './notes/tags/service.ts'
import { viewKind, viewsNaming } from './notes/views/service.ts'
import { workspaceReading } from './people/accounts/operations.ts'
import { checkRight } from './people/sessions/sessions.ts'
import { conversionTrial, fieldConversion } from './records/rows/convert.ts'
import { dueRowEvents } from './records/rows/due.ts'
import { rowIndexRemoval, rowRemoval, structureDeletion } from './records/structures/deletion.ts'
import { structurePatch, structureTrial } from './records/structures/service.ts'
import { indexBuilding, unusedIndexRemoval } from './records/structures/storage/auto-index.ts'
import { textIndexFill, textIndexUpdate } from './records/structures/storage/text-index.ts'
import { countStructures } from './records/structures/store.ts'
import { deleteRowViewsOf, listRowViews, rowViewsNaming } from './records/views/service.ts'
import type { Reader } from './storage/reader.ts'

/** Reads the usage of an object in a workspace, optionally limited to the views and lenses with these ids. */
type ReadUsage<Named, Usage> = (
  reader: Reader,
  workspace: number,
  named: Named,
  ids?: readonly string[],
) => Usage

const usages = <Named, Usage extends { views: UsedBy[]; lenses: UsedBy[] }>(
  read: ReadUsage<Named, Usage>,
): UsageFinder<Named, Usage> => ({
  find: (reader, workspace, named) => ({
    upTo: lastChange(reader, workspace),
    usage: read(reader, workspace, named),
  }),
  now: (reader, workspace, named, { usage, upTo }) => {
    const changed = changedAfter(reader, workspace, upTo, ['view', 'lens'])
    const again = read(reader, workspace, named, changed)
    const unchanged = ({ id }: UsedBy) => !changed.includes(id)
    const views = [...usage.views.filter(unchanged), ...again.views]
    const lenses = [...usage.lenses.filter(unchanged), ...again.lenses]
    return { ...again, views, lenses }
  },
})

const tagUsage = usages<number, TagUsage>((reader, workspace, tag, ids) => ({
  views: viewKind.usersOf(reader, workspace, ({ filter }) => tagsIn(filter).includes(tag), ids),
  lenses: lensKind.usersOf(reader, workspace, ({ scope }) => tagsIn(scope).includes(tag), ids),
  webhooks: webhooksNaming(reader, workspace, (filter) => tagsIn(filter).includes(tag)),
}))

const tagsIn = (tree: string | null) => storedTreeReferences(tree).tagIds

const propertyUsage = usages<{ pk: number; id: string }, PropertyUsage>(
  (reader, workspace, { pk, id }, ids) => ({
    views: viewsNaming(reader, workspace, id, ids),
    presets: presetsNamingProperty(reader, pk),
    lenses: lensKind.usersOf(
      reader,
      workspace,
      ({ scope }) => storedTreeReferences(scope).propertyIds.includes(id),
      ids,
    ),
    webhooks: webhooksNaming(reader, workspace, (filter) =>
      storedTreeReferences(filter).propertyIds.includes(id),
    ),
  }),
)

/**
 * Connects each feature with the features that use its objects: a new feature that uses tags, for example, is added
 * here.
 */
export const features: FeatureHooks = {
  findPermissions: checkRight,
  usageOfTag: tagUsage,
  usageOfProperty: propertyUsage,
  usageOfField: (reader, structure, key, caller) => [
    ...webhooksNamingField(reader, structure, key).map((id) => `"webhook ${id}"`),
    ...sourcesNamingField(reader, structure, key).map((name) => `the source "${name}"`),
    ...rowViewsNaming(reader, structure, key, { ...caller, rights: undefined }),
  ],
  openPreset,
  onNoteTrashed: removeFromQuickAccess,
  onTagDeleted: removeTagFromPresets,
  onStructureDeleted: (tx, author, structure) => {
    removeWebhooksOf(tx, structure)
    removeSourcesOf(tx, structure)
    deleteRowViewsOf(tx, author, structure)
  },
  countsOf: (reader, caller) => {
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
  },
  jobs: [
    dueRowEvents,
    quietNoteEvents,
    scheduleBeginning,
    scheduleEnding,
    tagDetachment,
    tagLinking,
    propertyDetachment,
    webhookDetachment,
    sourceDetachment,
    sealedRemoval,
    rowIndexRemoval,
    rowRemoval,
    fileDetachment,
    linkIndexing,
    longNoteIndexing,
    noteIndexing,
    searchMerging,
    textIndexFill,
    textIndexUpdate,
    indexBuilding,
    unusedIndexRemoval,
    statisticsRefresh,
  ],
}

/* Operations that need the hooks above and run in a worker thread. */
export const createNote = noteCreation(features)
export const workspace = workspaceReading(features)
export const trashNote = noteTrashing(features)
export const undo = undoing(features)
export const patchStructure = structurePatch(features)
export const tryStructure = structureTrial(features)
export const deleteStructure = structureDeletion(features)
export const convert = fieldConversion(features)
export const tryConversion = conversionTrial(features)
export const apply = applying(features)
export const job = jobStepping(features.jobs)
export const preparation = jobPreparing(features.jobs)
export const readTag = tagReading(features)
export const findTagUsage = tagUsageFinding(features)
export const deleteTag = tagDeletion(features)
export const readProperty = propertyReading(features)
export const findPropertyUsage = propertyUsageFinding(features)
export const patchProperty = propertyPatching(features)
export const deleteProperty = propertyDeletion(features)
