import { t } from '../http/schema/types.ts'
import { parseInstant } from '../lib/dates.ts'
import { findTimeZone } from '../lib/time-zones.ts'

export const SHARE_KINDS = ['note', 'view', 'row_view', 'form'] as const
export type ShareKind = (typeof SHARE_KINDS)[number]

const instant = (description: string) => ({
  format: 'date-time' as const,
  check: (value: string) => parseInstant(value) !== undefined,
  says: 'a date and time with offset, such as 2026-12-24T18:00:00Z',
  examples: ['2026-12-24T18:00:00Z'],
  description,
})

const line = (maxLength: number, description: string) =>
  t.Optional(t.text({ minLength: 1, maxLength, singleLine: true, description }))

/** The options of a form; each is optional. */
export const FormOptions = t.strict({
  title: line(200, 'The heading of the page; the name of the structure unless given.'),
  ...t.optional({
    text: t.text({ maxLength: 10_000, description: 'Shown above the fields.' }),
    fields: t.Array(
      t.strict({
        key: t.text({ minLength: 1, maxLength: 63, examples: ['email'] }),
        label: line(500, 'The label of the field unless given.'),
        help: line(500, 'Shown at the field.'),
        required: t.Optional(t.flag({ description: 'Also where the structure does not require it.' })),
      }),
      { minItems: 1, maxItems: 100 },
    ),
    hidden: t.members({ description: 'Values by key that every row gets, and that no page shows.' }),
    prefill: t.flag({ description: 'Whether `?key=value` in the address fills fields in.' }),
    done_text: t.text({ maxLength: 2_000, description: 'Shown once the form was sent.' }),
    closes_at: t.text(instant('From when on nothing is taken.')),
    max_rows: t.integer({ minimum: 1, description: 'How many rows it takes in all.' }),
    per_address_per_day: t.integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'How often one address may send it a day; 100 unless given.',
    }),
    tz: t.text({
      maxLength: 100,
      check: (value) => findTimeZone(value) !== undefined,
      says: 'the name of a time zone, such as Europe/Berlin',
      description: 'In which times of the form are meant; UTC unless given.',
      examples: ['Europe/Berlin'],
    }),
  }),
})

/** The options of a view of rows. */
export const RowViewOptions = t.strict({
  csv: t.Optional(t.flag({ description: 'Whether the rows are also at `/s/<token>.csv`.' })),
})

export const NoOptions = t.strict({})

export const Share = t.strict(
  {
    id: t.id(),
    kind: t.String({ enum: [...SHARE_KINDS], examples: ['note'] }),
    target_id: t.id('Of the note, the view, the view of rows; of a form that of the structure.'),
    name: t.nullable(t.String(), { examples: ['For the printers'] }),
    url: t.nullable(t.String(), {
      description: 'null for callers who cannot write.',
      examples: ['https://notes.example.com/s/0b8dT5mZq1c8Yw2JrVt4Aw'],
    }),
    options: t.Unsafe<object>(t.Object({}, { additionalProperties: true })),
    has_password: t.Boolean({ examples: [false] }),
    expires_at: t.nullable(t.timestamp()),
    created_by: t.strict({ id: t.id(), name: t.String({ examples: ['Ada'] }) }),
    created_at: t.timestamp(),
    last_used_at: t.nullable(t.timestamp()),
    uses: t.integer({ description: 'How many pages were shown.', examples: [12] }),
  },
  { $id: 'Share', description: 'Shows one thing, or asks one thing, without an account.' },
)

export const ListQuery = t.strict(t.paging(200))
export const SharesResponse = t.response({
  shares: t.Array(Share),
  total: t.integer({ examples: [1] }),
  has_more: t.Boolean({ examples: [false] }),
})
export const ShareResponse = t.response({ share: Share })
export const DeletedShareResponse = t.deletedResponse()

const name = t.Optional(
  t.nullableText({
    minLength: 1,
    maxLength: 200,
    singleLine: true,
    isName: true,
    examples: ['For the printers'],
  }),
)
const password = t.Optional(
  t.nullableText({
    minLength: 1,
    maxLength: 200,
    description: 'Required before anything is shown; not for forms.',
  }),
)
const expiresAt = t.Optional(t.nullableText(instant('When it ends; null for never.')))
const options = t.Optional(
  t.members({
    description:
      'Of a form: `title`, `text`, `fields` (`[{key, label, help, required}]`; all if left out), `hidden` (`{key: value}`), `prefill`, `done_text`, `closes_at`, `max_rows`, `per_address_per_day`, `tz`. Of a view of rows: `csv`. Replaced whole.',
    examples: [{}],
  }),
)

export const CreateShareBody = t.strict(
  {
    kind: t.choice(SHARE_KINDS, { examples: ['note'] }),
    target_id: t.text({ minLength: 1, maxLength: 500, examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'] }),
    name,
    password,
    expires_at: expiresAt,
    options,
  },
  { examples: [{ kind: 'note', target_id: '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60' }] },
)

export const PatchShareBody = t.strict(
  { name, password, expires_at: expiresAt, options },
  { examples: [{ expires_at: '2026-12-24T18:00:00Z' }] },
)
