import { filterTree } from '../http/schema/filter-tree.ts'
import { TREE_OPERATORS_TEXT } from '../http/schema/operator-tables.ts'
import { t } from '../http/schema/types.ts'
import { MAX_ALIAS_LENGTH, MAX_FURTHER_ALIASES } from '../lib/text.ts'
import { findTimeZone } from '../lib/time-zones.ts'
import { MAX_CONTENT } from './content-length.ts'

export const MAX_PAGE = 200
export const TAGS_PER_REQUEST = 100

const title = () => t.text({ minLength: 1, maxLength: 500, singleLine: true, examples: ['Meeting with Ada'] })
const content = () =>
  t.text({
    maxLength: MAX_CONTENT,
    description: 'The body; markup text, kept byte for byte.',
    examples: ['Ask about [[Engines]].'],
  })
/** The name of a tag in any request. */
export const tagName = () =>
  t.text({
    minLength: 1,
    maxLength: 100,
    trimmed: true,
    singleLine: true,
    isName: true,
    without: ',',
    says: 'a tag name: 1 to 100 characters, no comma, no control character',
    examples: ['work'],
  })
export const tagList = (description: string) =>
  t.Array(tagName(), { maxItems: TAGS_PER_REQUEST, description })

const ALIAS = {
  minLength: 1,
  maxLength: MAX_ALIAS_LENGTH,
  trimmed: true,
  singleLine: true,
  isName: true,
  examples: ['ada'],
}
const alias = () =>
  t.nullableText({ ...ALIAS, description: 'Another name for links; unique among notes. null clears.' })

const aliases = () =>
  t.Array(t.text({ ...ALIAS, examples: ['countess'] }), {
    maxItems: MAX_FURTHER_ALIASES,
    description: 'Further aliases, the whole list; each is unique among all aliases of notes.',
    examples: [['countess']],
  })

export const propertyValues = (description: string) =>
  t.members({ description, examples: [{ status: 'open' }] })

export const Note = t.strict(
  {
    id: t.id(),
    title: t.String({ examples: ['Meeting with Ada'] }),
    content: t.String({ examples: ['Ask about [[Engines]].'] }),
    tags: t.Array(t.String(), { description: 'Tag names, sorted.', examples: [['work']] }),
    alias: t.Union([t.String(), t.Null()]),
    aliases: t.Optional(
      t.Array(t.String(), {
        description: 'Further aliases; absent until some are given.',
        examples: [['countess']],
      }),
    ),
    pinned: t.Boolean(),
    pin_label: t.Union([t.String(), t.Null()]),
    cover_url: t.Union([t.String(), t.Null()]),
    created_at: t.timestamp(),
    updated_at: t.timestamp('Grows at every change; what `if_unchanged` is compared with.'),
    snippet: t.Optional(
      t.String({
        description: 'Only in answers to a search: text around the first hit, as HTML with hits in <mark>.',
        examples: ['Ask about <mark>engines</mark>.'],
      }),
    ),
  },
  { $id: 'Note' },
)

export const ListedNote = t.strict(
  {
    ...Note.properties,
    ...t.optional({
      content: t.String({
        description: 'Absent with `content=false`.',
        examples: ['Ask about [[Engines]].'],
      }),
      edited_at: t.timestamp(
        'Only in answers sorted by it: the last change of title, text, alias, tags or properties by a caller. Consequences of another change, such as a link that a renaming rewrites, do not count.',
      ),
      excerpt: t.String({
        description: 'Only with `excerpt=true`: up to 200 characters of the text without markup.',
        examples: ['Ask about Engines.'],
      }),
    }),
  },
  { $id: 'ListedNote', description: 'A note in a list, with its body unless that is left out.' },
)

const pageOf = <Item extends typeof ListedNote | typeof TrashedNote>(item: Item) =>
  t.response({
    notes: t.Array(item),
    total: t.integer({ description: 'How many there are in all.', examples: [1] }),
    has_more: t.Boolean({
      description:
        'Whether notes follow. A page ends early before its text would be longer than 8 MiB: add the number of notes received to `offset`, not `limit`.',
      examples: [false],
    }),
  })

const TrashedNote = t.strict(
  { id: t.id(), title: t.String({ examples: ['Old plan'] }), deleted_at: t.timestamp() },
  { $id: 'TrashedNote' },
)

