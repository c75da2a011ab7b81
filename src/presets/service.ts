import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { isId } from '../lib/ids.ts'
import { patched, patchedFlag } from '../lib/patch.ts'
import { compareNames, fold } from '../lib/text.ts'
import { ensureTags } from '../notes/writing/tagging.ts'
import { fail, nameTaken, notFound, refused } from '../refusal.ts'
import { checkedEntries, type EntryInput, refuseTwice } from './entries.ts'
import * as store from './store.ts'

/** A preset with the present names of what it keeps by id. */
export interface Preset {
  row: store.PresetRow
  /** Sorted by name. */
  tags: { id: number; name: string }[]
  properties: store.Entry[]
  asks: store.Entry[]
}

/** Presets by name, ignoring case. */
export const listPresets = (reader: Reader, { workspacePk }: Caller): Preset[] =>
  store.listPresetRows(reader, workspacePk).map((row) => whole(reader, row))

/** By id, else by name ignoring case. */
export function getPreset(reader: Reader, { workspacePk }: Caller, idOrName: string): Preset {
  const row = isId(idOrName)
    ? store.findPreset(reader, workspacePk, idOrName)
    : store.findPresetByName(reader, workspacePk, fold(idOrName))
  return whole(reader, row ?? fail(notFound('preset')))
}

const whole = (reader: Reader, row: store.PresetRow): Preset => ({
  row,
  tags: store.tagsOfPreset(reader, row.pk).sort((left, right) => compareNames(left.name, right.name)),
  properties: store.entriesOfPreset(reader, row.pk, false),
  asks: store.entriesOfPreset(reader, row.pk, true),
})

export interface PresetInput {
  name?: string
  tags?: string[]
  properties?: EntryInput[]
  ask?: EntryInput[]
  icon?: string | null
  color?: string | null
  is_pinned?: boolean
}

/** Saves a preset; tags that do not exist are made. Joins the caller's transaction. */
export function createPreset(tx: Tx, caller: Caller, input: PresetInput & { name: string }): Preset {
  const { workspacePk: workspace } = caller
  refuseUnusableName(tx, workspace, input.name)
  const id = tx.newId()
  const columns = merged({ name: input.name, icon: null, color: null, isPinned: 0 }, input)
  const entries = mergedEntries(tx, workspace, { properties: [], asks: [] }, input)
  const pk = store.insertPreset(tx, { ...columns, id, workspace, now: tx.now })
  store.replaceTags(tx, pk, ensureTags(tx, caller, input.tags ?? []))
  store.replaceEntries(tx, pk, entries)
  return getPreset(tx, caller, id)
}

function refuseUnusableName(reader: Reader, workspace: number, name: string, except?: number): void {
  if (isId(fold(name)))
    throw refused('A preset cannot have a name in the form of an id; choose another name.')
  const holder = store.findPresetByName(reader, workspace, fold(name))
  if (!holder || holder.pk === except) return
  throw nameTaken(`A preset named "${holder.name}" exists already; choose another name.`)
}

/** Changes what is named; of `properties` and `ask` the one that is sent is replaced. */
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
      store.replaceEntries(tx, pk, mergedEntries(tx, workspace, before, patch))
    if (patch.tags) store.replaceTags(tx, pk, ensureTags(tx, caller, patch.tags))
    if (!isSame(before, whole(tx, { ...before.row, ...columns }))) store.updatePreset(tx, pk, columns, tx.now)
    return getPreset(tx, caller, id)
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

type Entries = Pick<Preset, 'properties' | 'asks'>

/** What is not sent stays as it is, also where a value does not fit any more. */
function mergedEntries(reader: Reader, workspace: number, before: Entries, input: PresetInput): Entries {
  const { properties: set, ask } = input
  const properties = set ? checkedEntries(reader, workspace, set, 'properties') : before.properties
  const asks = ask ? checkedEntries(reader, workspace, ask, 'ask') : before.asks
  refuseTwice([...properties, ...asks])
  return { properties, asks }
}

/** What a caller can see of a preset. */
const contentOf = ({ row, tags, properties, asks }: Preset) => {
  const entries = [properties, asks].map((list) => list.map(({ rule, value }) => [rule.pk, value]))
  return JSON.stringify([row.name, row.icon, row.color, row.isPinned, tags.map(({ id }) => id), entries])
}

const isSame = (before: Preset, after: Preset): boolean => contentOf(before) === contentOf(after)

/** Notes it was applied to keep their values; answers the id. */
export const deletePreset = (ctx: AppContext, caller: Caller, idOrName: string): Promise<string> =>
  ctx.db.write((tx) => {
    const { pk, id } = getPreset(tx, caller, idOrName).row
    store.deletePresetRow(tx, pk)
    return id
  })
