import { t } from '../../http/schema/types.ts'

export const QuickAccessItem = t.strict(
  {
    id: t.id(),
    note_id: t.id('The note that is pinned.'),
    title: t.String({ description: 'The title of the note.', examples: ['Meeting with Ada'] }),
    icon: t.Union([t.String({ examples: ['book'] }), t.Null()]),
    color: t.Union([t.String({ examples: ['#1E90FF'] }), t.Null()]),
    icon_filled: t.Boolean(),
    position: t.integer({ description: 'From 0, without gaps.', examples: [0] }),
    created_at: t.timestamp(),
  },
  { $id: 'QuickAccessItem', description: 'A note pinned to the sidebar; independent of its own `pinned`.' },
)

export const QuickAccessResponse = t.response({ items: t.Array(QuickAccessItem) })
export const QuickAccessItemResponse = t.response({ item: QuickAccessItem })
export const DeletedItemResponse = t.deletedResponse('The item.')

const attributes = t.optional({
  icon: t.icon(),
  color: t.color(),
  icon_filled: t.flag({ description: 'By default false.' }),
  position: t.integer({ minimum: 0, description: 'Others shift; past the end is the end.', examples: [0] }),
})

export const CreateItemBody = t.strict({
  note_id: t.text({
    description: 'The note to pin; a note can be pinned only once.',
    examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  }),
  ...attributes,
})

export const PatchItemBody = t.strict(attributes, { examples: [{ position: 0, color: '#1E90FF' }] })
