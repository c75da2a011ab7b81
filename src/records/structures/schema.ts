import { FIELD_TYPES } from '../../filter/record/field-types.ts'
import { t } from '../../http/schema/types.ts'
import { RESULT_TYPES } from '../../lib/formula/values.ts'
import { FORMAT_STYLES } from './formats.ts'
import { ROLLUP_FUNCTIONS } from './rollups.ts'

export const MAX_FIELDS = 100
export const MAX_OPTIONS = 1_000
export const MAX_SETS = 50
export const RESERVED_KEYS: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at', 'deleted_at'])

/** A parameter or member with the name or id of an existing structure. */
export const structureName = () =>
  t.text({ minLength: 1, description: 'The id or the name of a structure.', examples: ['Books'] })

const bound = (description: string) =>
  t.Union([t.Number(), t.String({ maxLength: 100 }), t.Null()], { description, examples: [0] })

const decimals = () =>
  t.integer({ minimum: 0, maximum: 8, description: 'Digits after the decimal point.', examples: [2] })
const STYLES = 'For `number`: plain, grouped, percent, currency; for `text`: url, email, phone, long.'

const Format = t.strict({
  style: t.String({ enum: [...FORMAT_STYLES], description: STYLES, examples: ['currency'] }),
  decimals: t.Optional(decimals()),
  currency: t.Optional(t.String({ description: 'With the style `currency`.', examples: ['EUR'] })),
})

const Field = t.strict(
  {
    key: t.String({ examples: ['due'] }),
    type: t.String({ enum: [...FIELD_TYPES], examples: ['date'] }),
    expression: t.Optional(t.String({ description: 'For `formula`.', examples: ['{price} * {count}'] })),
    result: t.Optional(
      t.String({
        enum: [...RESULT_TYPES],
        description: 'The type of the values of a `formula`.',
        examples: ['number'],
      }),
    ),
    via: t.Optional(t.strict({ structure: t.id(), field: t.String() }, { description: 'For `rollup`.' })),
    function: t.Optional(t.String({ enum: [...ROLLUP_FUNCTIONS] })),
    field: t.Optional(t.String()),
    computing: t.Optional(
      t.Literal(true, { description: 'While the values of existing rows are computed.' }),
    ),
    label: t.String({ description: 'The key when none was given.', examples: ['Due'] }),
    required: t.Boolean(),
    unit: t.nullable(t.String({ description: 'For display.', examples: ['kg'] })),
    hidden: t.Boolean(),
    unique: t.Boolean(),
    min: bound('Least number or day, or fewest characters of a text.'),
    max: bound('Greatest number or day, or most characters of a text.'),
    options: t.nullable(t.Array(t.String()), { description: 'For `select`.' }),
    structure: t.nullable(t.id('For `record`: the structure whose rows it names.')),
    format: t.Optional(Format),
    multiple: t.Optional(t.Literal(true, { description: 'A value is an array.' })),
  },
  { $id: 'Field' },
)

export const Structure = t.strict(
  {
    id: t.id('Never changes; use it in anything long-lived.'),
    name: t.String({ examples: ['Books'] }),
    description: t.nullable(t.String({ examples: ['Books I have read'] })),
    fields: t.Array(Field),
    label_field: t.nullable(t.String({ examples: ['title'] })),
    unique_together: t.Array(t.Array(t.String()), { examples: [[['title', 'author']]] }),
    max_rows: t.nullable(t.integer(), { description: '1 makes a settings object.' }),
    immutable: t.Boolean(),
    icon: t.Optional(t.String({ description: 'Absent without one.', examples: ['book'] })),
    color: t.Optional(t.String({ description: 'Absent without one.', examples: ['#1E90FF'] })),
    record_count: t.integer({ description: 'Live rows; absent for who may not read them.', examples: [12] }),
    created_at: t.timestamp(),
    updated_at: t.timestamp(),
  },
  { $id: 'Structure' },
)

export const StructuresResponse = t.response({ structures: t.Array(Structure) })
export const StructureResponse = t.response({ structure: Structure })

export const PatchedStructureResponse = t.response({
  structure: Structure,
  refusals: t.Optional(
    t.Array(
      t.strict({
        error: t.String(),
        code: t.String({ examples: ['refused'] }),
        field: t.nullable(
          t.String({ description: 'The key of the field that it is about.', examples: ['due'] }),
        ),
      }),
      { description: 'With `dry_run`: everything that would be refused; `structure` is then as it was.' },
    ),
  ),
})

const name = () =>
  t.text({ minLength: 1, maxLength: 500, singleLine: true, isName: true, examples: ['Books'] })
export const fieldKey = () =>
  t.text({
    pattern: '^[a-z][a-z0-9_]{0,62}$',
    check: (key) => !RESERVED_KEYS.has(key),
    says: 'a key: a lower-case letter, then up to 62 lower-case letters, digits or "_"; "id", "created_at", "updated_at" and "deleted_at" are reserved',
    examples: ['due'],
  })

