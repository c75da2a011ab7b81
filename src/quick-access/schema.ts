import { t } from 'elysia'
import {
  color,
  deletedResponse,
  flag,
  icon,
  id,
  integer,
  response,
  strict,
  text,
  timestamp,
} from '../http/schema/types.ts'

export const QuickAccessItem = strict(
  {
    id: id(),
    note_id: id('The note that is pinned.'),
    title: t.String({ description: 'The title of the note.', examples: ['Meeting with Ada'] }),
    icon: t.Union([t.String({ examples: ['book'] }), t.Null()]),
    color: t.Union([t.String({ examples: ['#1E90FF'] }), t.Null()]),
    icon_filled: t.Boolean(),
    position: integer({ description: 'From 0, without gaps.', examples: [0] }),
    created_at: timestamp(),
  },
  { $id: 'QuickAccessItem', description: 'A note pinned to the sidebar; independent of its own `pinned`.' },
)

export const QuickAccessResponse = response({ items: t.Array(QuickAccessItem) })
export const QuickAccessItemResponse = response({ item: QuickAccessItem })
export const DeletedItemResponse = deletedResponse('The item.')

const attributes = {
  icon: t.Optional(icon()),
  color: t.Optional(color()),
  icon_filled: t.Optional(flag({ description: 'By default false.' })),
  position: t.Optional(
    integer({ minimum: 0, description: 'Others shift; past the end is the end.', examples: [0] }),
  ),
}

export const CreateItemBody = strict({
  note_id: text({
    description: 'The note to pin; a note can be pinned only once.',
    examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  }),
  ...attributes,
})

export const PatchItemBody = strict(attributes, { examples: [{ position: 0, color: '#1E90FF' }] })
