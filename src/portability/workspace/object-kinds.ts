import { logChange } from '../../changes/log.ts'
import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { FilterTree } from '../../filter/tree/parse.ts'
import { presentLens } from '../../lenses/present.ts'
import { CreateLensBody } from '../../lenses/schema.ts'
import { createLens, type LensRequest, listLenses, parseLens } from '../../lenses/service.ts'
import { fold } from '../../lib/text.ts'
import { indexTagName } from '../../notes/search/tables.ts'
import { findPropertyRule } from '../../notes/writing/properties.ts'
import { ensureTags, findTagByName, isFreeTagId } from '../../notes/writing/tags.ts'
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
import { presentTag } from '../../tags/present.ts'
import { TagPatch } from '../../tags/schema.ts'
import { getTagRow, listTags, logTagUpdate } from '../../tags/service.ts'
import { replaceLinks, updateTag } from '../../tags/store.ts'
import { presentView } from '../../views/present.ts'
import { CreateViewBody } from '../../views/schema.ts'
import { createView, listViews, parseView, type ViewRequest } from '../../views/service.ts'
import {
  asObject,
  checkInput,
  type Identity,
  parseExported,
  type TimestampedTable,
  txForOriginal,
} from './exported-object.ts'

/** How the objects of one kind are exported to their JSON file and imported from it. */
export interface ObjectKind {
  /** The name of the file without extension, and of the kind in reports. */
  readonly name: string
  /** The table in which `updated_at` is restored at the end of an import; undefined for a kind without one. */
  readonly table: TimestampedTable | undefined
  list(reader: Reader, caller: Caller): readonly object[]
  /** Creates an object from its exported form; `tags` maps exported tag ids to the ids in this database. */
  create(tx: Tx, caller: Caller, value: unknown, tags: TagIds): Identity
}

export const propertyKind: ObjectKind = {
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
  create: (tx, caller, value) => {
    const original = parseExported<NewPropertyInput>(value, CreatePropertyBody)
    createProperty(txForOriginal(tx, original), caller, original.input)
    return original
  },
}

/** Inserted without the checks of the API: a value that is no longer among a property's options is kept. */
const presetKind: ObjectKind = {
  name: 'presets',
  table: 'presets',
  list: (reader, caller) =>
    listPresets(reader, caller)
      .map(presentPreset)
      .map(({ asks, ...preset }) => ({ ...preset, ask: asks }))
      .sort((left, right) => (left.id < right.id ? -1 : 1)),
  create: (tx, caller, value) => {
    const original = parseExported<PresetInput & { name: string }>(value, CreatePresetBody)
    const {
      name,
      tags = [],
      properties = [],
      ask = [],
      icon = null,
      color = null,
      is_pinned,
    } = original.input
    const { workspacePk: workspace } = caller
    if (findPresetByName(tx, workspace, fold(name)))
      throw nameTaken(`A preset named "${name}" exists already; rename one of them.`)
    const entries = (list: readonly PresetPropertyInput[]) =>
      list.map(({ key, value: entry = null }) => ({
        rule: findPropertyRule(tx, workspace, key) ?? fail(refused(`There is no property "${key}".`)),
        value: entry,
      }))
    const columns = { name, nameFold: fold(name), icon, color, isPinned: is_pinned ? 1 : 0 }
    const pk = insertPreset(tx, { ...columns, id: original.id, workspace }, original.createdAt)
    replaceTags(tx, pk, ensureTags(tx, caller, tags))
    replaceProperties(tx, pk, { properties: entries(properties), asks: entries(ask) })
    logChange(tx, caller, { kind: 'preset', id: original.id }, 'created')
    return original
  },
}

const viewKind: ObjectKind = {
  name: 'views',
  table: 'views',
  list: (reader, caller) =>
    listViews(reader, caller)
      .map(presentView)
      .map(({ filter_summary: _, display: __, ...view }) => view),
  create: (tx, caller, value, tags) => {
    const original = parseExported<ViewRequest & { name: string }>(value, CreateViewBody)
    const view = parseView(original.input)
    const filter = view.filter ? withTagIds(view.filter, tags) : null
    createView(txForOriginal(tx, original), caller, { ...view, filter })
    return original
  },
}

