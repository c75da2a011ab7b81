import type { TagUsage } from '../feature-hooks.ts'
import { compareNames } from '../lib/text.ts'
import type { TagRow } from './store.ts'

export const presentTag = (row: TagRow) => ({
  id: row.id,
  name: row.name,
  color: row.color,
  is_pinned: row.isPinned === 1,
  note_count: row.noteCount,
  linked_tags: (JSON.parse(row.linkedTags) as { id: number; name: string }[]).sort((left, right) =>
    compareNames(left.name, right.name),
  ),
})

export const presentTagWithUsage = ({ tag, usage }: { tag: TagRow; usage: TagUsage }) => ({
  tag: presentTag(tag),
  used_by: { views: usage.views, lenses: usage.lenses },
})