const Revision = t.strict(
  {
    id: t.id(),
    created_at: t.timestamp('When the edit happened that replaced this version.'),
    surface: t.String({ description: 'From where the edit came.', examples: ['api'] }),
    title: t.String({ examples: ['Meeting with Ada'] }),
    content: t.String({ examples: ['Ask about'] }),
  },
  { $id: 'Revision', description: 'The title and body that an edit replaced; kept for 7 days.' },
)

const LinkedNote = t.strict({ id: t.id(), title: t.String({ examples: ['Engines'] }) })

export const LinksResponse = t.response({
  outgoing: t.Array(
    t.strict({
      text: t.String({ examples: ['Engines'] }),
      note: t.Union([LinkedNote, t.Null()], { description: 'null when the link is unresolved.' }),
    }),
  ),
  backlinks: t.Array(
    t.strict({
      id: t.id(),
      title: t.String({ examples: ['Meeting with Ada'] }),
      updated_at: t.timestamp(),
      context: t.Optional(
        t.String({
          description: 'Only with `context=true`: text around the link, as HTML with the link in <mark>.',
          examples: ['Ask about <mark>[[Engines]]</mark>.'],
        }),
      ),
    }),
  ),
})

export const LinksQuery = t.strict(
  t.optional({
    context: t.flag({
      description: 'Adds `context` to each backlink: up to 200 characters around it.',
      examples: [true],
    }),
  }),
)

export const MentionsQuery = t.strict(t.paging(MAX_PAGE))

export const MentionsResponse = t.response({
  mentions: t.Array(
    t.strict({
      id: t.id(),
      title: t.String({ examples: ['Meeting with Ada'] }),
      snippet: t.String({
        description: 'Text around the name, as HTML with the name in <mark>.',
        examples: ['Ask about <mark>Engines</mark>.'],
      }),
    }),
  ),
  total: t.integer({ description: 'How many there are in all.', examples: [1] }),
  has_more: t.Boolean({ examples: [false] }),
})

export const NoteResponse = t.response({ note: Note })
export const PatchedNoteResponse = t.response({
  note: Note,
  links_rewritten: t.Optional(
    t.integer({ description: 'With `rewrite_links` alone: how many links were rewritten.', examples: [2] }),
  ),
})
export const NotesResponse = pageOf(ListedNote)
export const ListResponse = t.response({
  notes: t.Array(ListedNote),
  ...t.page('How many there are in all.'),
})
export const TrashResponse = pageOf(TrashedNote)
export const TrashedResponse = t.response({ trashed: t.Boolean({ examples: [true] }), id: t.id() })
export const DeletedNoteResponse = t.deletedResponse()
export const PurgedResponse = t.response({
  purged: t.integer({ description: 'How many notes were deleted.', examples: [3] }),
})
export const RevisionsResponse = t.response({ revisions: t.Array(Revision) })
export const NotePropertiesResponse = t.response({ properties: propertyValues('Values by property key.') })

const PropertiesError = t.strict({
  error: t.String({ examples: ['There is no property "stauts" in this workspace; define it first.'] }),
  code: t.String({ examples: ['refused'] }),
})

export const CreatedNoteResponse = t.response({
  note: Note,
  properties: propertyValues('The values of the note now.'),
  properties_error: t.Union([PropertiesError, t.Null()], {
    description: 'Why no property was written; the note exists all the same.',
  }),
})

const searchText = t.text({
  minLength: 1,
  maxLength: 500,
  description:
    'Full-text search: words are ANDed, "a phrase" keeps order, word* is a prefix, -word excludes.',
  examples: ['engine*'],
})

const searched = {
  search: t.Optional(searchText),
  match: t.Optional(
    t.choice(['any', 'prefix'], {
      description:
        'With `search`: `any` finds notes with at least one of the words, those with most words first; `prefix` treats every word as a prefix. By default notes with all words.',
      examples: ['any'],
    }),
  ),
}

/** The parts of listed notes to return. */
export const shownParts = t.optional({
  content: t.flag({
    description:
      '`false` leaves the bodies out, which is faster, and long notes then do not end the page early.',
    examples: [false],
  }),
  excerpt: t.flag({
    description: 'Adds `excerpt` to each note: its first words without markup.',
    examples: [true],
  }),
})

