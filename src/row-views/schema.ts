import type { TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import { ROW_VIEW_KINDS } from '../db/schema/row-views.ts'
import { MAX_CONDITIONS } from '../filter/record/parse.ts'
import { condition, searchText } from '../http/schema/conditions.ts'
import {
  choice,
  deletedResponse,
  flag,
  id,
  integer,
  nullableText,
  response,
  strict,
  text,
  timestamp,
} from '../http/schema/types.ts'
import { MAX_FIELDS, structureName } from '../structures/schema.ts'

const nullable = <Type extends TSchema>(type: Type, description?: string) =>
  t.Union([type, t.Null()], { description })

const EXAMPLE_FILTER = [{ field: 'status', op: 'neq', value: 'read' }]
const DIRECTIONS = ['asc', 'desc'] as const

const shownKey = (description: string, example: string) =>
  nullable(t.String({ examples: [example] }), description)

export const RowView = strict(
  {
    id: id(),
    structure_id: id(),
    name: t.String({ examples: ['Open'] }),
    kind: t.String({ enum: [...ROW_VIEW_KINDS], examples: ['board'] }),
    filter: t.Array(condition(), { examples: [EXAMPLE_FILTER] }),
    search: nullable(t.String()),
    sort: shownKey('A field key, `created_at` or `updated_at`.', 'finished'),
    direction: nullable(t.String({ enum: [...DIRECTIONS], examples: ['desc'] })),
    columns: nullable(
      t.Array(strict({ key: t.String({ examples: ['title'] }), width: t.Optional(integer()) })),
      'In their order; null for all fields.',
    ),
    group_by: shownKey('A `select` or `bool` field.', 'status'),
    date_field: shownKey('A `date` or `datetime` field.', 'finished'),
    end_field: nullable(t.String(), 'A field of the type of `date_field`.'),
    personal: t.Boolean({ description: 'Whether its owner alone sees it.' }),
    locked: t.Boolean(),
    owner: nullable(
      strict({ id: id(), name: t.String({ examples: ['Ada'] }) }),
      'Who made it; null once removed.',
    ),
    position: integer({ description: 'Among the views of the structure, from 0.', examples: [0] }),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { $id: 'RowView', description: 'What of the rows of a structure is shown, and how.' },
)

export const RowViewsResponse = response({ row_views: t.Array(RowView) })
export const RowViewResponse = response({ row_view: RowView })
export const DeletedRowViewResponse = deletedResponse()

export const RowViewsQuery = strict({ structure: t.Optional(structureName()) })

const name = () =>
  text({
    minLength: 1,
    maxLength: 200,
    trimmed: true,
    singleLine: true,
    description:
      'Unique, ignoring case, among the shared views of the structure, or among the personal ones of its owner.',
    examples: ['Open'],
  })
const kind = () => choice(ROW_VIEW_KINDS, { description: '`table` unless given.' })

const attributes = {
  filter: t.Optional(
    t.Array(t.Unsafe<unknown>(condition()), {
      maxItems: MAX_CONDITIONS,
      description: 'As in a list; every condition must hold.',
      examples: [EXAMPLE_FILTER],
    }),
  ),
  search: t.Optional(searchText({ nullable: true })),
  sort: t.Optional(
    nullableText({ description: 'A field key, `created_at` or `updated_at`.', examples: ['finished'] }),
  ),
  direction: t.Optional(t.Unsafe<'asc' | 'desc' | null>(choice(DIRECTIONS, { nullable: true }))),
  columns: t.Optional(
    nullable(
      t.Array(
        strict({
          key: text({ minLength: 1, examples: ['title'] }),
          width: t.Optional(integer({ minimum: 40, maximum: 2_000, examples: [240] })),
        }),
        { maxItems: MAX_FIELDS },
      ),
      'The fields that are shown, in this order; null for all.',
    ),
  ),
  group_by: t.Optional(
    nullableText({
      description: 'A `select` or `bool` field: the columns of a board, the groups of a table.',
      examples: ['status'],
    }),
  ),
  date_field: t.Optional(
    nullableText({
      description: 'A `date` or `datetime` field, which a calendar needs.',
      examples: ['finished'],
    }),
  ),
  end_field: t.Optional(
    nullableText({ description: 'A field of the type of `date_field`: the last day.', examples: [null] }),
  ),
  personal: t.Optional(flag({ description: 'Whether its maker alone sees it; only the maker says so.' })),
  locked: t.Optional(
    flag({ description: 'Whether nothing but this may be changed; said by the maker or an owner.' }),
  ),
  position: t.Optional(
    integer({ minimum: 0, maximum: 1_000_000, description: 'Past the end means the end.', examples: [0] }),
  ),
}

export const CreateRowViewBody = strict(
  { structure: structureName(), name: name(), kind: t.Optional(kind()), ...attributes },
  {
    examples: [{ structure: 'Books', name: 'By status', kind: 'board', group_by: 'status', filter: [] }],
  },
)
export const PatchRowViewBody = strict(
  { name: t.Optional(name()), kind: t.Optional(kind()), ...attributes },
  { examples: [{ filter: EXAMPLE_FILTER, sort: 'finished', direction: 'asc' }] },
)
