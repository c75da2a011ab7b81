import { isoTimestamp } from '../lib/dates.ts'
import type { PropertyHead } from '../properties/store.ts'
import type { DescribedView } from './service.ts'

export const presentView = ({ row, filter, summary, sortProperty, displayed }: DescribedView) => ({
  id: row.id,
  name: row.name,
  filter,
  filter_summary: summary,
  sort: {
    field: row.sortField,
    direction: row.sortDirection,
    ...(sortProperty && { property: sortProperty.key }),
  },
  display: { properties: displayed.map(presentDisplayed), show_tags: row.showTags === 1 },
  display_properties: displayed.map(({ key }) => key),
  show_tags: row.showTags === 1,
  is_pinned: row.isPinned === 1,
  is_default: row.isDefault === 1,
  icon: row.icon,
  color: row.color,
  cover_url: row.coverUrl,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

const presentDisplayed = ({ id, key, label, type }: PropertyHead) => ({ id, key, label: label ?? key, type })
