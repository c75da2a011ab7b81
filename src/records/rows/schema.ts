import { DATE_ORDERS } from '../../filter/record/cell-format.ts'
import { cursor, Version } from '../../http/schema/changes.ts'
import { searchText } from '../../http/schema/conditions.ts'
import { RECORD_OPERATORS_TEXT } from '../../http/schema/operator-tables.ts'
import { t } from '../../http/schema/types.ts'
import { fieldKey, SentField, Structure, structureName } from '../structures/schema.ts'

export const PERIODS = ['day', 'week', 'month', 'year'] as const

const MAX_PAGE = 500
const MAX_ROWS = 500

const BOOK = { title: 'Middlemarch', pages: 880, status: 'read', finished: '2026-11-20' }

const data = (description: string) => t.members({ description, examples: [BOOK] })

export const RecordObject = t.strict(
  {
    id: t.id(),
    data: data('The values by field key; a field without a value is absent.'),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
    deleted_at: t.nullable(t.timestamp(), {
      description: 'Null while the row lives.',
      examples: [null],
    }),
  },
  { $id: 'Record' },
)

const expanded = t.optional({
  expanded: t.Record(
    t.String(),
    t.strict(
      {
        kind: t.String({ enum: ['record', 'note', 'file', 'user'], examples: ['record'] }),
        label: t.nullable(t.String(), {
          description: 'The label field, title, file name or name of a member.',
          examples: ['Ada'],
        }),
        structure_id: t.Optional(t.id('For records.')),
        data: t.Optional(data('For records: the values by field key.')),
      },
      { $id: 'ExpandedObject' },
    ),
    { description: 'With `expand`: the objects by id, each once; those out of reach are absent.' },
  ),
  expanded_truncated: t.Literal(true, { description: 'Set when there are more than 1,000 objects.' }),
})
const expand = t.Optional(
  t.text({
    description:
      'Up to 5 paths of `record`, `note`, `file` and `user` fields, separated by commas, each of one or two fields: `author,publisher.country`. The objects that they name are in `expanded`.',
  }),
)

export const RecordsResponse = t.response({
  records: t.Array(RecordObject),
  ...t.page('Rows that match, on all pages.'),
  ...expanded,
})
export const RecordResponse = t.response({ record: RecordObject })
export const FoundRecordResponse = t.response({ record: RecordObject, structure_id: t.id(), ...expanded })
export const FoundRecordQuery = t.strict({ expand })
export const DeletedRecordResponse = t.deletedResponse()
export const WrittenResponse = t.response({
  written: t.integer({ description: 'Rows inserted and updated.', examples: [1] }),
  inserted: t.integer({ examples: [1] }),
  updated: t.integer({ examples: [0] }),
  records: t.Array(RecordObject, { description: 'In the order sent.' }),
})

const nullableNumber = (description: string) => t.nullable(t.Number(), { description, examples: [3] })

export const SummaryResponse = t.response({
  buckets: t.Array(
    t.strict(
      {
        period: t.nullable(t.String(), {
          description: 'The first day of the period; null without one, and outside the years 0001 to 9999.',
          examples: ['2026-11-01'],
        }),
        value: t.Union([t.String(), t.Number(), t.Boolean(), t.Null()], {
          description: 'The value of `by`.',
          examples: ['open'],
        }),
        count: t.integer({ description: 'Rows.', examples: [2] }),
        sum: nullableNumber('Over rows with a value in `field`; 0 when there are none.'),
        average: nullableNumber('Over rows with a value in `field`.'),
        min: nullableNumber('Over rows with a value in `field`.'),
        max: nullableNumber('Over rows with a value in `field`.'),
      },
      { $id: 'Bucket' },
    ),
  ),
})

const filter = () =>
  t.text({
    description: 'A JSON list of `{field, op, value}`, all of which must hold.',
    examples: ['[{"field":"pages","op":"gt","value":500}]'],
  })

const sort = () =>
  t.text({ description: 'A field key, `created_at` or `updated_at`.', examples: ['finished'] })
const direction = () => t.choice(['asc', 'desc'], { description: '`desc` unless given.' })

