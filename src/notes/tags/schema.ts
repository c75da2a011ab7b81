import { t } from '../../http/schema/types.ts'
import { tagName } from '../schema.ts'

const LinkedTag = t.strict({ id: t.integer({ examples: [2] }), name: t.String({ examples: ['project'] }) })

export const Tag = t.strict(
  {
    id: t.integer({ examples: [1] }),
    name: t.String({ examples: ['work'] }),
    color: t.Union([t.String(), t.Null()], { examples: ['#1E90FF'] }),
    is_pinned: t.Boolean(),
    note_count: t.integer({ description: 'How many active notes carry it.', examples: [3] }),
    linked_tags: t.Array(LinkedTag, {
      description: 'Tags that come along onto every note carrying this one.',
    }),
  },
  { $id: 'Tag' },
)

export const TagsResponse = t.response({ tags: t.Array(Tag) })
export const TagResponse = t.response({ tag: Tag })
export const TagWithUseResponse = t.response({
  tag: Tag,
  used_by: t.strict({ views: t.Array(t.usedBy()), lenses: t.Array(t.usedBy()) }),
})
export const DeletedTagResponse = t.response({
  deleted: t.Boolean({ examples: [true] }),
  id: t.integer({ examples: [1] }),
})

export const TagPatch = t.strict(
  t.optional({
    name: tagName(),
    color: t.color(),
    is_pinned: t.flag(),
  }),
  { examples: [{ color: '#1E90FF', is_pinned: true }] },
)

export const TagLinksBody = t.strict({
  linked_tag_ids: t.Array(t.integer(), {
    description: 'Replaces the list.',
    examples: [[2]],
  }),
})
