import type { Static } from '@sinclair/typebox'
import { eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import type { Caller } from '../../context.ts'
import { hides } from '../../kernel/caller.ts'
import { read, write } from '../../kernel/operation.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { isId } from '../../lib/ids.ts'
import { atPlace, nameTaken, Refusal, refuseDotName, refused } from '../../lib/refusal.ts'
import { compareNames, fold } from '../../lib/text.ts'
import { type ChangeAuthor, logChange } from '../../log/log.ts'
import { objectKind } from '../../log/objects/objects.ts'
import { from, insertInto, orm, rowsBy, runBy, touched, update } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { presetProperties, presets, presetTags } from '../../storage/schema/presets.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { refuseNewFileLinks } from '../links/file-links.ts'
import { findPropertyRule, type PropertyRule, valueRefusal } from '../writing/properties.ts'
import { ensureTags } from '../writing/tags.ts'
import type { CreatePresetBody, PatchPresetBody } from './schema.ts'

const presentValue = ({ rule, value }: PresetProperty) => ({ key: rule.key, value })

export const presetKind = objectKind({
  kind: 'preset',
  table: presets,
  read: getTableColumns(presets),
  order: [presets.nameFold],
  name: presets.nameFold,
  texts: ['content'],
  present: (row, reader) => {
    const { properties, asks } = propertiesOfPreset(reader, row.pk)
    return {
      id: row.id,
      name: row.name,
      tags: tagNamesOfPreset(reader, row.pk),
      properties: properties.map(presentValue),
      asks: asks.map(presentValue),
      ...(row.content !== null && { content: row.content }),
      icon: row.icon,
      color: row.color,
      is_pinned: row.isPinned === 1,
      created_at: isoTimestamp(row.createdAt),
      updated_at: isoTimestamp(row.updatedAt),
    }
  },
})

export const listPresets = read({
  name: 'presets.list',
  covers: 'notes',
  run: (snapshot, caller) => ({ presets: presetKind.list(snapshot, caller) }),
})

export const getPreset = read({
  name: 'presets.get',
  covers: 'notes',
  run: (snapshot, caller, { idOrName }: { idOrName: string }) => ({
    preset: presetKind.get(snapshot, caller, idOrName),
  }),
})

export type PresetInput = Static<typeof PatchPresetBody>

export type PresetPropertyInput = NonNullable<PresetInput['ask']>[number]

interface PresetParts extends PropertyLists {
  readonly columns: Partial<typeof presets.$inferInsert>
  readonly tags: readonly number[]
}

/** Writes a new preset and logs it; joins the caller's transaction. */
export function insertPreset(tx: Tx, caller: Caller, { columns, tags, ...lists }: PresetParts) {
  const row = presetKind.insert(tx, caller, columns)
  replaceTags(tx, row.pk, tags)
  replaceProperties(tx, row.pk, lists)
  return presetKind.present(row, tx)
}

/** Creates a preset, and its missing tags. */
export const createPreset = write({
  name: 'presets.create',
  covers: 'notes',
  run: (tx, caller, { body }: { body: Static<typeof CreatePresetBody> }) => ({
    preset: created(tx, caller, body),
  }),
})

function created(tx: Tx, caller: Caller, input: Static<typeof CreatePresetBody>) {
  const { workspacePk: workspace } = caller
  refuseDotName(input.name, 'preset')
  refuseUnusableName(tx, workspace, input.name)
  if (hides(caller.rights, 'files')) refuseNewFileLinks(input.content ?? '')
  const lists = mergedProperties(tx, workspace, { properties: [], asks: [] }, input)
  const tags = ensureTags(tx, caller, input.tags ?? [])
  return insertPreset(tx, caller, {
    columns: { isPinned: 0, ...presetKind.columnsOf(input) },
    tags,
    ...lists,
  })
}

function refuseUnusableName(reader: Reader, workspace: number, name: string, except?: number): void {
  if (isId(fold(name)))
    throw refused('A preset cannot have a name in the form of an id; choose another name.', atPlace('name'))
  const holder = presetKind.findByName(reader, workspace, fold(name))
  if (!holder || holder.pk === except) return
  throw nameTaken(`A preset named "${holder.name}" exists already; choose another name.`, atPlace('name'))
}

/** Changes the sent attributes; `tags`, `properties` and `ask` are each replaced as a whole. */
export const patchPreset = write({
  name: 'presets.patch',
  covers: 'notes',
  object: getPreset,
  run: (tx, caller, { idOrName, body: patch }: { idOrName: string; body: PresetInput }) => {
    const { workspacePk: workspace } = caller
    const row = presetKind.getRow(tx, caller, idOrName)
    const before = presetKind.present(row, tx)
    if (hides(caller.rights, 'files')) refuseNewFileLinks(patch.content ?? '', row.content ?? '')
    if (patch.name !== undefined && patch.name !== row.name) refuseDotName(patch.name, 'preset')
    if (patch.name !== undefined) refuseUnusableName(tx, workspace, patch.name, row.pk)
    if (patch.properties || patch.ask) {
      const lists = propertiesOfPreset(tx, row.pk)
      replaceProperties(tx, row.pk, mergedProperties(tx, workspace, lists, patch))
    }
    if (patch.tags) replaceTags(tx, row.pk, ensureTags(tx, caller, patch.tags))
    return { preset: presetKind.update(tx, caller, row, presetKind.columnsOf(patch), { before }) }
  },
})

/** A list that is not sent stays unchanged, even if a value no longer fits its property. */
function mergedProperties(
  reader: Reader,
  workspace: number,
  before: PropertyLists,
  input: PresetInput,
): PropertyLists {
  const { properties: set, ask } = input
  const properties = set ? checkedProperties(reader, workspace, set, 'properties') : before.properties
  const asks = ask ? checkedProperties(reader, workspace, ask, 'ask') : before.asks
  refuseTwice([...properties, ...asks])
  return { properties, asks }
}

/** Null and the empty text count as no value and are never written. */
export const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Finds the properties of a sent list and checks each value strictly; `list` is its name in refusals. */
const checkedProperties = (
  reader: Reader,
  workspace: number,
  sent: readonly PresetPropertyInput[],
  list: 'properties' | 'ask',
): PresetProperty[] =>
  sent.map(({ key, value }, at) => {
    const rule = findPropertyRule(reader, workspace, key)
    if (!rule)
      throw refused(
        `"${list}[${at}].key" names "${key}", and there is no such property in this workspace; define it first.`,
        atPlace(`${list}[${at}].key`),
      )
    if (isEmpty(value)) return { rule, value: null }
    const refusal = valueRefusal(reader, rule, value)
    if (refusal) throw new Refusal(refusal.code, refusal.message, atPlace(`${list}[${at}].value`))
    return { rule, value }
  })

/** Refuses a property that appears twice among those that are set and those that are asked for. */
function refuseTwice(properties: readonly PresetProperty[]): void {
  const seen = new Set<number>()
  for (const { rule } of properties) {
    if (seen.has(rule.pk))
      throw refused(`The property "${rule.key}" is named twice in "properties" and "ask"; name it once.`)
    seen.add(rule.pk)
  }
}

/** Notes to which it was applied keep their values. */
export const deletePreset = write({
  name: 'presets.delete',
  covers: 'notes',
  object: getPreset,
  run: (tx, caller, { idOrName }: { idOrName: string }) => {
    const row = presetKind.getRow(tx, caller, idOrName)
    presetKind.delete(tx, caller, row)
    return { deleted: true, id: row.id }
  },
})

/* The tags and properties of presets. */

/** A property that a preset sets or asks for. */
export interface PresetProperty {
  rule: PropertyRule
  /** Null for none. */
  value: unknown
}

export interface PropertyLists {
  properties: readonly PresetProperty[]
  asks: readonly PresetProperty[]
}

export const tagsOfPreset = rowsBy((preset: number) =>
  from(presetTags, {
    id: presetTags.tag,
    name: sql<string>`(SELECT name FROM tags t WHERE t.id = tag)`,
  }).where(eq(presetTags.preset, preset)),
)

const tagNamesOfPreset = (reader: Reader, preset: number): string[] =>
  tagsOfPreset(reader, preset)
    .map(({ name }) => name)
    .sort(compareNames)

const findProperties = rowsBy((preset: number) =>
  from(presetProperties, {
    pk: presetProperties.property,
    value: presetProperties.value,
    key: sql<string>`(SELECT key FROM properties p WHERE p.pk = property)`,
    type: sql<PropertyRule['type']>`(SELECT type FROM properties p WHERE p.pk = property)`,
    isAsked: presetProperties.isAsked,
  })
    .where(eq(presetProperties.preset, preset))
    .orderBy(presetProperties.isAsked, presetProperties.position),
)

/** The properties that a preset sets, and those that it asks for, each in the order sent. */
export function propertiesOfPreset(reader: Reader, preset: number): PropertyLists {
  const rows = findProperties(reader, preset).map(({ value, isAsked, ...rule }) => ({
    isAsked,
    entry: { rule, value: value === null ? null : JSON.parse(value) },
  }))
  const list = (isQuestion: 0 | 1) =>
    rows.filter(({ isAsked }) => isAsked === isQuestion).map(({ entry }) => entry)
  return { properties: list(0), asks: list(1) }
}

const deleteTags = runBy((preset: number) => orm.delete(presetTags).where(eq(presetTags.preset, preset)))
const insertTag = insertInto(presetTags)

export function replaceTags(reader: Reader, preset: number, tags: readonly number[]): void {
  deleteTags(reader, preset)
  for (const tag of tags) insertTag(reader, { preset, tag })
}

const deleteProperties = runBy((preset: number) =>
  orm.delete(presetProperties).where(eq(presetProperties.preset, preset)),
)
const insertProperty = insertInto(presetProperties)

export function replaceProperties(reader: Reader, preset: number, { properties, asks }: PropertyLists): void {
  deleteProperties(reader, preset)
  for (const [isAsked, list] of [properties, asks].entries())
    for (const [position, { rule, value }] of list.entries())
      insertProperty(reader, {
        preset,
        property: rule.pk,
        isAsked,
        position,
        value: value === null ? null : JSON.stringify(value),
      })
}

const havingTag = (tag: number) =>
  inArray(
    presets.pk,
    orm.select({ preset: presetTags.preset }).from(presetTags).where(eq(presetTags.tag, tag)),
  )
const listHavingTag = rowsBy((tag: number) =>
  from(presets, { pk: presets.pk, id: presets.id }).where(havingTag(tag)),
)
const touchHavingTag = runBy((tag: number, now: number) =>
  update(presets, { updatedAt: touched(now) }, havingTag(tag)),
)
const deleteTag = runBy((tag: number) => orm.delete(presetTags).where(eq(presetTags.tag, tag)))

/** Removes a tag that is being deleted. */
export function removeTagFromPresets(tx: Tx, author: ChangeAuthor, tag: number): void {
  for (const { pk, id } of listHavingTag(tx, tag)) {
    const difference = { changed: ['tags'], previous: { tags: tagNamesOfPreset(tx, pk) } }
    logChange(tx, author, { kind: 'preset', id }, 'updated', { difference })
  }
  touchHavingTag(tx, tag, tx.now)
  deleteTag(tx, tag)
}

/** The presets that set the property or ask for it, by name. */
export const presetsNamingProperty = rowsBy((property: number) =>
  from(presets, { id: presets.id, name: presets.name })
    .where(
      inArray(
        presets.pk,
        orm
          .select({ preset: presetProperties.preset })
          .from(presetProperties)
          .where(eq(presetProperties.property, property)),
      ),
    )
    .orderBy(presets.nameFold),
)
