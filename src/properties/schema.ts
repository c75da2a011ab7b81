import { t } from 'elysia'
import {
  choice,
  flag,
  id,
  integer,
  nullableText,
  response,
  strict,
  text,
  timestamp,
  usedBy,
} from '../http/schema/types.ts'
import { PROPERTY_TYPES } from '../notes/writing/properties.ts'

const MAX_OPTIONS = 1_000

export const Property = strict(
  {
    id: id(),
    key: t.String({ examples: ['status'] }),
    type: t.String({ enum: [...PROPERTY_TYPES], examples: ['select'] }),
    label: t.String({ description: 'The key when none was given.', examples: ['Status'] }),
    options: t.Union([t.Array(t.String()), t.Null()], {
      description: 'For `select`.',
      examples: [['open', 'done']],
    }),
    position: integer({ description: 'From 0, without gaps.', examples: [0] }),
    is_pinned: t.Boolean(),
    notes_with_value: integer({ description: 'How many active notes hold a value.', examples: [3] }),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { $id: 'Property' },
)

const ViewDependent = strict({
  id: id(),
  name: t.String({ examples: ['Open work'] }),
  roles: t.Array(t.String({ enum: ['filter', 'sort', 'display'] })),
})

export const PropertiesResponse = response({ properties: t.Array(Property) })
export const PropertyResponse = response({ property: Property })
export const PropertyWithUseResponse = response({
  property: Property,
  used_by: strict({
    views: t.Array(ViewDependent),
    presets: t.Array(usedBy()),
    lenses: t.Array(usedBy()),
  }),
})
export const PatchedPropertyResponse = response({
  property: Property,
  stranded_values: t.Array(
    strict({ value: t.String({ examples: ['waiting'] }), notes: integer({ examples: [2] }) }),
    {
      description: 'Values on active notes that are no longer among the options.',
    },
  ),
})
export const DeletedPropertyResponse = response({
  deleted: t.Boolean({ examples: [true] }),
  notes_affected: integer({ description: 'Notes that held a value, trashed ones too.', examples: [3] }),
})

export const propertyKey = () =>
  text({
    pattern: '^[a-z][a-z0-9_-]{0,62}$',
    says: 'a key: a lower-case letter, then up to 62 lower-case letters, digits, "_" or "-"',
    examples: ['status'],
  })
const label = { minLength: 1, maxLength: 500, singleLine: true, examples: ['Status'] }
const options = () =>
  t.Array(text({ minLength: 1, maxLength: 500 }), {
    maxItems: MAX_OPTIONS,
    description: 'What a `select` may hold.',
    examples: [['open', 'done']],
  })
const position = () => integer({ minimum: 0, description: 'Others shift; past the end is the end.' })

export const CreatePropertyBody = strict(
  {
    key: propertyKey(),
    type: choice(PROPERTY_TYPES, { examples: ['select'] }),
    label: t.Optional(text(label)),
    options: t.Optional(options()),
    position: t.Optional(position()),
    is_pinned: t.Optional(flag()),
  },
  { examples: [{ key: 'status', type: 'select', options: ['open', 'done'] }] },
)

export const PatchPropertyBody = strict(
  {
    key: t.Optional(propertyKey()),
    label: t.Optional(nullableText({ ...label, description: 'null goes back to the key.' })),
    type: t.Optional(choice(PROPERTY_TYPES, { description: 'Only while no note holds a value.' })),
    options: t.Optional(options()),
    position: t.Optional(position()),
    is_pinned: t.Optional(flag()),
  },
  { examples: [{ label: 'State', options: ['open', 'waiting', 'done'] }] },
)
