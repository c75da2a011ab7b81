import { t } from 'elysia'
import {
  color,
  deletedResponse,
  flag,
  icon,
  id,
  members,
  nullableText,
  response,
  strict,
  text,
  timestamp,
} from '../http/schema/types.ts'
import { MAX_CONTENT, Note, propertyValues, tagList, timeZone } from '../notes/schema.ts'

/** How many properties a preset sets, and how many it asks for, at most. */
const MAX_ENTRIES = 200

const Entry = strict({
  key: t.String({ examples: ['status'] }),
  value: t.Unknown({ description: 'null for none.', examples: ['open'] }),
})

export const Preset = strict(
  {
    id: id(),
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
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { $id: 'Preset', description: 'A named set of tags and property values to write onto a note.' },
)

export const PresetsResponse = response({ presets: t.Array(Preset) })
export const PresetResponse = response({ preset: Preset })
export const DeletedPresetResponse = deletedResponse()

const keys = (description: string) => t.Array(t.String(), { description, examples: [['status']] })

export const AppliedResponse = response({
  note: Note,
  properties: propertyValues('What the note now holds.'),
  tags_added: t.Array(t.String(), {
    description: 'Those the note did not carry, and those that came along.',
    examples: [['work']],
  }),
  properties_set: keys('What was written.'),
  properties_kept: keys('What the note held already.'),
  properties_unanswered: keys('What was asked for, and has neither an answer nor a pre-filled one.'),
})

const name = () =>
  text({
    minLength: 1,
    maxLength: 500,
    singleLine: true,
    description: 'Unique, ignoring case; not in the form of an id.',
    examples: ['Meeting'],
  })
const key = () =>
  text({ minLength: 1, maxLength: 500, description: 'The key of a property.', examples: ['status'] })

const attributes = {
  tags: t.Optional(tagList('Tags to put on; those that do not exist are created. Replaces the list.')),
  properties: t.Optional(
    t.Array(strict({ key: key(), value: t.Unknown({ description: 'null or "" for none.' }) }), {
      maxItems: MAX_ENTRIES,
      description: 'The values to set. Replaces the list.',
      examples: [[]],
    }),
  ),
  ask: t.Optional(
    t.Array(
      strict({
        key: key(),
        value: t.Optional(t.Unknown({ description: 'The pre-filled answer; null or "" for none.' })),
      }),
      {
        maxItems: MAX_ENTRIES,
        description: 'The values to ask for; none of them among `properties`. Replaces the list.',
        examples: [[]],
      },
    ),
  ),
  content: t.Optional(
    nullableText({
      maxLength: MAX_CONTENT,
      description:
        'The text of a note that is made with it; applied to a note, it is appended. `{{date}}`, `{{time}}` and `{{title}}` are filled in. null clears.',
      examples: ['## {{date}}'],
    }),
  ),
  icon: t.Optional(icon()),
  color: t.Optional(color()),
  is_pinned: t.Optional(flag()),
}

export const CreatePresetBody = strict(
  { name: name(), ...attributes },
  { examples: [{ name: 'Meeting', tags: ['work'], properties: [{ key: 'status', value: 'open' }] }] },
)
export const PatchPresetBody = strict(
  { name: t.Optional(name()), ...attributes },
  { examples: [{ ask: [], icon: 'book', is_pinned: true }] },
)

export const ApplyPresetBody = strict({
  note_id: text({ examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'] }),
  answers: t.Optional(
    members({
      description: 'Values by property key, of those asked for; null or "" is no answer.',
      examples: [{}],
    }),
  ),
  tz: t.Optional(timeZone()),
  overwrite: t.Optional(
    flag({ description: 'Also replaces values that the note holds; by default they are kept.' }),
  ),
})
