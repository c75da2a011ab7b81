import { t } from '../http/schema/types.ts'
import { ListedNote } from '../notes/schema.ts'
import { NOTE_MATCHES } from '../search/find-notes.ts'

export const KINDS = ['notes', 'records', 'files', 'presets'] as const

const MAX_LIMIT = 50

const { content: _, edited_at: __, ...head } = ListedNote.properties

export const FindQuery = t.strict(
  t.optional({
    q: t.text({
      maxLength: 500,
      description:
        'The typed text. Words are prefixes (of one or two letters only the last), and operators are text. Without it, the last edited notes and the first presets.',
      examples: ['engines'],
    }),
    kind: t.choice(KINDS, { description: 'Only this kind; `records` includes structures.' }),
    limit: t.integer({ minimum: 1, maximum: MAX_LIMIT, default: 8, description: 'The most notes.' }),
  }),
)

const name = t.String({ examples: ['Expenses'] })

export const FindResponse = t.response({
  notes: t.Array(
    t.strict({
      ...head,
      match: t.Unsafe<(typeof NOTE_MATCHES)[number]>({
        type: 'string',
        enum: [...NOTE_MATCHES],
        description:
          'The part that matches, best first: the title or an alias, or the text. If no note has all words: a similar title, or some of the words. `recent` without a text.',
        examples: ['title'],
      }),
      matched_alias: t.Optional(t.String({ description: 'The first alias that matches.' })),
    }),
  ),
  structures: t.Array(t.strict({ id: t.id(), name }), {
    description: 'Structures with the text in their name.',
  }),
  records: t.Array(
    t.strict({
      id: t.id(),
      structure_id: t.id(),
      structure: name,
      label: t.String({ description: 'The value that names the row.', examples: ['Ferry'] }),
    }),
    { description: 'Rows with every word in any field, for texts of at most 200 characters.' },
  ),
  files: t.Array(t.strict({ id: t.id(), file_name: t.String({ examples: ['engine handbook.pdf'] }) }), {
    description: 'Files with every word in their name, or on a page.',
  }),
  presets: t.Array(t.strict({ id: t.id(), name: t.String({ examples: ['Meeting'] }) }), {
    description: 'Presets with a text for new notes, by name, also after the words "new note from".',
  }),
})
