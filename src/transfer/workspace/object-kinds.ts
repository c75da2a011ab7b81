import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { CreateSourceBody } from '../../events/sources/schema.ts'
import { createSource, type NewSource } from '../../events/sources/service.ts'
import { sourceKind } from '../../events/sources/store.ts'
import { type NewWebhook, newColumns, parseInput, type UnparsedInput } from '../../events/webhooks/columns.ts'
import { CreateWebhookBody } from '../../events/webhooks/schema.ts'
import {
  beginSubscription,
  listWebhooks,
  refuseTooMany,
  subscribedStructure,
} from '../../events/webhooks/service.ts'
import { insertWebhook, presentWebhook } from '../../events/webhooks/store.ts'
import type { FilterTree } from '../../filter/tree/parse.ts'
import { nullableText, strict } from '../../http/schema/types.ts'
import { isObject } from '../../lib/json.ts'
import { fail, nameTaken, refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { newSecret } from '../../log/message.ts'
import type { AnyRow, ObjectKind } from '../../log/objects/objects.ts'
import { CreateLensBody } from '../../notes/lenses/schema.ts'
import { insertLens, type LensRequest, lensKind, parseLens } from '../../notes/lenses/service.ts'
import { CreateItemBody } from '../../notes/pinned/schema.ts'
import { insertItem, itemKind } from '../../notes/pinned/service.ts'
import { CreatePresetBody } from '../../notes/presets/schema.ts'
import {
  insertPreset,
  type PresetInput,
  type PresetPropertyInput,
  presetKind,
} from '../../notes/presets/service.ts'
import { CreatePropertyBody } from '../../notes/properties/schema.ts'
import { insertProperty, type NewPropertyInput, propertyKind } from '../../notes/properties/service.ts'
import { TagPatch } from '../../notes/tags/schema.ts'
import { getTagRow, logTagUpdate, replaceLinks, tagKind } from '../../notes/tags/service.ts'
import { CreateViewBody } from '../../notes/views/schema.ts'
import { insertView, parseView, type ViewRequest, viewKind } from '../../notes/views/service.ts'
import { findPropertyRule } from '../../notes/writing/properties.ts'
import { ensureTags, findTagByName, insertTag, isFreeTagId } from '../../notes/writing/tags.ts'
import { listMembers } from '../../people/accounts/store.ts'
import { CreateRowViewBody } from '../../records/views/schema.ts'
import { insertRowView, rowViewKind } from '../../records/views/service.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import {
  asObject,
  checkInput,
  instantOrNull,
  parseExported,
  restoreUpdatedAt,
  txForOriginal,
} from './contents.ts'

/** The destination of an import. */
export interface Destination {
  readonly tx: Tx
  readonly caller: Caller
  /** The ids of tags in this database, by their exported ids. */
  readonly tags: Map<number, number>
  /** The new secrets of imported webhooks: the old secrets are not exported. */
  readonly secrets: NewWebhookSecret[]
  /** Called when everything is created. */
  readonly finish: (() => void)[]
}

/** An imported webhook with its new secret. */
export interface NewWebhookSecret {
  readonly id: string
  readonly url: string
  readonly secret: string
}

/** How the objects of one kind are exported to their JSON file and imported from it. */
export interface ObjectFile {
  /** The name of the file without extension, and of the kind in reports. */
  readonly name: string
  list(reader: Reader, caller: Caller): readonly object[]
  /** Creates an object from its exported form. */
  create(to: Destination, value: unknown): void
}

interface Declaration<Row, Shown, Input> {
  readonly schema: TSchema
  create(to: Destination, input: Input): void
  /** The exported form. By default the shown form, without attributes that follow from others or from the order. */
  exported?(shown: Shown, row: Row): object
  /** Whether to sort oldest first instead of keeping the shown order. */
  readonly isByAge?: boolean
}