const lensKind: ObjectKind = {
  name: 'lenses',
  table: 'lenses',
  list: (reader, caller) => listLenses(reader, caller).map(presentLens),
  create: (tx, caller, value, tags) => {
    const original = parseExported<LensRequest & { name: string }>(value, CreateLensBody)
    const lens = parseLens(original.input)
    const scope = lens.scope ? withTagIds(lens.scope, tags) : null
    createLens(txForOriginal(tx, original), caller, { ...lens, scope })
    return original
  },
}

const quickAccessKind: ObjectKind = {
  name: 'quick-access',
  table: undefined,
  list: (reader, caller) =>
    listItems(reader, caller)
      .map(presentItem)
      .map(({ title: _, position: __, ...item }) => item),
  create: (tx, caller, value) => {
    const original = parseExported<{ note_id: string }>(value, CreateItemBody)
    createItem(txForOriginal(tx, original), caller, original.input)
    return original
  },
}

/** In the order in which they must be imported: each refers only to kinds before it, and to notes. */
export const OBJECT_KINDS: readonly ObjectKind[] = [presetKind, viewKind, lensKind, quickAccessKind]

export const exportTags = (reader: Reader, caller: Caller) =>
  listTags(reader, caller)
    .map(presentTag)
    .sort((left, right) => left.id - right.id)
    .map(({ id, name, color, is_pinned, linked_tags }) => ({
      id,
      name,
      color,
      is_pinned,
      linked_tags: linked_tags.map((linked) => linked.name),
    }))

/** The ids of tags in this database, by their exported ids. */
export type TagIds = Map<number, number>

interface TagInput {
  name: string
  color?: string | null
  is_pinned?: boolean
}

/** New tags are numbered from the highest id on, which must stay within the integers that JavaScript holds exactly. */
const MAX_KEPT_TAG_ID = 2 ** 31 - 1

/** Creates the tag under its exported id, or another one if that is taken or too high. A tag of the same name is reused. */
export function importTag(tx: Tx, caller: Caller, value: unknown, ids: TagIds): void {
  const { id, linked_tags: _, ...sent } = asObject(value)
  checkInput(TagPatch, sent)
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1)
    throw refused('"id" must be a positive integer.')
  const { name: sentName, color, is_pinned } = sent as unknown as TagInput
  if (typeof sentName !== 'string') throw refused('"name" is required.')
  const name = sentName.trim()
  const known = findTagByName(tx, caller.workspacePk, name)
  ids.set(id, known?.id ?? insertTag(tx, caller, id, { name, color, is_pinned }))
}

function insertTag(
  tx: Tx,
  caller: Caller,
  exportedId: number,
  { name, color = null, is_pinned }: TagInput,
): number {
  const isFree = exportedId <= MAX_KEPT_TAG_ID && isFreeTagId(tx, exportedId)
  const { lastInsertRowid } = tx.sql.run(
    'INSERT INTO tags (id, workspace, name, name_fold) VALUES (?, ?, ?, ?)',
    isFree ? exportedId : null,
    caller.workspacePk,
    name,
    fold(name),
  )
  indexTagName(tx, caller.workspacePk, lastInsertRowid, name)
  updateTag(tx, lastInsertRowid, { name, nameFold: fold(name), color, isPinned: is_pinned ? 1 : 0 })
  logChange(tx, caller, { kind: 'tag', id: lastInsertRowid }, 'created')
  return lastInsertRowid
}

/** Links the tag to others, once all exist. Unlike through the API, the tags of notes do not change. */
export function importTagLinks(tx: Tx, caller: Caller, value: unknown, ids: TagIds): void {
  const { id, linked_tags: names = [] } = asObject(value)
  const tag = ids.get(Number(id))
  if (tag === undefined) return
  if (!Array.isArray(names)) throw refused('"linked_tags" must be a list of the names of tags.')
  const linked = names.map(
    (name) =>
      findTagByName(tx, caller.workspacePk, String(name))?.id ??
      fail(refused(`"linked_tags" names "${name}", and there is no such tag.`)),
  )
  const before = getTagRow(tx, caller, String(tag))
  replaceLinks(tx, tag, [...new Set(linked)])
  logTagUpdate(tx, caller, before, getTagRow(tx, caller, String(tag)))
}

/** A filter tree with exported tag ids replaced. */
function withTagIds(tree: FilterTree, ids: TagIds): FilterTree {
  if (tree.type === 'group')
    return { ...tree, children: tree.children.map((child) => withTagIds(child, ids)) }
  if (tree.type !== 'tags') return tree
  return { ...tree, tag_ids: tree.tag_ids.map((id) => ids.get(id) ?? id) }
}
