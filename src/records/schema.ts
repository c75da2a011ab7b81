import { t } from 'elysia'
import {
  choice,
  eventStreamText,
  flag,
  id,
  integer,
  members,
  paging,
  response,
  strict,
  text,
  timestamp,
} from '../http/schema/types.ts'
import { PERIODS } from './query/periods.ts'

const MAX_PAGE = 500
const MAX_ROWS = 500

const data = (description: string) =>
  members({
    description,
    examples: [{ title: 'Middlemarch', pages: 880, finished: '2026-11-20' }],
  })

export const RecordObject = strict(
  {
    id: id(),
    data: data('The values by field key; a field without a value is absent.'),
    created_at: timestamp(),
    updated_at: timestamp(),
    deleted_at: t.Union([timestamp('Null while the row lives.'), t.Null()]),
  },
  { $id: 'Record' },
)

export const RecordsResponse = response({
  records: t.Array(RecordObject),
  total: integer({ description: 'Rows that match, on all pages.', examples: [1] }),
  has_more: t.Boolean({ description: 'Whether there are rows beyond this page.' }),
})
export const RecordResponse = response({ record: RecordObject })
export const FoundRecordResponse = response({ record: RecordObject, structure_id: id() })
export const DeletedRecordResponse = response({ deleted: t.Boolean({ examples: [true] }), id: id() })
export const WrittenResponse = response({
  written: integer({ description: 'Rows inserted and updated.', examples: [1] }),
  inserted: integer({ examples: [1] }),
  updated: integer({ examples: [0] }),
  records: t.Array(RecordObject, { description: 'In the order sent.' }),
})

const nullableNumber = (description: string) =>
  t.Union([t.Number(), t.Null()], { description, examples: [3] })

export const SummaryResponse = response({
  buckets: t.Array(
    strict(
      {
        period: t.Union([t.String(), t.Null()], {
          description: 'The first day of the period.',
          examples: ['2026-11-01'],
        }),
        value: t.Union([t.String(), t.Number(), t.Boolean(), t.Null()], {
          description: 'The value of `by`.',
          examples: ['open'],
        }),
        count: integer({ description: 'Rows.', examples: [2] }),
        sum: nullableNumber('Over rows with a value in `field`; 0 when there are none.'),
        average: nullableNumber('Over rows with a value in `field`.'),
        min: nullableNumber('Over rows with a value in `field`.'),
        max: nullableNumber('Over rows with a value in `field`.'),
      },
      { $id: 'Bucket' },
    ),
  ),
})

const structure = () =>
  text({ minLength: 1, description: 'The id or the name of a structure.', examples: ['Books'] })
const filter = () =>
  text({
    description: 'A JSON list of `{field, op, value}`, all of which must hold.',
    examples: ['[{"field":"pages","op":"gt","value":500}]'],
  })

const sort = () => text({ description: 'A field key, `created_at` or `updated_at`.', examples: ['finished'] })
const direction = () => choice(['asc', 'desc'], { description: '`desc` unless given.' })

export const ListQuery = strict({
  structure: structure(),
  filter: t.Optional(filter()),
  sort: t.Optional(sort()),
  direction: t.Optional(direction()),
  ...paging(MAX_PAGE),
})

const { limit } = paging(MAX_PAGE)

export const WatchQuery = strict({
  structure: structure(),
  filter: t.Optional(filter()),
  sort: t.Optional(sort()),
  direction: t.Optional(direction()),
  limit,
  changes: t.Optional(flag({ description: 'Whether answers after the first say what changed.' })),
})

export const WATCH_DESCRIPTION = `Server-Sent Events, without end. Their data is JSON:

- \`answer\`: \`{structure: {id, name, fields}, records, total, has_more, changes}\`, at once and after changes, which are merged over 250 ms. \`changes\` is there with \`changes=true\`, from the second answer on: \`{created, updated, removed}\`, records that came into the page, records in it that changed, and the ids of those that left it. An answer equal to the last is not sent.
- \`problem\`: \`{error, code}\`; one answer failed, the stream stays open.
- \`closed\`: \`{error, code}\`; the stream ends, for \`key_revoked\`, \`key_expired\`, \`structure_deleted\` or \`shutting_down\`.

The comment \`: alive\` comes every 25 seconds. A reader for whom 1 MiB is waiting is cut off. A client that comes back with \`Last-Event-ID\` and \`changes=true\` is told in the first answer what changed meanwhile, as long as that is known.`

export const WatchStream = eventStreamText([
  'retry: 2000',
  '',
  'id: 5d0c7e91ab34-1',
  'event: answer',
  'data: {"structure":{"id":"01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60","name":"Books","fields":[]},"records":[],"total":0,"has_more":false}',
  '',
  ': alive',
  '',
])

export const SummaryQuery = strict({
  structure: structure(),
  field: t.Optional(text({ description: 'A number field to add up.', examples: ['pages'] })),
  period: t.Optional(choice(PERIODS)),
  by: t.Optional(text({ description: 'One bucket for each value of this field.', examples: ['status'] })),
  date: t.Optional(
    text({
      description: 'What dates a row: a date or datetime field, `created_at` (the default) or `updated_at`.',
      examples: ['finished'],
    }),
  ),
  tz: t.Optional(
    text({ description: 'An IANA time zone; `UTC` unless given.', examples: ['Europe/Berlin'] }),
  ),
  filter: t.Optional(filter()),
})

export const WriteBody = strict(
  {
    structure: structure(),
    data: t.Optional(data('One row; either this or `rows`.')),
    rows: t.Optional(
      t.Array(strict({ data: data('The row.') }), {
        minItems: 1,
        maxItems: MAX_ROWS,
        description: 'Several rows, written whole or not at all.',
      }),
    ),
    on_conflict: t.Optional(
      choice(['refuse', 'update'], {
        description: 'What happens to a row that collides with another; `refuse` unless given.',
      }),
    ),
  },
  { examples: [{ structure: 'Books', data: { title: 'Emma', pages: 474 } }] },
)

export const PatchBody = strict({
  data: data('Merged into the row; null takes a value away.'),
  if_unchanged: t.Optional(
    text({
      description: 'The `updated_at` that was read; the call is refused when the row changed since.',
      examples: ['2026-11-21T09:30:00.000Z'],
    }),
  ),
})
