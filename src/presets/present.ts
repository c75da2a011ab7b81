import { isoTimestamp } from '../lib/dates.ts'
import { presentNote } from '../notes/present.ts'
import type { Applied } from './apply.ts'
import type { Preset } from './service.ts'
import type { Entry } from './store.ts'

const presentEntry = ({ rule, value }: Entry) => ({ key: rule.key, value })

export const presentPreset = ({ row, tags, properties, asks }: Preset) => ({
  id: row.id,
  name: row.name,
  tags: tags.map(({ name }) => name),
  properties: properties.map(presentEntry),
  asks: asks.map(presentEntry),
  icon: row.icon,
  color: row.color,
  is_pinned: row.isPinned === 1,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

export const presentApplied = ({ note, properties, tagsAdded, set, kept, unanswered }: Applied) => ({
  note: presentNote(note),
  properties,
  tags_added: tagsAdded,
  properties_set: set,
  properties_kept: kept,
  properties_unanswered: unanswered,
})
