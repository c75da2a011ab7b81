import { api } from '../../../data/api.ts'
import type { Structure } from '../model.ts'
import { bodyOf, type Draft, type FieldDraft, keyOf } from './draft.ts'

/** What a change would do to the rows that are there. */
export interface Forecast {
  /** Whether the server would refuse it. */
  readonly isRefused: boolean
  readonly sentence: string
}

const MAX_BUCKETS = 10_000
const NUMBER = new Intl.NumberFormat()

const rows = (count: number) => (count === 1 ? '1 row' : `${NUMBER.format(count)} rows`)

/** Reads what the rows say about a draft before it is saved. */
export async function forecast(structure: Structure, draft: Draft, signal: AbortSignal): Promise<Forecast[]> {
  const parts = await Promise.all([
    ...draft.fields.map((field) => ofField(structure, field, signal)),
    Promise.resolve(ofRemoved(structure, draft)),
    Promise.resolve(ofLimit(structure, draft)),
    ...bodyOf(draft)
      .unique_together.filter((set) => !structure.unique_together.some((old) => old.join() === set.join()))
      .map((set) => ofSet(structure, set)),
  ])
  return parts.flat()
}

/** Says that uniqueness is judged when it is saved: which rows collide is known to the server alone. */
const ofSet = async ({ record_count }: Structure, set: readonly string[]): Promise<Forecast[]> =>
  record_count < 2
    ? []
    : [
        {
          isRefused: false,
          sentence: `${set.join(' and ')} together must be unique: it is refused when two of the ${rows(record_count)} agree in them.`,
        },
      ]

function ofRemoved({ fields, record_count }: Structure, draft: Draft): Forecast[] {
  if (record_count === 0) return []
  const kept = new Set(draft.fields.map((field) => field.kept?.key))
  return fields
    .filter(({ key }) => !kept.has(key))
    .map(({ label }) => ({
      isRefused: true,
      sentence: `${label} cannot be removed while there are rows; hide it instead.`,
    }))
}

function ofLimit({ record_count }: Structure, { maxRows }: Draft): Forecast[] {
  const limit = Number(maxRows)
  if (maxRows.trim() === '' || limit >= record_count) return []
  return [
    { isRefused: true, sentence: `At most ${limit} rows is refused: there are ${rows(record_count)} now.` },
  ]
}

async function ofField(structure: Structure, field: FieldDraft, signal: AbortSignal): Promise<Forecast[]> {
  const { kept } = field
  if (!kept || structure.record_count === 0) {
    if (field.required && structure.record_count > 0)
      return [
        {
          isRefused: false,
          sentence: `${field.label}: the ${rows(structure.record_count)} that are there have no value yet; new ones need one.`,
        },
      ]
    return []
  }
  const [asked] = bodyOf({ ...EMPTY, fields: [field] }).fields
  if (!asked) return []
  const checks: Promise<Forecast[]>[] = []
  const key = keyOf(field)
  const count = (filter: readonly object[]) => countOf(structure.id, filter, signal)
  if (asked.unique && !kept.unique) checks.push(ofUnique(structure, field, signal))
  if (asked.required && !kept.required)
    checks.push(
      count([{ field: key, op: 'is_empty' }]).then((empty) =>
        says(empty, `${field.label}: ${rows(empty)} without a value stay; new ones need one.`),
      ),
    )
  for (const [bound, op, word] of [
    ['min', 'lt', 'below'],
    ['max', 'gt', 'above'],
  ] as const) {
    const value = asked[bound]
    if (value === null || value === kept[bound] || field.type === 'text') continue
    checks.push(
      count([{ field: key, op, value }]).then((outside) =>
        says(outside, `${field.label}: ${rows(outside)} ${word} ${value} stay until the field is written.`),
      ),
    )
  }
  const options = asked.options
  const isNarrower = options && kept.options?.some((option) => !options.includes(option))
  if (isNarrower)
    checks.push(
      count([
        { field: key, op: 'not_in', value: options.slice(0, 500) },
        { field: key, op: 'not_empty' },
      ]).then((other) =>
        says(other, `${field.label}: ${rows(other)} hold a value that is no longer offered; they stay.`),
      ),
    )
  return (await Promise.all(checks)).flat()
}

const EMPTY: Draft = {
  name: '',
  description: '',
  fields: [],
  labelField: '',
  uniqueTogether: [],
  maxRows: '',
  immutable: false,
}

const says = (count: number, sentence: string): Forecast[] =>
  count === 0 ? [] : [{ isRefused: false, sentence }]

async function countOf(structure: string, filter: readonly object[], signal: AbortSignal): Promise<number> {
  const query = { structure, filter: JSON.stringify(filter), limit: 1 }
  return (await api.get('/v1/records', { query, signal })).total
}

/** Values that occur more than once; of a field with very many values only the server can tell. */
async function ofUnique(structure: Structure, field: FieldDraft, signal: AbortSignal): Promise<Forecast[]> {
  const query = { structure: structure.id, by: keyOf(field) }
  const buckets = await api.get('/v1/records/summary', { query, signal }).then(
    (answer) => answer.buckets,
    () => undefined,
  )
  if (!buckets)
    return [
      {
        isRefused: false,
        sentence: `${field.label}: more than ${NUMBER.format(MAX_BUCKETS)} values; whether two rows agree is judged when you save.`,
      },
    ]
  const twice = buckets.filter(({ value, count }) => value !== null && count > 1)
  const [first] = twice
  if (!first) return []
  const others = twice.length > 1 ? ` and ${NUMBER.format(twice.length - 1)} other values` : ''
  return [
    {
      isRefused: true,
      sentence: `${field.label} cannot be unique: “${String(first.value)}”${others} stand in more than one row.`,
    },
  ]
}
