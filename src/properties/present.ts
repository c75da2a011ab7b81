import type { PropertyUsage } from '../feature-hooks.ts'
import { isoTimestamp } from '../lib/dates.ts'
import type { PatchedProperty } from './service.ts'
import type { PropertyRow } from './store.ts'

export const presentProperty = (row: PropertyRow) => ({
  id: row.id,
  key: row.key,
  type: row.type,
  label: row.label ?? row.key,
  options: row.options === null ? null : (JSON.parse(row.options) as string[]),
  position: row.position,
  is_pinned: row.isPinned === 1,
  notes_with_value: row.notesWithValue,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

export const presentPropertyWithUsage = ({
  property,
  usage,
}: {
  property: PropertyRow
  usage: PropertyUsage
}) => ({
  property: presentProperty(property),
  used_by: { views: usage.views, presets: usage.presets, lenses: usage.lenses },
})

export const presentPatchedProperty = ({ property, stranded }: PatchedProperty) => ({
  property: presentProperty(property),
  stranded_values: stranded.map(({ value, notes }) => ({ value, notes })),
})
