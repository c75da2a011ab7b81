import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { type FilterTree, parseTree } from '../../filter/tree/parse.ts'
import { presentLens } from '../../lenses/present.ts'
import { CreateLensBody } from '../../lenses/schema.ts'
import { createLens, type LensInput, listLenses } from '../../lenses/service.ts'
import { fold } from '../../lib/text.ts'
import { findPropertyRule } from '../../notes/writing/property-values.ts'
import { ensureTags } from '../../notes/writing/tagging.ts'
import { presentPreset } from '../../presets/present.ts'
import { CreatePresetBody } from '../../presets/schema.ts'
import { listPresets, type PresetInput, type PresetPropertyInput } from '../../presets/service.ts'
import { findPresetByName, insertPreset, replaceProperties, replaceTags } from '../../presets/store.ts'
import { presentProperty } from '../../properties/present.ts'
import { CreatePropertyBody } from '../../properties/schema.ts'
import { createProperty, listProperties, type NewPropertyInput } from '../../properties/service.ts'
import { presentItem } from '../../quick-access/present.ts'
import { CreateItemBody } from '../../quick-access/schema.ts'
import { createItem, listItems } from '../../quick-access/service.ts'
import { fail, nameTaken, refused } from '../../refusal.ts'
import { presentView } from '../../views/present.ts'
import { CreateViewBody } from '../../views/schema.ts'
import { createView, listViews, type ViewInput } from '../../views/service.ts'
import { asMade, type Kept, type KeptTable, keptObject } from './objects.ts'
import { type TagIds, withTagIds } from './tags.ts'

/** How one kind of object is written to its file and read from it. */
export interface Kind {
  /** The file, and the word for its objects in reports. */
  readonly name: string
  /** Where `updated_at` must be set back once everything is made; undefined for what has none. */
  readonly table: KeptTable | undefined
  list(reader: Reader, caller: Caller): readonly object[]
  make(tx: Tx, caller: Caller, value: unknown, tags: TagIds): Kept
}

export const propertyKind: Kind = {
  name: 'properties',
  table: 'properties',
  list: (reader, caller) =>
    listProperties(reader, caller)
      .map(presentProperty)
      .map(({ notes_with_value: _, position: __, label, options, ...property }) => ({
        ...property,
        ...(label !== property.key && { label }),
        ...(options !== null && { options }),
      })),
  make: (tx, caller, value) => {
    const kept = keptObject<NewPropertyInput>(value, CreatePropertyBody)
    createProperty(asMade(tx, kept), caller, kept.input)
    return kept
  },
}

/** A value that fits no option any more is kept, as it is where it comes from. */
const presetKind: Kind = {
  name: 'presets',
  table: 'presets',
  list: (reader, caller) =>
    listPresets(reader, caller)
      .map(presentPreset)
      .map(({ asks, ...preset }) => ({ ...preset, ask: asks }))
      .sort((left, right) => (left.id < right.id ? -1 : 1)),
  make: (tx, caller, value) => {
    const kept = keptObject<PresetInput & { name: string }>(value, CreatePresetBody)
    const { name, tags = [], properties = [], ask = [], icon = null, color = null, is_pinned } = kept.input
    const { workspacePk: workspace } = caller
    if (findPresetByName(tx, workspace, fold(name)))
      throw nameTaken(`A preset named "${name}" exists already; rename one of them.`)
    const entries = (list: readonly PresetPropertyInput[]) =>
      list.map(({ key, value: entry = null }) => ({
        rule: findPropertyRule(tx, workspace, key) ?? fail(refused(`There is no property "${key}".`)),
        value: entry,
      }))
    const columns = { name, nameFold: fold(name), icon, color, isPinned: is_pinned ? 1 : 0 }
    const pk = insertPreset(tx, { ...columns, id: kept.id, workspace }, kept.createdAt)
    replaceTags(tx, pk, ensureTags(tx, caller, tags))
    replaceProperties(tx, pk, { properties: entries(properties), asks: entries(ask) })
    return kept
  },
}

const viewKind: Kind = {
  name: 'views',
  table: 'views',
  list: (reader, caller) =>
    listViews(reader, caller)
      .map(presentView)
      .map(({ filter_summary: _, display: __, ...view }) => view),
  make: (tx, caller, value, tags) => {
    const kept = keptObject<ViewInput & { name: string }>(value, CreateViewBody)
    const { filter } = kept.input
    const input = { ...kept.input, filter: filter ? translated(filter, 'filter', tags) : null }
    createView(asMade(tx, kept), caller, input)
    return kept
  },
}

const lensKind: Kind = {
  name: 'lenses',
  table: 'lenses',
  list: (reader, caller) => listLenses(reader, caller).map(presentLens),
  make: (tx, caller, value, tags) => {
    const kept = keptObject<LensInput & { name: string }>(value, CreateLensBody)
    const { scope } = kept.input
    const input = { ...kept.input, scope: scope ? translated(scope, 'scope', tags) : null }
    createLens(asMade(tx, kept), caller, input)
    return kept
  },
}

const translated = (tree: unknown, place: string, tags: TagIds): FilterTree =>
  withTagIds(parseTree(tree, place), tags)

const quickAccessKind: Kind = {
  name: 'quick-access',
  table: undefined,
  list: (reader, caller) =>
    listItems(reader, caller)
      .map(presentItem)
      .map(({ title: _, position: __, ...item }) => item),
  make: (tx, caller, value) => {
    const kept = keptObject<{ note_id: string }>(value, CreateItemBody)
    createItem(asMade(tx, kept), caller, kept.input)
    return kept
  },
}

/** In the order in which they can be made: each names only what stands before it, and notes. */
export const SAVED_KINDS: readonly Kind[] = [presetKind, viewKind, lensKind, quickAccessKind]
