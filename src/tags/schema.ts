import { t } from 'elysia'
import { color, flag, integer, response, strict, usedBy } from '../http/schema/types.ts'
import { tagName } from '../notes/schema.ts'

const LinkedTag = strict({ id: integer({ examples: [2] }), name: t.String({ examples: ['project'] }) })

export const Tag = strict(
  {
    id: integer({ examples: [1] }),
    name: t.String({ examples: ['work'] }),
    color: t.Union([t.String(), t.Null()], { examples: ['#1E90FF'] }),
    is_pinned: t.Boolean(),
    note_count: integer({ description: 'How many active notes carry it.', examples: [3] }),
    linked_tags: t.Array(LinkedTag, {
      description: 'Tags that come along onto every note carrying this one.',
    }),
  },
  { $id: 'Tag' },
)

export const TagsResponse = response({ tags: t.Array(Tag) })
export const TagResponse = response({ tag: Tag })
export const TagWithUseResponse = response({
  tag: Tag,
  used_by: strict({ views: t.Array(usedBy()), lenses: t.Array(usedBy()) }),
})
export const DeletedTagResponse = response({
  deleted: t.Boolean({ examples: [true] }),
  id: integer({ examples: [1] }),
})

export const TagPatch = strict(
  {
    name: t.Optional(tagName()),
    color: t.Optional(color()),
    is_pinned: t.Optional(flag()),
  },
  { examples: [{ color: '#1E90FF', is_pinned: true }] },
)

export const TagLinksBody = strict({
  linked_tag_ids: t.Array(integer(), {
    description: 'Replaces the list.',
    examples: [[2]],
  }),
})