const SentFormat = t.strict(
  {
    style: t.choice(FORMAT_STYLES, { description: STYLES, examples: ['currency'] }),
    decimals: t.Optional(decimals()),
    currency: t.Optional(
      t.text({ pattern: '^[A-Z]{3}$', says: 'a currency code of three capital letters', examples: ['EUR'] }),
    ),
  },
  { description: 'How clients show the values; null clears. `url` and `email` are checked when written.' },
)

export const SentField = t.strict({
  key: fieldKey(),
  type: t.choice(FIELD_TYPES, { examples: ['date'] }),
  ...t.optional({
    label: t.nullableText({ minLength: 1, maxLength: 500, singleLine: true, examples: ['Due'] }),
    required: t.flag({ description: 'Every row written from now on needs a value.' }),
    unit: t.nullableText({ minLength: 1, maxLength: 50, examples: ['kg'] }),
    hidden: t.flag(),
    unique: t.flag({ description: 'No two live rows hold the same value.' }),
    min: bound('Least number or day, or fewest characters of a text; null for none.'),
    max: bound('Greatest number or day, or most characters of a text; null for none.'),
    options: t.Union(
      [t.Array(t.text({ minLength: 1, maxLength: 500 }), { maxItems: MAX_OPTIONS }), t.Null()],
      {
        description: 'The values of a `select`; without any, every text is allowed.',
        examples: [['open', 'done']],
      },
    ),
    expression: t.text({
      minLength: 1,
      maxLength: 2_000,
      description: 'For `formula`: computes the value from other fields of the row.',
      examples: ['ROUND({price} * {count}, 2)'],
    }),
    via: t.strict(
      { structure: t.text({ minLength: 1, maxLength: 500, examples: ['Orders'] }), field: fieldKey() },
      { description: 'For `rollup`: the `record` field of a structure whose rows point here.' },
    ),
    function: t.choice(ROLLUP_FUNCTIONS, { description: 'For `rollup`.', examples: ['sum'] }),
    field: t.text({
      minLength: 1,
      maxLength: 63,
      description: 'For `rollup`: the field whose values count; none for `count`.',
      examples: ['amount'],
    }),
    result: t.choice(RESULT_TYPES, { description: 'Ignored: the server infers it.' }),
    computing: t.flag({ description: 'Ignored: the server sets it.' }),
    structure: t.nullableText({
      minLength: 1,
      maxLength: 500,
      description: 'For `record`: the name or id of the structure whose rows it may name.',
    }),
    format: t.Union([SentFormat, t.Null()]),
    multiple: t.flag({
      description:
        'A value is an array of 1 to 100 different values; for select, note, file, record and user.',
    }),
  }),
})

const fields = () =>
  t.Array(SentField, { maxItems: MAX_FIELDS, examples: [[{ key: 'title', type: 'text', required: true }]] })
const uniqueTogether = () =>
  t.Array(t.Array(t.String(), { minItems: 2, maxItems: MAX_FIELDS }), {
    maxItems: MAX_SETS,
    description: 'Sets of fields whose values together no two live rows share.',
    examples: [[['title', 'author']]],
  })
const labelField = () => t.nullableText({ description: 'The field that names a row.', examples: ['title'] })
const maxRows = () =>
  t.Unsafe<number | null>(
    t.integer({ minimum: 1, nullable: true, description: '1 makes a settings object; null for no limit.' }),
  )
const description = () => t.nullableText({ maxLength: 10_000, description: 'null clears.' })

const BOOKS = {
  name: 'Books',
  fields: [
    { key: 'title', type: 'text', required: true },
    { key: 'pages', type: 'number', min: 1 },
    { key: 'status', type: 'select', options: ['to read', 'reading', 'read'] },
    { key: 'finished', type: 'date' },
  ],
  label_field: 'title',
}

export const CreateStructureBody = t.strict(
  {
    name: name(),
    fields: fields(),
    description: t.Optional(description()),
    label_field: t.Optional(labelField()),
    unique_together: t.Optional(uniqueTogether()),
    max_rows: t.Optional(maxRows()),
    immutable: t.Optional(t.flag({ description: 'Rows are written and deleted, never edited.' })),
    icon: t.Optional(t.icon()),
    color: t.Optional(t.color()),
  },
  { examples: [BOOKS] },
)

export const PatchStructureBody = t.strict(
  t.optional({
    name: name(),
    fields: fields(),
    description: description(),
    label_field: labelField(),
    unique_together: uniqueTogether(),
    max_rows: maxRows(),
    immutable: t.flag(),
    icon: t.icon(),
    color: t.color(),
    dry_run: t.flag({
      description: 'Answers what the structure would be and what would be refused; writes nothing.',
    }),
  }),
  { examples: [{ description: 'Books I have read.', max_rows: 10_000 }] },
)

/** The body of a deletion in the application: the repeated name of the structure. */
export const StructureName = t.strict({ name: t.String() })
export const StructureDeleted = t.response({ deleted: t.Literal(true), id: t.id() })
