import { Kind } from '@sinclair/typebox'
import { ALL_NOTE_OPERATORS, GROUP_MATCHES, NOTE_FIELDS, TAG_OPERATORS } from '../../filter/operators.ts'
import type { FilterTree } from '../../filter/tree/parse.ts'
import { t } from './types.ts'

export const EXAMPLE_TREE = {
  type: 'group',
  match: 'all',
  children: [
    { type: 'field', field: 'title', op: 'contains', value: 'meeting' },
    { type: 'field', field: 'updated_at', op: 'within', value: { relative: { n: -7, unit: 'day' } } },
  ],
}

const TREE = 'FilterTree'
const value = t.Optional(
  t.Unknown({
    description:
      'The operand. A date is YYYY-MM-DD or {relative: {n, unit}} with the unit day, week, month or year; `in` and `not_in` take a list, `between` [low, high], `empty` and `not_empty` nothing.',
  }),
)

const FilterGroup = t.strict(
  {
    type: t.choice(['group']),
    match: t.choice(GROUP_MATCHES, { description: 'How many of the children must match.' }),
    children: t.Array(t.Unsafe<FilterTree>({ $ref: TREE })),
  },
  { $id: 'FilterGroup', description: 'The nodes of the group; an empty `any` matches nothing.' },
)

const TagsCondition = t.strict(
  {
    type: t.choice(['tags']),
    op: t.choice(TAG_OPERATORS),
    tag_ids: t.Array(t.integer(), { minItems: 1, description: 'Ids of tags.', examples: [[1]] }),
  },
  { $id: 'TagsCondition', description: 'A condition on the tags of a note.' },
)

const PropertyCondition = t.strict(
  {
    type: t.choice(['property']),
    def_id: t.String({
      description: 'The id of a property, whose type determines the operators.',
      examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
    }),
    op: t.choice(ALL_NOTE_OPERATORS),
    value,
  },
  { $id: 'PropertyCondition', description: 'A condition on the value of a property.' },
)

const FieldCondition = t.strict(
  {
    type: t.choice(['field']),
    field: t.choice(Object.keys(NOTE_FIELDS) as (keyof typeof NOTE_FIELDS)[], {
      description: 'Title and alias have the operators of a text, the others those of a date, by UTC day.',
    }),
    op: t.choice(ALL_NOTE_OPERATORS),
    value,
  },
  { $id: 'FieldCondition', description: 'A condition on a field of the note itself.' },
)

const NODES = { group: FilterGroup, tags: TagsCondition, property: PropertyCondition, field: FieldCondition }

/**
 * A filter tree in bodies and responses. This schema only documents it; `parseTree` checks it, and its refusals name
 * the path in the tree.
 */
export const filterTree = () =>
  t.Unsafe<unknown>({
    [Kind]: 'DaybookUnchecked',
    $id: TREE,
    oneOf: Object.values(NODES),
    discriminator: 'type',
    description:
      'A condition on tags, a property or a field, or a group of nodes: at most 4 levels of groups and 50 conditions.',
    examples: [EXAMPLE_TREE],
  })