export const LIST_DESCRIPTION = `Rows without a value in the field that orders them come last in both directions. With \`deleted=true\`: the deleted rows, most recently deleted first, which \`POST /v1/records/{id}/restore\` brings back. A page of more than 64 million characters ends early, with \`has_more: true\`; \`total\` and \`offset\` stay exact.

${RECORD_OPERATORS_TEXT} In the query the list is written as JSON.`

/** Selects the rows of a structure, of a row view, or of both. */
const rowsNamed = t.optional({
  structure: t.text({
    minLength: 1,
    description: 'The id or the name of a structure; required without `view`.',
    examples: ['Books'],
  }),
  view: t.text({
    minLength: 1,
    description:
      'The id of a view of rows: its filter holds beside `filter`; its search, sort and direction count where the request has none.',
  }),
  filter: filter(),
  search: searchText(),
})
const inOrder = { ...rowsNamed, sort: t.Optional(sort()), direction: t.Optional(direction()) }

export const ListQuery = t.strict({
  ...inOrder,
  deleted: t.Optional(
    t.flag({
      description:
        'Whether to list the deleted rows instead, most recently deleted first; only `structure`, `limit`, and `offset` or `cursor` go with it.',
      examples: [false],
    }),
  ),
  expand,
  ...t.paging(MAX_PAGE),
  ...t.cursorPaging(),
})

const { limit } = t.paging(MAX_PAGE)

export const WatchQuery = t.strict({
  ...inOrder,
  limit,
  expand,
  changes: t.Optional(t.flag({ description: 'Whether answers after the first say what changed.' })),
})

export const WATCH_DESCRIPTION = `Server-Sent Events, without end; \`GET /v1/records\` runs the same query once, and its description has the operators of \`filter\`. Read the stream with a client that shows what arrives while it arrives:

    curl -N -H 'Authorization: Bearer dbk_…' 'http://127.0.0.1:8787/v1/records/watch?structure=Books'

In a browser: \`new EventSource('/v1/records/watch?structure=Books&access_token=dbk_…')\`. "Try it" on this page shows the first answer and ends the stream.

The data of the events is JSON:

- \`answer\`: \`{structure: {id, name, fields}, records, total, has_more, expanded, changes}\`, at once and after changes, which are merged over 250 ms. \`expanded\` is there with \`expand\`. \`changes\` is there with \`changes=true\`, from the second answer on: \`{created, updated, removed}\`, records that came into the page, records in it that changed, and the ids of those that left it. An answer equal to the last is not sent.
- \`problem\`: \`{error, code}\`; one answer failed, the stream stays open.
- \`closed\`: \`{error, code}\`; the stream ends, for \`key_revoked\`, \`key_expired\`, \`access_changed\`, \`structure_deleted\` or \`shutting_down\`.

The comment \`: alive\` comes every 25 seconds. An answer is one line: with \`limit=500\` it is longer than the 64 KiB that clients which read with Go's \`bufio.Scanner\` allow by default; give the scanner a larger buffer, or ask for fewer rows. The server ends the stream of a reader with 1 MiB unread. The first answer to a client that comes back with \`Last-Event-ID\` has \`resumed\`: \`true\` when it misses nothing, and then, with \`changes=true\`, what changed since the answer with that id; \`false\` when that answer is no longer known, and then \`changes\` come from the second answer on.`

export const WatchStream = t.eventStreamText([
  'retry: 2000',
  'id: 5d0c7e91ab34-1-a3f09c1d77be-2q8xk0m4v1t7c',
  'event: answer',
  'data: {"structure":{"id":"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60","name":"Books","fields":[]},"records":[],"total":0,"has_more":false}',
  '',
  ': alive',
  '',
])

export const SummaryQuery = t.strict({
  ...rowsNamed,
  ...t.optional({
    field: t.text({ description: 'A number field to add up.', examples: ['pages'] }),
    period: t.choice(PERIODS),
    by: t.text({ description: 'One bucket for each value of this field.', examples: ['status'] }),
    date: t.text({
      description: 'The date of a row: a date or datetime field, `created_at` (the default) or `updated_at`.',
      examples: ['finished'],
    }),
    tz: t.text({ description: 'An IANA time zone; `UTC` unless given.', examples: ['Europe/Berlin'] }),
  }),
})

const cards = {
  limit: t.integer({
    minimum: 1,
    maximum: 200,
    description: 'Cards of each column; 50 unless given.',
    examples: [50],
  }),
}

