import type { Static } from '@sinclair/typebox'
import { getTableColumns } from 'drizzle-orm'
import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { presets } from '../db/schema/presets.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { wholeListQuery } from '../http/whole-list.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { isId } from '../lib/ids.ts'
import { fold } from '../lib/text.ts'
import { findPropertyRule, valueRefusal } from '../notes/writing/properties.ts'
import { ensureTags } from '../notes/writing/tags.ts'
import { objectKind } from '../objects/objects.ts'
import { nameTaken, refused } from '../refusal.ts'
import type { PatchPresetBody } from './schema.ts'
import {
  type PresetProperty,
  type PropertyLists,
  propertiesOfPreset,
  replaceProperties,
  replaceTags,
  tagNamesOfPreset,
} from './store.ts'

const presentValue = ({ rule, value }: PresetProperty) => ({ key: rule.key, value })

/** Presets by name, ignoring case. */
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

export const presetsQuery = wholeListQuery('presets.list', 'presets', presetKind.list)

export type PresetInput = Static<typeof PatchPresetBody>

export type PresetPropertyInput = NonNullable<PresetInput['ask']>[number]

/** What is stored of a preset. */
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

/** Creates a preset, and its tags where they do not exist; joins the caller's transaction. */
export function createPreset(tx: Tx, caller: Caller, input: PresetInput & { name: string }) {
  const { workspacePk: workspace } = caller
  refuseUnusableName(tx, workspace, input.name)
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
    throw refused('A preset cannot have a name in the form of an id; choose another name.')
  const holder = presetKind.findByName(reader, workspace, fold(name))
  if (!holder || holder.pk === except) return
  throw nameTaken(`A preset named "${holder.name}" exists already; choose another name.`)
}

/** Changes what is sent; `tags`, `properties` and `ask` are each replaced whole. */
export const patchPreset = (ctx: AppContext, caller: Caller, idOrName: string, patch: PresetInput) =>
  ctx.db.write((tx) => {
    const { workspacePk: workspace } = caller
    const row = presetKind.getRow(tx, caller, idOrName)
    const before = presetKind.present(row, tx)
    if (patch.name !== undefined) refuseUnusableName(tx, workspace, patch.name, row.pk)
    if (patch.properties || patch.ask) {
      const lists = propertiesOfPreset(tx, row.pk)
      replaceProperties(tx, row.pk, mergedProperties(tx, workspace, lists, patch))
    }
    if (patch.tags) replaceTags(tx, row.pk, ensureTags(tx, caller, patch.tags))
    return presetKind.update(tx, caller, row, presetKind.columnsOf(patch), { before })
  })

/** A list that is not sent stays as it is, even where a value no longer fits its property. */
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

/** Null and the empty text are no value: none is ever written. */
export const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Finds the properties of a list that was sent and checks each value strictly; `list` names it in refusals. */
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
      )
    if (isEmpty(value)) return { rule, value: null }
    const refusal = valueRefusal(reader, rule, value)
    if (refusal) throw refusal
    return { rule, value }
  })

/** A property is named once among those that are set and those that are asked for. */
function refuseTwice(properties: readonly PresetProperty[]): void {
  const seen = new Set<number>()
  for (const { rule } of properties) {
    if (seen.has(rule.pk))
      throw refused(`The property "${rule.key}" is named twice in "properties" and "ask"; name it once.`)
    seen.add(rule.pk)
  }
}

/** Notes that it was applied to keep their values. Returns the id of the preset. */
export const deletePreset = (ctx: AppContext, caller: Caller, idOrName: string): Promise<string> =>
  ctx.db.write((tx) => {
    const row = presetKind.getRow(tx, caller, idOrName)
    presetKind.delete(tx, caller, row)
    return row.id
  })
