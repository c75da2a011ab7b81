import { EXAMPLE_TREE, filterTree } from '../../http/schema/filter-tree.ts'
import { t } from '../../http/schema/types.ts'
import { MAX_PAGE, shownParts } from '../schema.ts'

export const MAX_DISPLAYED = 3
const SORT_FIELDS = ['created_at', 'updated_at', 'edited_at', 'title', 'property'] as const
const DIRECTIONS = ['asc', 'desc'] as const

const orNull = (type: ReturnType<typeof t.String>) => t.Union([type, t.Null()])

const Sort = t.strict(
  {
    field: t.choice(SORT_FIELDS, { examples: ['updated_at'] }),
    direction: t.choice(DIRECTIONS, { examples: ['desc'] }),
    property: t.Optional(
      t.String({ description: 'The key of a property, with the field `property` alone.', examples: ['due'] }),
    ),
  },
  {
    description: 'Notes without a value come last in both directions.',
    examples: [{ field: 'updated_at', direction: 'desc' }],
  },
)

const DisplayedProperty = t.strict({
  id: t.id(),
  key: t.String({ examples: ['due'] }),
  label: t.String({ examples: ['Due'] }),
  type: t.String({ examples: ['date'] }),
})

export const View = t.strict(
  {
    id: t.id(),
    name: t.String({ examples: ['Open work'] }),
    filter: t.Union([filterTree(), t.Null()], { description: 'null for every note.' }),
    filter_summary: t.String({
      description: 'The filter as a sentence.',
      examples: ['tagged "work" and status is "open"'],
    }),
    sort: Sort,
    display: t.strict({
      properties: t.Array(DisplayedProperty, { description: 'The properties on a card, in order.' }),
      show_tags: t.Boolean(),
    }),
    display_properties: t.Array(t.String(), { description: 'Their keys.', examples: [['due']] }),
    show_tags: t.Boolean(),
    is_pinned: t.Boolean(),
    is_default: t.Boolean({ description: 'At most one view is the default.' }),
    icon: orNull(t.String({ examples: ['book'] })),
    color: orNull(t.String({ examples: ['#1E90FF'] })),
    cover_url: orNull(t.String({ examples: ['https://example.com/cover.png'] })),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
  },
  { $id: 'View', description: 'A saved filter, evaluated at every read.' },
)

export const ViewsResponse = t.response({ views: t.Array(View) })
export const ViewResponse = t.response({ view: View })
export const DeletedViewResponse = t.deletedResponse()

export const ViewNotesQuery = t.strict({ ...shownParts, ...t.paging(MAX_PAGE) })

const name = () =>
  t.text({ minLength: 1, maxLength: 500, singleLine: true, isName: true, examples: ['Open work'] })

const attributes = t.optional({
  filter: t.Union([filterTree(), t.Null()], { description: 'Replaces the whole tree; null for every note.' }),
  sort: t.strict(
    {
      field: t.choice(SORT_FIELDS, { examples: ['updated_at'] }),
      ...t.optional({
        direction: t.choice(DIRECTIONS, {
          description: 'By default desc for times, asc otherwise.',
          examples: ['desc'],
        }),
        property: t.text({
          minLength: 1,
          maxLength: 500,
          description: 'The key of a property, with the field `property` alone.',
          examples: ['due'],
        }),
      }),
    },
    {
      description: 'Replaced whole; by default the newest edit first.',
      examples: [{ field: 'updated_at', direction: 'desc' }],
    },
  ),
  display_properties: t.Array(t.text({ minLength: 1, maxLength: 500, examples: ['due'] }), {
    maxItems: MAX_DISPLAYED,
    description: 'Keys of the properties that a card shows.',
    examples: [[]],
  }),
  show_tags: t.flag({ description: 'Whether a card shows tags; by default it does.' }),
  is_pinned: t.flag(),
  is_default: t.flag({ description: 'true takes it from the view that is the default so far.' }),
  icon: t.icon(),
  color: t.color(),
  cover_url: t.coverUrl(),
})

export const CreateViewBody = t.strict(
  { name: name(), ...attributes },
  { examples: [{ name: 'Open work', filter: EXAMPLE_TREE, display_properties: ['status'] }] },
)
export const PatchViewBody = t.strict(
  { name: t.Optional(name()), ...attributes },
  { examples: [{ sort: { field: 'title', direction: 'asc' }, is_pinned: true }] },
)