export const BoardQuery = t.strict({
  ...inOrder,
  ...t.optional({
    group_by: t.text({
      description: 'A `select` or `bool` field, whose values are the columns; that of the view unless given.',
      examples: ['status'],
    }),
    ...cards,
  }),
})

export const DaysQuery = t.strict({ ...inOrder, date: t.text(), ...t.optional({ tz: t.text(), ...cards }) })

export const BoardResponse = t.response({
  columns: t.Array(
    t.strict(
      {
        value: t.Union([t.String(), t.Boolean(), t.Null()], { examples: ['open'] }),
        total: t.integer({ description: 'Rows of the column, exactly.', examples: [1] }),
        records: t.Array(RecordObject),
        has_more: t.Boolean({ examples: [false] }),
      },
      { $id: 'BoardColumn' },
    ),
  ),
  total: t.integer({ description: 'Rows of all columns.', examples: [1] }),
})

const row = data('The values by field key.')
const onConflict = t.Optional(
  t.choice(['refuse', 'update'], {
    description: 'How to treat a row that collides with another; `refuse` unless given.',
  }),
)
const rows = t.Array(t.strict({ data: row }), {
  minItems: 1,
  maxItems: MAX_ROWS,
  description: 'Several rows, written whole or not at all.',
})

const WriteRow = t.strict(
  { structure: structureName(), data: row, on_conflict: onConflict },
  { $id: 'WriteRow', description: 'One row.' },
)
const WriteRows = t.strict(
  { structure: structureName(), rows, on_conflict: onConflict },
  { $id: 'WriteRows', description: 'A batch of rows.' },
)

/** Either `data` or `rows`: the service refuses both and neither with its own message. */
export const WriteBody = t.strict(
  { structure: structureName(), data: t.Optional(row), rows: t.Optional(rows), on_conflict: onConflict },
  { oneOf: [WriteRow, WriteRows], examples: [{ structure: 'Books', data: BOOK }] },
)

export const PatchBody = t.strict(
  {
    data: data('Merged into the row; null takes a value away.'),
    if_unchanged: t.Optional(
      t.text({
        format: 'date-time',
        description: 'The `updated_at` that was read; the call is refused when the row changed since.',
        examples: ['2026-11-21T09:30:00.000Z'],
      }),
    ),
  },
  { examples: [{ data: { pages: 904 } }] },
)

export const HistoryQuery = t.strict({
  limit: t.Optional(t.integer({ minimum: 1, maximum: 200, description: '50 unless given.', examples: [50] })),
  before: t.Optional(cursor('The cursor of a version; only older ones follow.')),
})

export const HistoryResponse = t.response({
  versions: t.Array(Version),
  has_more: t.Boolean({ examples: [false] }),
})

export const RevertBody = t.strict({
  to: cursor('The cursor of a change of this row, as its history has it.'),
})

const { type, label, options, multiple } = SentField.properties

export const ConvertBody = t.strict(
  {
    field: t.text({
      minLength: 1,
      description: 'The key of the field whose values are read.',
      examples: ['pages'],
    }),
    key: fieldKey(),
    type,
    options,
    label,
    multiple,
    date_format: t.Optional(
      t.choice(DATE_ORDERS, {
        description: 'The order of day, month and year; by default the one that all fit.',
      }),
    ),
    decimal: t.Optional(
      t.choice(['.', ','], { description: 'The decimal sign; by default the one that all values fit.' }),
    ),
    dry_run: t.Optional(t.flag({ description: 'Says what would be; writes nothing.' })),
  },
  { examples: [{ field: 'pages', key: 'pages_text', type: 'text' }] },
)

export const ConvertedResponse = t.response({
  structure: Structure,
  converted: t.integer({ description: 'Rows that have a value in the new field.', examples: [1] }),
  empty: t.integer({ description: 'Rows without a value in the old one.', examples: [0] }),
  failed: t.integer({ description: 'Rows whose value could not be read.', examples: [0] }),
  failures: t.Array(
    t.strict({
      record_id: t.id(),
      value: t.Union([t.String(), t.Number(), t.Boolean(), t.Array(t.String())], {
        examples: ['about 300'],
      }),
    }),
    { description: 'The first 200 of them.', examples: [[]] },
  ),
})