const objectFile = <Row extends AnyRow, Shown extends object, Input>(
  name: string,
  kind: ObjectKind<Row, Shown>,
  { schema, create, exported = (shown) => shown, isByAge = false }: Declaration<Row, Shown, Input>,
): ObjectFile => ({
  name,
  list: (reader, caller) => {
    const rows = kind.rows(reader, caller.workspacePk)
    if (isByAge) rows.sort((left, right) => (left.id < right.id ? -1 : 1))
    const isOwn = ([attribute]: [string, unknown]) =>
      attribute !== 'position' && !kind.derived.includes(attribute)
    return rows.map((row) => {
      const own = Object.entries(kind.present(row, reader)).filter(isOwn)
      return exported(Object.fromEntries(own) as Shown, row)
    })
  },
  create: (to, value) => {
    const original = parseExported<Input>(value, schema)
    create({ ...to, tx: txForOriginal(to.tx, original) }, original.input)
    // Objects that are created later may change it.
    to.finish.push(() => restoreUpdatedAt(to.tx, kind.table, original))
  },
})

const propertyFile = objectFile('properties', propertyKind, {
  schema: CreatePropertyBody,
  create: ({ tx, caller }, input: NewPropertyInput) => insertProperty(tx, caller, input),
  exported: ({ label, options, ...property }) => ({
    ...property,
    ...(label !== property.key && { label }),
    ...(options !== null && { options }),
  }),
})

