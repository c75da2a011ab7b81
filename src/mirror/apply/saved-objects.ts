import { insertRow, updateRow } from '../../db/crud.ts'
import { lenses } from '../../db/schema/lenses.ts'
import { presets } from '../../db/schema/presets.ts'
import { quickAccess } from '../../db/schema/quick-access.ts'
import { views, type views as viewTable } from '../../db/schema/views.ts'
import type { LensSettings } from '../../lenses/settings.ts'
import { fold } from '../../lib/text.ts'
import type { PropertyRule } from '../../notes/writing/properties.ts'
import { type PresetProperty, replaceProperties, replaceTags } from '../../presets/store.ts'
import type { RemoteObject } from '../remote-objects.ts'
import {
  type CopyTransaction,
  flagOf,
  gone,
  instantOf,
  instantsOf,
  placeholderOf,
  present,
  type Timestamps,
} from './copy-transaction.ts'
import type { Names } from './names.ts'

/* Presets, views, lenses and the items of Quick Access: few, and each in a row of its own. */

const TABLES = {
  preset: 'presets',
  view: 'views',
  lens: 'lenses',
  quick_access_item: 'quick_access',
} as const
type Kind = keyof typeof TABLES

export function removeSaved(copy: CopyTransaction): void {
  for (const kind of Object.keys(TABLES) as Kind[])
    for (const id of gone(copy, kind)) copy.tx.sql.run(`DELETE FROM ${TABLES[kind]} WHERE id = ?`, id)
}

const findPk = ({ tx }: CopyTransaction, kind: Kind, id: string): number | undefined =>
  tx.sql.get<{ pk: number }>(`SELECT pk FROM ${TABLES[kind]} WHERE id = ?`, id)?.pk

interface RemotePreset extends RemoteObject, Timestamps {
  readonly id: string
  readonly name: string
  readonly tags: readonly string[]
  readonly properties: readonly RemotePresetProperty[]
  readonly asks: readonly RemotePresetProperty[]
  readonly icon: string | null
  readonly color: string | null
  readonly is_pinned: boolean
}

interface RemotePresetProperty {
  readonly key: string
  readonly value: unknown
}

export function applyPresets(copy: CopyTransaction, names: Names): void {
  const { tx, workspacePk: workspace } = copy
  for (const { id } of present<RemotePreset>(copy, 'preset'))
    tx.sql.run('UPDATE presets SET name_fold = ? WHERE id = ?', placeholderOf(id), id)
  for (const preset of present<RemotePreset>(copy, 'preset')) {
    const { id, name, icon, color } = preset
    const row = {
      name,
      nameFold: fold(name),
      icon,
      color,
      isPinned: flagOf(preset.is_pinned),
      ...instantsOf(preset),
    }
    const known = findPk(copy, 'preset', id)
    if (known !== undefined) updateRow(tx, presets, known, row)
    const pk = known ?? insertRow(tx, presets, { ...row, id, workspace })
    replaceTags(tx, pk, names.findAll('tag', preset.tags))
    const entries = (list: readonly RemotePresetProperty[]) =>
      list.flatMap((entry) => rulesOf(copy, names, entry))
    replaceProperties(tx, pk, { properties: entries(preset.properties), asks: entries(preset.asks) })
  }
}

function rulesOf(
  { tx }: CopyTransaction,
  names: Names,
  { key, value }: RemotePresetProperty,
): PresetProperty[] {
  const pk = names.find('property', key)
  const rule =
    pk === undefined
      ? undefined
      : tx.sql.get<PropertyRule>('SELECT pk, key, type, options FROM properties WHERE pk = ?', pk)
  return rule ? [{ rule, value }] : []
}

interface RemoteView extends RemoteObject, Timestamps {
  readonly id: string
  readonly name: string
  readonly filter: object | null
  readonly sort: {
    readonly field: (typeof viewTable.$inferSelect)['sortField']
    readonly direction: (typeof viewTable.$inferSelect)['sortDirection']
    readonly property?: string
  }
  readonly display_properties: readonly string[]
  readonly show_tags: boolean
  readonly is_pinned: boolean
  readonly is_default: boolean
  readonly icon: string | null
  readonly color: string | null
  readonly cover_url: string | null
}

export function applyViews(copy: CopyTransaction, names: Names): void {
  const { tx, workspacePk: workspace } = copy
  const idOf = (key: string): string | undefined => propertyId(copy, names, key)
  for (const { id } of present<RemoteView>(copy, 'view'))
    tx.sql.run('UPDATE views SET is_default = 0 WHERE id = ?', id)
  for (const view of present<RemoteView>(copy, 'view')) {
    const { id, name, filter, sort, icon, color } = view
    const displayed = view.display_properties.map(idOf).filter((found) => found !== undefined)
    const row = {
      name,
      filter: filter === null ? null : JSON.stringify(filter),
      sortField: sort.field,
      sortDirection: sort.direction,
      sortProperty: sort.property === undefined ? null : (idOf(sort.property) ?? null),
      displayProperties: JSON.stringify(displayed),
      showTags: flagOf(view.show_tags),
      isPinned: flagOf(view.is_pinned),
      isDefault: flagOf(view.is_default),
      icon,
      color,
      coverUrl: view.cover_url,
      ...instantsOf(view),
    }
    const known = findPk(copy, 'view', id)
    if (known === undefined) insertRow(tx, views, { ...row, id, workspace })
    else updateRow(tx, views, known, row)
  }
}

function propertyId({ tx }: CopyTransaction, names: Names, key: string): string | undefined {
  const pk = names.find('property', key)
  return pk === undefined ? undefined : tx.sql.scalar<string>('SELECT id FROM properties WHERE pk = ?', pk)
}

interface RemoteLens extends RemoteObject, Timestamps {
  readonly id: string
  readonly name: string
  readonly scope: object | null
  readonly settings: LensSettings
  readonly is_default: boolean
}

export function applyLenses(copy: CopyTransaction): void {
  const { tx, workspacePk: workspace } = copy
  for (const { id } of present<RemoteLens>(copy, 'lens'))
    tx.sql.run('UPDATE lenses SET is_default = 0 WHERE id = ?', id)
  for (const lens of present<RemoteLens>(copy, 'lens')) {
    const { id, name, scope, settings } = lens
    const row = {
      name,
      scope: scope === null ? null : JSON.stringify(scope),
      settings: JSON.stringify(settings),
      isDefault: flagOf(lens.is_default),
      ...instantsOf(lens),
    }
    const known = findPk(copy, 'lens', id)
    if (known === undefined) insertRow(tx, lenses, { ...row, id, workspace })
    else updateRow(tx, lenses, known, row)
  }
}

interface RemoteItem extends RemoteObject {
  readonly id: string
  readonly note_id: string
  readonly icon: string | null
  readonly color: string | null
  readonly icon_filled: boolean
  readonly position: number
  readonly created_at: string
}

export function applyQuickAccess(copy: CopyTransaction): void {
  const { tx, workspacePk: workspace } = copy
  for (const item of present<RemoteItem>(copy, 'quick_access_item')) {
    const { id, icon, color, position } = item
    const note = tx.sql.get<{ pk: number }>('SELECT pk FROM notes WHERE id = ?', item.note_id)?.pk
    if (note === undefined) continue
    const createdAt = instantOf(item.created_at)
    const row = { note, icon, color, iconFilled: flagOf(item.icon_filled), position, createdAt }
    const known = findPk(copy, 'quick_access_item', id)
    if (known === undefined) insertRow(tx, quickAccess, { ...row, id, workspace })
    else updateRow(tx, quickAccess, known, row)
  }
}
