import { workspaceReading } from './account/operations.ts'
import { applying } from './change-feed/apply.ts'
import { undoing } from './change-feed/undo.ts'
import { lastChange } from './changes/log.ts'
import { changedAfter } from './changes/read.ts'
import { placeFor } from './context.ts'
import type { Reader } from './db/reader.ts'
import { scheduleBeginning, scheduleEnding } from './delivery/due.ts'
import type { FeatureHooks, PropertyUsage, TagUsage, UsageFinder, UsedBy } from './feature-hooks.ts'
import { fileDetachment } from './files/deletion.ts'
import { countFiles } from './files/store.ts'
import { jobTask } from './kernel/jobs.ts'
import { lensKind } from './lenses/service.ts'
import { noteMoments } from './notes/events.ts'
import { linkIndexing } from './notes/links/indexing.ts'
import { noteCreation, noteTrashing } from './notes/operations.ts'
import { storedTreeReferences } from './notes/query/tree-query.ts'
import { longNoteIndexing, noteIndexing, searchMerging } from './notes/search/indexing.ts'
import { openPreset } from './presets/apply.ts'
import { presetKind, presetsNamingProperty, removeTagFromPresets } from './presets/service.ts'
import { propertyDeletion, propertyDetachment } from './properties/deletion.ts'
import {
  propertyKind,
  propertyPatching,
  propertyReading,
  propertyUsageFinding,
} from './properties/service.ts'
import { itemKind, removeFromQuickAccess } from './quick-access/service.ts'
import { conversionTrial, fieldConversion } from './records/convert.ts'
import { rowMoments } from './records/due.ts'
import { deleteRowViewsOf, listRowViews, rowViewsNaming } from './row-views/service.ts'
import { checkRight } from './sessions/sessions.ts'
import { removeSourcesOf, sealedRemoval, sourceDetachment } from './sources/deletion.ts'
import { listSources } from './sources/service.ts'
import { sourcesNamingField } from './sources/store.ts'
import { rowIndexRemoval, rowRemoval, structureDeletion } from './structures/deletion.ts'
import { structurePatch, structureTrial } from './structures/service.ts'
import { textIndexFill, textIndexUpdate } from './structures/storage/text-index.ts'
import { countStructures } from './structures/store.ts'
import { tagDeletion, tagDetachment, tagUsageFinding } from './tags/deletion.ts'
import { tagLinking } from './tags/links.ts'
import { tagKind, tagReading } from './tags/service.ts'
import { viewKind, viewsNaming } from './views/service.ts'
import { removeWebhooksOf, webhookDetachment } from './webhooks/deletion.ts'
import { listWebhooks } from './webhooks/service.ts'
import { countWebhooks, webhooksNaming, webhooksNamingField } from './webhooks/store.ts'

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
 * Connects each feature with those that use its objects: a new feature that uses tags, for example, is added here.
 */
export const features: FeatureHooks = {
  findStanding: checkRight,
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
    rowMoments,
    noteMoments,
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
export const job = jobTask(features.jobs)
export const readTag = tagReading(features)
export const findTagUsage = tagUsageFinding(features)
export const deleteTag = tagDeletion(features)
export const readProperty = propertyReading(features)
export const findPropertyUsage = propertyUsageFinding(features)
export const patchProperty = propertyPatching(features)
export const deleteProperty = propertyDeletion(features)
