import { isoTimestamp } from '../lib/dates.ts'
import { presentNote } from '../notes/present.ts'
import type { AppliedPreset } from './apply.ts'
import type { Preset } from './service.ts'
import type { PresetProperty } from './store.ts'

const presentValue = ({ rule, value }: PresetProperty) => ({ key: rule.key, value })

export const presentPreset = ({ row, tags, properties, asks }: Preset) => ({
  id: row.id,
  name: row.name,
  tags: tags.map(({ name }) => name),
  properties: properties.map(presentValue),
  asks: asks.map(presentValue),
  icon: row.icon,
  color: row.color,
  is_pinned: row.isPinned === 1,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

export const presentApplied = ({ note, properties, tagsAdded, set, kept, unanswered }: AppliedPreset) => ({
  note: presentNote(note),
  properties,
  tags_added: tagsAdded,
  properties_set: set,
  properties_kept: kept,
  properties_unanswered: unanswered,
})
