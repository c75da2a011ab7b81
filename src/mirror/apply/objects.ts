import { lensKind } from '../../lenses/service.ts'
import { fold } from '../../lib/text.ts'
import { markAllForSearch } from '../../notes/search/indexing.ts'
import { indexTagName, removeTagName } from '../../notes/search/tables.ts'
import { findNoteSummary } from '../../notes/store.ts'
import type { AnyRow, ObjectKind } from '../../objects/objects.ts'
import { presetKind } from '../../presets/service.ts'
import { type PresetProperty, replaceProperties, replaceTags } from '../../presets/store.ts'
import { propertyKind } from '../../properties/service.ts'
import { findPropertyHeadByPk } from '../../properties/store.ts'
import { itemKind } from '../../quick-access/service.ts'
import { tagKind } from '../../tags/service.ts'
import { listNotesTagged, replaceLinks } from '../../tags/store.ts'
import { viewKind } from '../../views/service.ts'
import type { RemoteObject } from '../remote-objects.ts'
import { type CopyTransaction, flagOf, gone, instantOf, placeholderOf, present } from './copy-transaction.ts'
import type { Names } from './names.ts'

/* Tags, properties, presets, views, lenses and the items of Quick Access, which are each written from what is shown. */

/**
 * Writes the objects of a kind: `columnsOf` finds their columns but the times, or nothing if there is no place for an
 * object, and `then` writes what other tables hold.
 */
function apply<Row extends AnyRow, Shown extends object>(
  copy: CopyTransaction,
  kind: ObjectKind<Row, Shown>,
  columnsOf: (shown: Shown) => Partial<Row> | undefined,
  then: (pk: number, shown: Shown) => void = () => {},
): void {
  const { tx, workspacePk } = copy
  const shown = () => present<Shown & RemoteObject>(copy, kind.kind)
  if (!copy.isFresh) for (const { id } of shown()) kind.setAside(tx, id, placeholderOf(id))
  for (const object of shown()) {
    const columns = columnsOf(object)
    if (columns) then(kind.put(tx, workspacePk, object.id, { ...columns, ...timesOf(object) }), object)
  }
}

const timesOf = ({ created_at, updated_at }: RemoteObject) => ({
  ...(created_at !== undefined && { createdAt: instantOf(String(created_at)) }),
  ...(updated_at !== undefined && { updatedAt: instantOf(String(updated_at)) }),
})

export function removeSaved(copy: CopyTransaction): void {
  for (const { kind, remove } of [presetKind, viewKind, lensKind, itemKind])
    for (const id of gone(copy, kind)) remove(copy.tx, id)
}

export function removeProperties(copy: CopyTransaction): void {
  for (const id of gone(copy, 'property')) propertyKind.remove(copy.tx, id)
}

export function removeTags(copy: CopyTransaction): void {
  const { tx, workspacePk } = copy
  for (const id of gone(copy, 'tag')) {
    const notes = listNotesTagged(tx, Number(id))
    markAllForSearch(tx, workspacePk, JSON.stringify(notes), { canWait: true })
    removeTagName(tx, workspacePk, Number(id))
    tagKind.remove(tx, id)
  }
}

export function applyTags(copy: CopyTransaction): void {
  const { tx, workspacePk } = copy
  const linked: { tag: number; tags: readonly number[] }[] = []
  apply(
    copy,
    tagKind,
    ({ name, color, is_pinned }) => ({ name, nameFold: fold(name), color, isPinned: flagOf(is_pinned) }),
    (tag, { name, linked_tags }) => {
      indexTagName(tx, workspacePk, tag, name)
      linked.push({ tag, tags: linked_tags.map(({ id }) => id) })
    },
  )
  const exists = (tag: number) => tagKind.findById(tx, workspacePk, tag) !== undefined
  for (const { tag, tags } of linked) replaceLinks(tx, tag, tags.filter(exists))
}

export const applyProperties = (copy: CopyTransaction): void =>
  apply(copy, propertyKind, ({ key, type, label, options, position, is_pinned }) => ({
    key,
    type,
    label: label === key ? null : label,
    options: options === null ? null : JSON.stringify(options),
    position,
    isPinned: flagOf(is_pinned),
  }))

export function applyPresets(copy: CopyTransaction, names: Names): void {
  const entries = (list: readonly { key: string; value: unknown }[]): PresetProperty[] =>
    list.flatMap(({ key, value }) => {
      const rule = propertyNamed(copy, names, key)
      return rule ? [{ rule, value }] : []
    })
  apply(
    copy,
    presetKind,
    ({ name, icon, color, is_pinned }) => ({
      name,
      nameFold: fold(name),
      icon,
      color,
      isPinned: flagOf(is_pinned),
    }),
    (pk, { tags, properties, asks }) => {
      replaceTags(copy.tx, pk, names.findAll('tag', tags))
      replaceProperties(copy.tx, pk, { properties: entries(properties), asks: entries(asks) })
    },
  )
}

export function applyViews(copy: CopyTransaction, names: Names): void {
  const idOf = (key: string): string | undefined => propertyNamed(copy, names, key)?.id
  apply(copy, viewKind, ({ name, filter, sort, icon, color, ...view }) => ({
    name,
    filter: filter === null ? null : JSON.stringify(filter),
    sortField: sort.field,
    sortDirection: sort.direction,
    sortProperty: sort.property === undefined ? null : (idOf(sort.property) ?? null),
    displayProperties: JSON.stringify(view.display_properties.map(idOf).filter((id) => id !== undefined)),
    showTags: flagOf(view.show_tags),
    isPinned: flagOf(view.is_pinned),
    isDefault: flagOf(view.is_default),
    icon,
    color,
    coverUrl: view.cover_url,
  }))
}

function propertyNamed({ tx }: CopyTransaction, names: Names, key: string) {
  const pk = names.find('property', key)
  return pk === undefined ? undefined : findPropertyHeadByPk(tx, pk)
}

export const applyLenses = (copy: CopyTransaction): void =>
  apply(copy, lensKind, ({ name, scope, settings, is_default }) => ({
    name,
    scope: scope === null ? null : JSON.stringify(scope),
    settings: JSON.stringify(settings),
    isDefault: flagOf(is_default),
  }))

export const applyQuickAccess = (copy: CopyTransaction): void =>
  apply(copy, itemKind, ({ note_id, icon, color, icon_filled, position }) => {
    const note = findNoteSummary(copy.tx, copy.workspacePk, note_id)?.pk
    return note === undefined ? undefined : { note, icon, color, iconFilled: flagOf(icon_filled), position }
  })
