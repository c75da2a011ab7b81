import { MAX_CONDITIONS } from '../../filter/record/parse.ts'
import { condition, searchText } from '../../http/schema/conditions.ts'
import { t } from '../../http/schema/types.ts'
import { ROW_VIEW_KINDS } from '../../storage/schema/row-views.ts'
import { MAX_FIELDS, structureName } from '../structures/schema.ts'

const EXAMPLE_FILTER = [{ field: 'status', op: 'neq', value: 'read' }]
const DIRECTIONS = ['asc', 'desc'] as const

const shownKey = (description: string, example: string) =>
  t.nullable(t.String({ examples: [example] }), description)

export const RowView = t.strict(
  {
    id: t.id(),
    structure_id: t.id(),
    name: t.String({ examples: ['Open'] }),
    kind: t.String({ enum: [...ROW_VIEW_KINDS], examples: ['board'] }),
    filter: t.Array(condition(), { examples: [EXAMPLE_FILTER] }),
    search: t.nullable(t.String()),
    sort: shownKey('A field key, `created_at` or `updated_at`.', 'finished'),
    direction: t.nullable(t.String({ enum: [...DIRECTIONS], examples: ['desc'] })),
    columns: t.nullable(
      t.Array(t.strict({ key: t.String({ examples: ['title'] }), width: t.Optional(t.integer()) })),
      'In their order; null for all fields.',
    ),
    group_by: shownKey('A `select` or `bool` field.', 'status'),
    date_field: shownKey('A `date` or `datetime` field.', 'finished'),
    end_field: t.nullable(t.String(), 'A field of the type of `date_field`.'),
    personal: t.Boolean({ description: 'Whether its owner alone sees it.' }),
    locked: t.Boolean(),
    owner: t.nullable(
      t.strict({ id: t.id(), name: t.String({ examples: ['Ada'] }) }),
      'The user who created it; null once that user is removed.',
    ),
    position: t.integer({ description: 'Among the views of the structure, from 0.', examples: [0] }),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
  },
  { $id: 'RowView', description: 'A saved selection of the rows of a structure, with its layout.' },
)

export const RowViewsResponse = t.response({ row_views: t.Array(RowView) })
export const RowViewResponse = t.response({ row_view: RowView })
export const DeletedRowViewResponse = t.deletedResponse()

export const RowViewsQuery = t.strict({ structure: t.Optional(structureName()) })

const name = () =>
  t.text({
    minLength: 1,
    maxLength: 200,
    trimmed: true,
    singleLine: true,
    isName: true,
    description:
      'Unique, ignoring case, among the shared views of the structure, or among the personal ones of its owner.',
    examples: ['Open'],
  })
const kind = () => t.choice(ROW_VIEW_KINDS, { description: '`table` unless given.' })

const attributes = t.optional({
  filter: t.Array(t.Unsafe<unknown>(condition()), {
    maxItems: MAX_CONDITIONS,
    description: 'As in a list; every condition must hold.',
    examples: [EXAMPLE_FILTER],
  }),
  search: searchText({ nullable: true }),
  sort: t.nullableText({ description: 'A field key, `created_at` or `updated_at`.', examples: ['finished'] }),
  direction: t.Unsafe<'asc' | 'desc' | null>(t.choice(DIRECTIONS, { nullable: true })),
  columns: t.nullable(
    t.Array(
      t.strict({
        key: t.text({ minLength: 1, examples: ['title'] }),
        width: t.Optional(t.integer({ minimum: 40, maximum: 2_000, examples: [240] })),
      }),
      { maxItems: MAX_FIELDS },
    ),
    'The fields that are shown, in this order; null for all.',
  ),
  group_by: t.nullableText({
    description: 'A `select` or `bool` field: the columns of a board, the groups of a table.',
    examples: ['status'],
  }),
  date_field: t.nullableText({
    description: 'A `date` or `datetime` field, which a calendar needs.',
    examples: ['finished'],
  }),
  end_field: t.nullableText({
    description: 'A field of the type of `date_field`: the last day.',
    examples: [null],
  }),
  personal: t.flag({ description: 'Whether its maker alone sees it; only the maker says so.' }),
  locked: t.flag({ description: 'Whether nothing but this may be changed; said by the maker or an owner.' }),
  position: t.integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Past the end means the end.',
    examples: [0],
  }),
})

export const CreateRowViewBody = t.strict(
  { structure: structureName(), name: name(), kind: t.Optional(kind()), ...attributes },
  {
    examples: [{ structure: 'Books', name: 'By status', kind: 'board', group_by: 'status', filter: [] }],
  },
)
export const PatchRowViewBody = t.strict(
  { name: t.Optional(name()), kind: t.Optional(kind()), ...attributes },
  { examples: [{ filter: EXAMPLE_FILTER, sort: 'finished', direction: 'asc' }] },
)
