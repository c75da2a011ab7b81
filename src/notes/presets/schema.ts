import { t } from '../../http/schema/types.ts'
import { MAX_CONTENT } from '../content-length.ts'
import { Note, propertyValues, tagList, timeZone } from '../schema.ts'

/** Maximum number of properties that a preset sets, and that it asks for. */
export const MAX_ENTRIES = 200

const Entry = t.strict({
  key: t.String({ examples: ['status'] }),
  value: t.Unknown({ description: 'null for none.', examples: ['open'] }),
})

export const Preset = t.strict(
  {
    id: t.id(),
    name: t.String({ examples: ['Meeting'] }),
    tags: t.Array(t.String(), { description: 'Tag names, sorted.', examples: [['work']] }),
    properties: t.Array(Entry, { description: 'The values it sets.' }),
    asks: t.Array(Entry, { description: 'The values it asks for; null where no answer is pre-filled.' }),
    content: t.Optional(
      t.String({
        description: 'The text that it appends to a note, with its holes; absent where it has none.',
        examples: ['## {{date}}'],
      }),
    ),
    icon: t.Union([t.String({ examples: ['book'] }), t.Null()]),
    color: t.Union([t.String({ examples: ['#1E90FF'] }), t.Null()]),
    is_pinned: t.Boolean(),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
  },
  { $id: 'Preset', description: 'A named set of tags and property values to write onto a note.' },
)

export const PresetsResponse = t.response({ presets: t.Array(Preset) })
export const PresetResponse = t.response({ preset: Preset })
export const DeletedPresetResponse = t.deletedResponse()

const keys = (description: string) => t.Array(t.String(), { description, examples: [['status']] })

export const AppliedResponse = t.response({
  note: Note,
  properties: propertyValues('The values of the note now.'),
  tags_added: t.Array(t.String(), {
    description: 'Tags that the note did not have, and the tags that they imply.',
    examples: [['work']],
  }),
  properties_set: keys('Properties that were set.'),
  properties_kept: keys('Properties whose values were kept.'),
  properties_unanswered: keys('Questions with neither an answer nor a pre-filled value.'),
})

const name = () =>
  t.text({
    minLength: 1,
    maxLength: 500,
    singleLine: true,
    isName: true,
    description: 'Unique, ignoring case; not in the form of an id.',
    examples: ['Meeting'],
  })
const key = () =>
  t.text({ minLength: 1, maxLength: 500, description: 'The key of a property.', examples: ['status'] })

const attributes = t.optional({
  tags: tagList('Tags to put on; those that do not exist are created. Replaces the list.'),
  properties: t.Array(t.strict({ key: key(), value: t.Unknown({ description: 'null or "" for none.' }) }), {
    maxItems: MAX_ENTRIES,
    description: 'The values to set. Replaces the list.',
    examples: [[]],
  }),
  ask: t.Array(
    t.strict({
      key: key(),
      value: t.Optional(t.Unknown({ description: 'The pre-filled answer; null or "" for none.' })),
    }),
    {
      maxItems: MAX_ENTRIES,
      description: 'The values to ask for; none of them among `properties`. Replaces the list.',
      examples: [[]],
    },
  ),
  content: t.nullableText({
    maxLength: MAX_CONTENT,
    description:
      'The text of a note that is made with it; applied to a note, it is appended. `{{date}}`, `{{time}}` and `{{title}}` are filled in. null clears.',
    examples: ['## {{date}}'],
  }),
  icon: t.icon(),
  color: t.color(),
  is_pinned: t.flag(),
})

export const CreatePresetBody = t.strict(
  { name: name(), ...attributes },
  { examples: [{ name: 'Meeting', tags: ['work'], properties: [{ key: 'status', value: 'open' }] }] },
)
export const PatchPresetBody = t.strict(
  { name: t.Optional(name()), ...attributes },
  { examples: [{ ask: [], icon: 'book', is_pinned: true }] },
)

export const ApplyPresetBody = t.strict({
  note_id: t.text({ examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'] }),
  ...t.optional({
    answers: t.members({
      description: 'Values by property key, of those asked for; null or "" is no answer.',
      examples: [{}],
    }),
    tz: timeZone(),
    overwrite: t.flag({ description: 'Also replaces values that the note holds; by default they are kept.' }),
  }),
})
