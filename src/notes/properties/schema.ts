import { t } from '../../http/schema/types.ts'
import { PROPERTY_TYPES } from '../property-values.ts'

export const MAX_OPTIONS = 1_000

export const Property = t.strict(
  {
    id: t.id(),
    key: t.String({ examples: ['status'] }),
    type: t.String({ enum: [...PROPERTY_TYPES], examples: ['select'] }),
    label: t.String({ description: 'The key when none was given.', examples: ['Status'] }),
    options: t.Union([t.Array(t.String()), t.Null()], {
      description: 'For `select`.',
      examples: [['open', 'done']],
    }),
    position: t.integer({ description: 'From 0, without gaps.', examples: [0] }),
    is_pinned: t.Boolean(),
    notes_with_value: t.integer({ description: 'How many active notes hold a value.', examples: [3] }),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
  },
  { $id: 'Property' },
)

const ViewDependent = t.strict({
  id: t.id(),
  name: t.String({ examples: ['Open work'] }),
  roles: t.Array(t.String({ enum: ['filter', 'sort', 'display'] })),
})

export const PropertiesResponse = t.response({ properties: t.Array(Property) })
export const PropertyResponse = t.response({ property: Property })
export const PropertyWithUseResponse = t.response({
  property: Property,
  used_by: t.strict({
    views: t.Array(ViewDependent),
    presets: t.Array(t.usedBy()),
    lenses: t.Array(t.usedBy()),
  }),
})
export const PatchedPropertyResponse = t.response({
  property: Property,
  stranded_values: t.Array(
    t.strict({ value: t.String({ examples: ['waiting'] }), notes: t.integer({ examples: [2] }) }),
    {
      description: 'Values on active notes that are no longer among the options.',
    },
  ),
})
export const DeletedPropertyResponse = t.response({
  deleted: t.Boolean({ examples: [true] }),
  notes_affected: t.integer({ description: 'Notes that held a value, trashed ones too.', examples: [3] }),
})

export const propertyKey = () =>
  t.text({
    pattern: '^[a-z][a-z0-9_-]{0,62}$',
    says: 'a key: a lower-case letter, then up to 62 lower-case letters, digits, "_" or "-"',
    examples: ['status'],
  })
const label = { minLength: 1, maxLength: 500, singleLine: true, examples: ['Status'] }
const options = () =>
  t.Array(t.text({ minLength: 1, maxLength: 500 }), {
    maxItems: MAX_OPTIONS,
    description: 'The values that a `select` accepts.',
    examples: [['open', 'done']],
  })
const position = () => t.integer({ minimum: 0, description: 'Others shift; past the end is the end.' })

export const CreatePropertyBody = t.strict(
  {
    key: propertyKey(),
    type: t.choice(PROPERTY_TYPES, { examples: ['select'] }),
    label: t.Optional(t.nullableText(label)),
    options: t.Optional(options()),
    position: t.Optional(position()),
    is_pinned: t.Optional(t.flag()),
  },
  { examples: [{ key: 'status', type: 'select', options: ['open', 'done'] }] },
)

export const PatchPropertyBody = t.strict(
  t.optional({
    key: propertyKey(),
    label: t.nullableText({ ...label, description: 'null goes back to the key.' }),
    type: t.choice(PROPERTY_TYPES, { description: 'Only while no note holds a value.' }),
    options: options(),
    position: position(),
    is_pinned: t.flag(),
  }),
  { examples: [{ label: 'State', options: ['open', 'waiting', 'done'] }] },
)