const sorted = t.optional({
  sort: t.choice(['created_at', 'updated_at', 'edited_at', 'title']),
  direction: t.choice(['asc', 'desc'], { description: 'By default desc for times, asc for title.' }),
})

export const ListQuery = t.strict({
  ...searched,
  tag: t.Optional(t.text({ description: 'Only notes that carry this tag.', examples: ['work'] })),
  ...sorted,
  ...shownParts,
  ...t.paging(MAX_PAGE),
  ...t.cursorPaging(),
})

export const QUERY_DESCRIPTION = `The newest edit comes first; with \`search\`, the best match, unless \`sort\` is given. A tag or a property that does not exist, and an operator that the type does not have, is refused with its place in the tree.

${TREE_OPERATORS_TEXT}`

export const QueryBody = t.strict({
  filter: filterTree(),
  ...searched,
  ...sorted,
  ...shownParts,
  ...t.paging(MAX_PAGE),
})

export const TrashQuery = t.strict(t.paging(MAX_PAGE))

const { limit } = t.paging(MAX_PAGE)
export const RevisionsQuery = t.strict({ limit })

/** The time zone of `{{date}}` and `{{time}}`. */
export const timeZone = () =>
  t.text({
    check: (name) => findTimeZone(name) !== undefined,
    says: 'an IANA time zone such as Europe/Berlin',
    description: 'The time zone of `{{date}}` and `{{time}}`; UTC unless given.',
    examples: ['Europe/Berlin'],
  })

export const CreateBody = t.strict(
  {
    title: title(),
    ...t.optional({
      content: content(),
      tags: tagList('Tags to put on; those that do not exist are created.'),
      alias: alias(),
      aliases: aliases(),
      cover_url: t.coverUrl(),
      properties: propertyValues('Values by property key; all are written or none.'),
      preset: t.text({
        minLength: 1,
        description:
          'The id or name of a preset: its tags and property values are added, and without `content` the note has its text.',
        examples: ['Meeting'],
      }),
      answers: propertyValues('With `preset` alone: values by property key, of those that it asks for.'),
      tz: timeZone(),
    }),
  },
  {
    examples: [
      {
        title: 'Meeting with Ada',
        content: 'Ask about [[Engines]].',
        tags: ['work', 'meeting'],
        properties: { status: 'open' },
      },
    ],
  },
)

export const PatchBody = t.strict(
  t.optional({
    title: title(),
    content: content(),
    alias: alias(),
    aliases: aliases(),
    pinned: t.flag(),
    pin_label: t.nullableText({ minLength: 1, maxLength: 200, singleLine: true, examples: ['Start here'] }),
    cover_url: t.coverUrl(),
    tags: tagList('Tags to add; none is taken off.'),
    rewrite_links: t.flag({
      description:
        'Whether links that lead to this note by a title or alias that changes are rewritten in the notes that hold them. Labels stay. Where the new title or alias would not lead here, the link is by id, with its old text as label; links by an alias that is cleared or removed go to the title.',
      examples: [true],
    }),
    if_unchanged: t.text({
      format: 'date-time',
      description: 'The `updated_at` that was read; the call is refused when the note changed since.',
      examples: ['2026-11-21T09:30:00.000Z'],
    }),
  }),
  { examples: [{ title: 'Meeting with Ada Lovelace', pinned: true }] },
)

export const AppendBody = t.strict({
  text: content(),
  heading: t.Optional(
    t.text({
      minLength: 1,
      maxLength: 500,
      singleLine: true,
      description: 'Stands above the text as "## heading".',
      examples: ['Log'],
    }),
  ),
})

export const EditBody = t.strict({
  old_str: t.text({
    minLength: 1,
    maxLength: MAX_CONTENT,
    description: 'A passage that occurs exactly once.',
    examples: ['Engines'],
  }),
  new_str: t.Optional(
    t.text({ maxLength: MAX_CONTENT, description: 'By default empty.', examples: ['Analytical Engine'] }),
  ),
})

export const TagsBody = t.strict({ tags: tagList('Tags to put on; those that do not exist are created.') })

export const PropertiesBody = propertyValues('Values to set by property key; null clears.')