/** Inserts without the checks of the API: a value that is no longer among a property's options stays. */
const presetFile = objectFile('presets', presetKind, {
  schema: CreatePresetBody,
  create: ({ tx, caller }, input: PresetInput & { name: string }) => {
    const { name, tags = [], properties = [], ask = [] } = input
    const { workspacePk: workspace } = caller
    if (presetKind.findByName(tx, workspace, fold(name)))
      throw nameTaken(`A preset named "${name}" exists already; rename one of them.`)
    const entries = (list: readonly PresetPropertyInput[]) =>
      list.map(({ key, value = null }) => ({
        rule: findPropertyRule(tx, workspace, key) ?? fail(refused(`There is no property "${key}".`)),
        value,
      }))
    insertPreset(tx, caller, {
      columns: { isPinned: 0, ...presetKind.columnsOf(input) },
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
  create: ({ tx, caller, tags }, input: ViewRequest & { name: string }) => {
    const view = parseView(input)
    insertView(tx, caller, { ...view, filter: view.filter ? withTagIds(view.filter, tags) : null })
  },
})

const lensFile = objectFile('lenses', lensKind, {
  schema: CreateLensBody,
  create: ({ tx, caller, tags }, input: LensRequest & { name: string }) => {
    const lens = parseLens(input)
    insertLens(tx, caller, { ...lens, scope: lens.scope ? withTagIds(lens.scope, tags) : null })
  },
})

const itemFile = objectFile('quick-access', itemKind, {
  schema: CreateItemBody,
  create: ({ tx, caller }, input: { note_id: string }) => insertItem(tx, caller, input),
})

const rowViewFile = objectFile('row-views', rowViewKind, {
  schema: strict({ ...CreateRowViewBody.properties, owner: Type.Optional(nullableText()) }),
  create: (
    { tx, caller },
    { owner, ...input }: Static<typeof CreateRowViewBody> & { owner?: string | null },
  ) => insertRowView(tx, caller, input, ownerHere(tx, caller, owner, input.personal === true)),
  exported: ({ structure_id: structure, owner, ...view }) => ({
    ...view,
    structure,
    owner: owner?.name ?? null,
  }),
})

/** Finds the member by name, because users are not exported. Personal views without a match go to the first owner. */
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

/**
 * Creates a tag under its exported id, or another id if that is taken or too high. A tag of the same name is reused.
 */
export const tagFile: ObjectFile = {
  name: 'tags',
  list: (reader, caller) =>
    exportTags(reader, caller).map(({ linked_tags, ...tag }) => ({
      ...tag,
      linked_tags: linked_tags.map((linked) => linked.name),
    })),
  create: ({ tx, caller, tags }, value) => {
    const { id, linked_tags: _, ...sent } = asObject(value)
    checkInput(TagPatch, sent)
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1)
      throw refused('"id" must be a positive integer.')
    const { name, color, is_pinned: isPinned } = sent as Static<typeof TagPatch>
    if (name === undefined) throw refused('"name" is required.')
    const known = findTagByName(tx, caller.workspacePk, name)
    const isFree = id <= MAX_KEPT_TAG_ID && isFreeTagId(tx, id)
    const looks = { ...(isFree && { id }), ...(color && { color }), ...(isPinned && { isPinned }) }
    tags.set(id, known?.id ?? insertTag(tx, caller, name.trim(), looks))
  },
}

/** Oldest first. */
export const exportTags = (reader: Reader, caller: Caller) =>
  tagKind
    .list(reader, caller)
    .sort((left, right) => left.id - right.id)
    .map(({ note_count: _, ...tag }) => tag)

/** New tags are numbered upwards from the highest id, which must stay within the exact integers of JavaScript. */
const MAX_KEPT_TAG_ID = 2 ** 31 - 1

/** Links the tag to others after all exist. Unlike the API, this does not change the tags of notes. */
export function importTagLinks({ tx, caller, tags }: Destination, value: unknown): void {
  const { id, linked_tags: names = [] } = asObject(value)
  const tag = tags.get(Number(id))
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
function withTagIds(tree: FilterTree, ids: Destination['tags']): FilterTree {
  if (tree.type === 'group')
    return { ...tree, children: tree.children.map((child) => withTagIds(child, ids)) }
  if (tree.type !== 'tags') return tree
  return { ...tree, tag_ids: tree.tag_ids.map((id) => ids.get(id) ?? id) }
}

/** Omits the secrets, the values of custom headers, which may be credentials, and the deliveries. */
const webhookFile: ObjectFile = {
  name: 'webhooks',
  list: (reader, caller) =>
    listWebhooks(reader, caller)
      .map(presentWebhook)
      .map(({ structure, status: _, headers: __, ...webhook }) => ({
        ...webhook,
        ...(structure && { structure: structure.id }),
      })),
  create: ({ tx, caller, tags, secrets }, value) => {
    const { paused_at, pause_reason, consecutive_failures, created_by_key_id, ...rest } = asObject(value)
    const original = parseExported<UnparsedInput & Pick<NewWebhook, 'kind' | 'structure' | 'url'>>(
      rest,
      CreateWebhookBody,
    )
    const { id, createdAt, updatedAt } = original
    refuseTooMany(tx, caller.workspacePk)
    const { filter, ...parsed } = parseInput(original.input)
    const isTree = (sent: unknown): sent is FilterTree => isObject(sent)
    const input = { ...parsed, filter: isTree(filter) ? withTagIds(filter, tags) : filter }
    const structure = subscribedStructure(tx, caller, input)
    const secret = newSecret()
    insertWebhook(tx, {
      ...newColumns(tx, caller, structure, input),
      ...{ id, createdAt, updatedAt, secret },
      workspace: caller.workspacePk,
      structure: structure?.pk ?? null,
      // A key of another database, which matches no key here.
      createdByKeyId: textOrNull(created_by_key_id),
      pausedAt: instantOrNull(paused_at, 'paused_at'),
      pauseReason: textOrNull(pause_reason),
      consecutiveFailures: failuresOf(consecutive_failures),
    })
    beginSubscription(tx, caller, id)
    secrets.push({ id, url: input.url, secret })
  },
}

/** Far more than a webhook reaches in practice. */
const MAX_FAILURES = 1_000_000_000

function failuresOf(value: unknown = 0): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_FAILURES)
    return value
  throw refused(`"consecutive_failures" must be an integer from 0 to ${MAX_FAILURES}.`)
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

/** Omits the secret, the URL and received data. An imported source stays disabled until it gets new ones. */
const sourceFile = objectFile('sources', sourceKind, {
  schema: CreateSourceBody,
  create: ({ tx, caller }, input: NewSource) => createSource(tx, caller, input, true),
  exported: ({ url: _, ...source }, { structureId }) => ({ ...source, structure: structureId }),
})

/** The kinds that notes and rows refer to. */
export const NAMED_FILES: readonly ObjectFile[] = [tagFile, propertyFile]

/** The import order: each kind refers only to kinds before it, and to notes and structures. */
export const OBJECT_FILES: readonly ObjectFile[] = [
  presetFile,
  viewFile,
  lensFile,
  itemFile,
  rowViewFile,
  webhookFile,
  sourceFile,
]
