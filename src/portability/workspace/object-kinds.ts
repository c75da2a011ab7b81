import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { listMembers } from '../../account/store.ts'
import { logChange } from '../../changes/log.ts'
import type { Caller } from '../../context.ts'
import { insertInto } from '../../db/query.ts'
import type { Reader } from '../../db/reader.ts'
import { tags } from '../../db/schema/tags.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { FilterTree } from '../../filter/tree/parse.ts'
import { nullableText, strict } from '../../http/schema/types.ts'
import { CreateLensBody } from '../../lenses/schema.ts'
import { createLens, type LensRequest, lensKind, parseLens } from '../../lenses/service.ts'
import { fold } from '../../lib/text.ts'
import { indexTagName } from '../../notes/search/tables.ts'
import { findPropertyRule } from '../../notes/writing/properties.ts'
import { ensureTags, findTagByName, isFreeTagId } from '../../notes/writing/tags.ts'
import type { AnyRow, ObjectKind } from '../../objects/objects.ts'
import type { ObjectTable } from '../../objects/statements.ts'
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
import { CreateRowViewBody } from '../../row-views/schema.ts'
import { createRowView, rowViewKind } from '../../row-views/service.ts'
import { TagPatch } from '../../tags/schema.ts'
import { getTagRow, logTagUpdate, tagKind } from '../../tags/service.ts'
import { replaceLinks } from '../../tags/store.ts'
import { CreateViewBody } from '../../views/schema.ts'
import { createView, parseView, type ViewRequest, viewKind } from '../../views/service.ts'
import { asObject, checkInput, type Identity, parseExported, txForOriginal } from './exported-object.ts'

/** How the objects of one kind are exported to their JSON file and imported from it. */
export interface ObjectFile {
  /** The name of the file without extension, and of the kind in reports. */
  readonly name: string
  readonly table: ObjectTable
  list(reader: Reader, caller: Caller): readonly object[]
  /** Creates an object from its exported form; `tags` maps exported tag ids to the ids in this database. */
  create(tx: Tx, caller: Caller, value: unknown, tags: TagIds): Identity
}

interface Declaration<Shown, Input> {
  readonly schema: TSchema
  create(tx: Tx, caller: Caller, input: Input, tags: TagIds): void
  /** The exported form, where it is not what is shown without what follows from other attributes and from the order. */
  exported?(shown: Shown): object
  /** Whether the oldest is first, and not the order in which they are shown kept. */
  readonly isByAge?: boolean
}

const objectFile = <Row extends AnyRow, Shown extends object, Input>(
  name: string,
  kind: ObjectKind<Row, Shown>,
  { schema, create, exported = (shown) => shown, isByAge = false }: Declaration<Shown, Input>,
): ObjectFile => ({
  name,
  table: kind.table,
  list: (reader, caller) => {
    const rows = kind.rows(reader, caller.workspacePk)
    if (isByAge) rows.sort((left, right) => (left.id < right.id ? -1 : 1))
    const isOwn = ([attribute]: [string, unknown]) =>
      attribute !== 'position' && !kind.derived.includes(attribute)
    return rows.map((row) => {
      const own = Object.entries(kind.present(row, reader)).filter(isOwn)
      return exported(Object.fromEntries(own) as Shown)
    })
  },
  create: (tx, caller, value, tags) => {
    const original = parseExported<Input>(value, schema)
    create(txForOriginal(tx, original), caller, original.input, tags)
    return original
  },
})

export const propertyFile = objectFile('properties', propertyKind, {
  schema: CreatePropertyBody,
  create: (tx, caller, input: NewPropertyInput) => createProperty(tx, caller, input),
  exported: ({ label, options, ...property }) => ({
    ...property,
    ...(label !== property.key && { label }),
    ...(options !== null && { options }),
  }),
})

/** Inserted without the checks of the API: a value that is no longer among a property's options is kept. */
const presetFile = objectFile('presets', presetKind, {
  schema: CreatePresetBody,
  create: (tx, caller, input: PresetInput & { name: string }) => {
    const { name, content = null, icon = null, color = null, is_pinned } = input
    const { tags = [], properties = [], ask = [] } = input
    const { workspacePk: workspace } = caller
    if (presetKind.findByName(tx, workspace, fold(name)))
      throw nameTaken(`A preset named "${name}" exists already; rename one of them.`)
    const entries = (list: readonly PresetPropertyInput[]) =>
      list.map(({ key, value = null }) => ({
        rule: findPropertyRule(tx, workspace, key) ?? fail(refused(`There is no property "${key}".`)),
        value,
      }))
    insertPreset(tx, caller, {
      columns: { name, nameFold: fold(name), content, icon, color, isPinned: is_pinned ? 1 : 0 },
      properties: entries(properties),
      asks: entries(ask),
      tags: ensureTags(tx, caller, tags),
    })
  },
  exported: ({ asks, ...preset }) => ({ ...preset, ask: asks }),
  isByAge: true,
})

const viewFile = objectFile('views', viewKind, {
  schema: CreateViewBody,
  create: (tx, caller, input: ViewRequest & { name: string }, tags) => {
    const view = parseView(input)
    createView(tx, caller, { ...view, filter: view.filter ? withTagIds(view.filter, tags) : null })
  },
})

const lensFile = objectFile('lenses', lensKind, {
  schema: CreateLensBody,
  create: (tx, caller, input: LensRequest & { name: string }, tags) => {
    const lens = parseLens(input)
    createLens(tx, caller, { ...lens, scope: lens.scope ? withTagIds(lens.scope, tags) : null })
  },
})

const itemFile = objectFile('quick-access', itemKind, {
  schema: CreateItemBody,
  create: (tx, caller, input: { note_id: string }) => createItem(tx, caller, input),
})

const rowViewFile = objectFile('row-views', rowViewKind, {
  schema: strict({ ...CreateRowViewBody.properties, owner: Type.Optional(nullableText()) }),
  create: (tx, caller, { owner, ...input }: Static<typeof CreateRowViewBody> & { owner?: string | null }) =>
    createRowView(tx, caller, input, ownerHere(tx, caller, owner, input.personal === true)),
  exported: ({ structure_id: structure, owner, ...view }) => ({
    ...view,
    structure,
    owner: owner?.name ?? null,
  }),
})

/** The member of that name, as users are not exported; a personal view of somebody else is then that of the first owner. */
function ownerHere(
  reader: Reader,
  { workspacePk }: Caller,
  owner: string | null | undefined,
  isPersonal: boolean,
): string | null {
  const members = listMembers(reader, workspacePk)
  const same = members.find(({ name }) => name === owner)
  const first = isPersonal ? members.find(({ role }) => role === 'owner') : undefined
  return (same ?? first)?.id ?? null
}

/** In the order in which they must be imported: each refers only to kinds before it, and to notes and structures. */
export const OBJECT_FILES: readonly ObjectFile[] = [presetFile, viewFile, lensFile, itemFile, rowViewFile]

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
export function withTagIds(tree: FilterTree, ids: TagIds): FilterTree {
  if (tree.type === 'group')
    return { ...tree, children: tree.children.map((child) => withTagIds(child, ids)) }
  if (tree.type !== 'tags') return tree
  return { ...tree, tag_ids: tree.tag_ids.map((id) => ids.get(id) ?? id) }
}
