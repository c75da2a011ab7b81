import { logChange } from '../../changes/log.ts'
import type { Caller } from '../../context.ts'
import { insertInto } from '../../db/query.ts'
import type { Reader } from '../../db/reader.ts'
import { tags } from '../../db/schema/tags.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { FilterTree } from '../../filter/tree/parse.ts'
import { CreateLensBody } from '../../lenses/schema.ts'
import { createLens, type LensRequest, lensKind, parseLens } from '../../lenses/service.ts'
import { fold } from '../../lib/text.ts'
import { indexTagName } from '../../notes/search/tables.ts'
import { findPropertyRule } from '../../notes/writing/properties.ts'
import { ensureTags, findTagByName, isFreeTagId } from '../../notes/writing/tags.ts'
import type { ObjectKind } from '../../objects/objects.ts'
import { CreatePresetBody } from '../../presets/schema.ts'
import {
  insertPreset,
  type PresetInput,
  type PresetPropertyInput,
  presetKind,
} from '../../presets/service.ts'
import { CreatePropertyBody } from '../../properties/schema.ts'
import { createProperty, type NewPropertyInput, propertyKind } from '../../properties/service.ts'
import { CreateItemBody } from '../../quick-access/schema.ts'
import { createItem, itemKind } from '../../quick-access/service.ts'
import { fail, nameTaken, refused } from '../../refusal.ts'
import { TagPatch } from '../../tags/schema.ts'
import { getTagRow, logTagUpdate, tagKind } from '../../tags/service.ts'
import { replaceLinks } from '../../tags/store.ts'
import { CreateViewBody } from '../../views/schema.ts'
import { createView, parseView, type ViewRequest, viewKind } from '../../views/service.ts'
import {
  asObject,
  checkInput,
  type Identity,
  parseExported,
  type TimestampedTable,
  txForOriginal,
} from './exported-object.ts'

/** How the objects of one kind are exported to their JSON file and imported from it. */
export interface ObjectFile {
  /** The name of the file without extension, and of the kind in reports. */
  readonly name: string
  /** The table in which `updated_at` is restored at the end of an import; undefined for a kind without one. */
  readonly table: TimestampedTable | undefined
  list(reader: Reader, caller: Caller): readonly object[]
  /** Creates an object from its exported form; `tags` maps exported tag ids to the ids in this database. */
  create(tx: Tx, caller: Caller, value: unknown, tags: TagIds): Identity
}

/** Objects as they are shown, without what follows from other attributes and from their order. */
const exported = <Shown extends object>(
  kind: Pick<ObjectKind<never, Shown>, 'list' | 'derived'>,
  reader: Reader,
  caller: Caller,
): Shown[] =>
  kind.list(reader, caller).map((shown) => {
    const own = Object.entries(shown).filter(([name]) => name !== 'position' && !kind.derived.includes(name))
    return Object.fromEntries(own) as Shown
  })

export const propertyFile: ObjectFile = {
  name: 'properties',
  table: 'properties',
  list: (reader, caller) =>
    exported(propertyKind, reader, caller).map(({ label, options, ...property }) => ({
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
const presetFile: ObjectFile = {
  name: 'presets',
  table: 'presets',
  list: (reader, caller) =>
    exported(presetKind, reader, caller)
      .map(({ asks, ...preset }) => ({ ...preset, ask: asks }))
      .sort((left, right) => (left.id < right.id ? -1 : 1)),
  create: (tx, caller, value) => {
    const original = parseExported<PresetInput & { name: string }>(value, CreatePresetBody)
    const { name, icon = null, color = null, is_pinned } = original.input
    const { tags = [], properties = [], ask = [] } = original.input
    const { workspacePk: workspace } = caller
    if (presetKind.findByName(tx, workspace, fold(name)))
      throw nameTaken(`A preset named "${name}" exists already; rename one of them.`)
    const entries = (list: readonly PresetPropertyInput[]) =>
      list.map(({ key, value: entry = null }) => ({
        rule: findPropertyRule(tx, workspace, key) ?? fail(refused(`There is no property "${key}".`)),
        value: entry,
      }))
    insertPreset(txForOriginal(tx, original), caller, {
      columns: { name, nameFold: fold(name), icon, color, isPinned: is_pinned ? 1 : 0 },
      properties: entries(properties),
      asks: entries(ask),
      tags: ensureTags(tx, caller, tags),
    })
    return original
  },
}

const viewFile: ObjectFile = {
  name: 'views',
  table: 'views',
  list: (reader, caller) => exported(viewKind, reader, caller),
  create: (tx, caller, value, tags) => {
    const original = parseExported<ViewRequest & { name: string }>(value, CreateViewBody)
    const view = parseView(original.input)
    const filter = view.filter ? withTagIds(view.filter, tags) : null
    createView(txForOriginal(tx, original), caller, { ...view, filter })
    return original
  },
}

const lensFile: ObjectFile = {
  name: 'lenses',
  table: 'lenses',
  list: (reader, caller) => exported(lensKind, reader, caller),
  create: (tx, caller, value, tags) => {
    const original = parseExported<LensRequest & { name: string }>(value, CreateLensBody)
    const lens = parseLens(original.input)
    const scope = lens.scope ? withTagIds(lens.scope, tags) : null
    createLens(txForOriginal(tx, original), caller, { ...lens, scope })
    return original
  },
}

const itemFile: ObjectFile = {
  name: 'quick-access',
  table: undefined,
  list: (reader, caller) => exported(itemKind, reader, caller),
  create: (tx, caller, value) => {
    const original = parseExported<{ note_id: string }>(value, CreateItemBody)
    createItem(txForOriginal(tx, original), caller, original.input)
    return original
  },
}

/** In the order in which they must be imported: each refers only to kinds before it, and to notes. */
export const OBJECT_FILES: readonly ObjectFile[] = [presetFile, viewFile, lensFile, itemFile]

export const exportTags = (reader: Reader, caller: Caller) =>
  tagKind
    .list(reader, caller)
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
  const { workspacePk: workspace } = caller
  const id = insertTagRow(tx, {
    ...(isFree && { id: exportedId }),
    workspace,
    name,
    nameFold: fold(name),
    color,
    isPinned: is_pinned ? 1 : 0,
  })
  indexTagName(tx, workspace, id, name)
  logChange(tx, caller, { kind: 'tag', id }, 'created')
  return id
}

const insertTagRow = insertInto(tags)

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
