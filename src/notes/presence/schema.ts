import { t } from '../../http/schema/types.ts'

const Person = t.strict({
  id: t.id(),
  name: t.String({ examples: ['Ada'] }),
  writing: t.Boolean({ description: 'Whether the user has reported writing within the last 6 seconds.' }),
  line: t.nullable(t.integer({ minimum: 1 }), {
    description: 'The line of the text in which the user last reported writing, from 1; null before that.',
  }),
})

export const PresenceResponse = t.response({
  people: t.Array(Person, {
    description: 'The users with the note open, each once, in the order in which they opened it.',
  }),
})

export const PresenceBody = t.strict(
  {
    writing: t.flag({
      description: 'true while the user writes: repeat it every few seconds.',
      examples: [true],
    }),
    ...t.optional({
      line: t.integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'The line of the text with the cursor, from 1.',
        examples: [4],
      }),
    }),
  },
  { examples: [{ writing: true, line: 4 }] },
)

export const PresenceStream = t.eventStreamText([
  'retry: 2000',
  'event: people',
  'data: {"people":[{"id":"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60","name":"Ada","writing":true,"line":4}]}',
  '',
  ': alive',
  '',
])

export const PRESENCE_DESCRIPTION = `Server-Sent Events, without end. The user of the key or session counts as having the note open while the stream is. Nothing is stored, and each server process knows the streams that it serves itself.

- \`people\`: \`{people: [{id, name, writing, line}]}\`, at once and after changes, which are merged over 100 ms. The caller is among them.
- \`closed\`: \`{error, code}\`; the stream ends, for \`key_revoked\`, \`key_expired\`, \`session_ended\`, \`access_changed\` or \`shutting_down\`.

At most 10 streams of a user in a note, 50 of a user, 100 in a note and 1,000 in a workspace; further ones are refused with 429.`
