import { logChange, logUpdate } from '../changes/log.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { isId } from '../lib/ids.ts'
import { patched, patchedFlag } from '../lib/patch.ts'
import { compareNames, fold } from '../lib/text.ts'
import { findPropertyRule, valueRefusal } from '../notes/writing/properties.ts'
import { ensureTags } from '../notes/writing/tags.ts'
import { fail, nameTaken, notFound, refused } from '../refusal.ts'
import { presentPreset } from './present.ts'
import * as store from './store.ts'

/** A preset with the current names of its tags and properties. */
export interface Preset {
  row: store.PresetRow
  /** Sorted by name. */
  tags: { id: number; name: string }[]
  properties: store.PresetProperty[]
  asks: store.PresetProperty[]
}

/** Presets by name, ignoring case. */
export const listPresets = (reader: Reader, { workspacePk }: InWorkspace): Preset[] =>
  store.listPresetRows(reader, workspacePk).map((row) => whole(reader, row))

/** By id, else by name ignoring case. */
export function getPreset(reader: Reader, { workspacePk }: InWorkspace, idOrName: string): Preset {
  const row = isId(idOrName)
    ? store.findPreset(reader, workspacePk, idOrName)
    : store.findPresetByName(reader, workspacePk, fold(idOrName))
  return whole(reader, row ?? fail(notFound('preset')))
}

const whole = (reader: Reader, row: store.PresetRow): Preset => ({
  row,
  tags: store.tagsOfPreset(reader, row.pk).sort((left, right) => compareNames(left.name, right.name)),
  properties: store.propertiesOfPreset(reader, row.pk, false),
  asks: store.propertiesOfPreset(reader, row.pk, true),
})

export interface PresetPropertyInput {
  key: string
  value?: unknown
}

export interface PresetInput {
  name?: string
  tags?: string[]
  properties?: PresetPropertyInput[]
  ask?: PresetPropertyInput[]
  icon?: string | null
  color?: string | null
  is_pinned?: boolean
}

/** Creates a preset, and its tags where they do not exist; joins the caller's transaction. */
export function createPreset(tx: Tx, caller: Caller, input: PresetInput & { name: string }): Preset {
  const { workspacePk: workspace } = caller
  refuseUnusableName(tx, workspace, input.name)
  const id = tx.newId()
  const columns = merged({ name: input.name, icon: null, color: null, isPinned: 0 }, input)
  const properties = mergedProperties(tx, workspace, { properties: [], asks: [] }, input)
  const pk = store.insertPreset(tx, { ...columns, id, workspace })
  store.replaceTags(tx, pk, ensureTags(tx, caller, input.tags ?? []))
  store.replaceProperties(tx, pk, properties)
  logChange(tx, caller, { kind: 'preset', id }, 'created')
  return getPreset(tx, caller, id)
}

function refuseUnusableName(reader: Reader, workspace: number, name: string, except?: number): void {
  if (isId(fold(name)))
    throw refused('A preset cannot have a name in the form of an id; choose another name.')
  const holder = store.findPresetByName(reader, workspace, fold(name))
  if (!holder || holder.pk === except) return
  throw nameTaken(`A preset named "${holder.name}" exists already; choose another name.`)
}

/** Changes what is sent; `tags`, `properties` and `ask` are each replaced whole. */
export const patchPreset = (
  ctx: AppContext,
  caller: Caller,
  idOrName: string,
  patch: PresetInput,
): Promise<Preset> =>
  ctx.db.write((tx) => {
    const { workspacePk: workspace } = caller
    const before = getPreset(tx, caller, idOrName)
    const { pk, id } = before.row
    if (patch.name !== undefined) refuseUnusableName(tx, workspace, patch.name, pk)
    const columns = merged(before.row, patch)
    if (patch.properties || patch.ask)
      store.replaceProperties(tx, pk, mergedProperties(tx, workspace, before, patch))
    if (patch.tags) store.replaceTags(tx, pk, ensureTags(tx, caller, patch.tags))
    if (!isSame(before, whole(tx, { ...before.row, ...columns }))) store.updatePreset(tx, pk, columns)
    const after = getPreset(tx, caller, id)
    logUpdate(tx, caller, { kind: 'preset', id }, presentPreset(before), presentPreset(after))
    return after
  })

function merged(
  before: Pick<store.PresetRow, 'name' | 'icon' | 'color' | 'isPinned'>,
  input: PresetInput,
): store.PresetColumns {
  const name = input.name ?? before.name
  return {
    name,
    nameFold: fold(name),
    icon: patched(input.icon, before.icon),
    color: patched(input.color, before.color),
    isPinned: patchedFlag(input.is_pinned, before.isPinned),
  }
}

type PropertyLists = Pick<Preset, 'properties' | 'asks'>

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
): store.PresetProperty[] =>
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
function refuseTwice(properties: readonly store.PresetProperty[]): void {
  const seen = new Set<number>()
  for (const { rule } of properties) {
    if (seen.has(rule.pk))
      throw refused(`The property "${rule.key}" is named twice in "properties" and "ask"; name it once.`)
    seen.add(rule.pk)
  }
}

/** Everything that a caller can see of a preset, as one text. */
const contentOf = ({ row, tags, properties, asks }: Preset) => {
  const lists = [properties, asks].map((list) => list.map(({ rule, value }) => [rule.pk, value]))
  return JSON.stringify([row.name, row.icon, row.color, row.isPinned, tags.map(({ id }) => id), lists])
}

const isSame = (before: Preset, after: Preset): boolean => contentOf(before) === contentOf(after)

/** Notes that it was applied to keep their values. Returns the id of the preset. */
export const deletePreset = (ctx: AppContext, caller: Caller, idOrName: string): Promise<string> =>
  ctx.db.write((tx) => {
    const { pk, id } = getPreset(tx, caller, idOrName).row
    store.deletePresetRow(tx, pk)
    logChange(tx, caller, { kind: 'preset', id }, 'deleted')
    return id
  })
