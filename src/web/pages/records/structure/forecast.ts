import { api } from '../../../data/api.ts'
import { cache } from '../../../data/cache.ts'
import type { Row, RowPage, Structure } from '../model.ts'
import { editText } from '../values.ts'
import { definitionRefusals, type Surroundings } from './definition-refusals.ts'
import { bodyOf, type Draft, type FieldDraft, keyOf } from './draft.ts'

/** What a change would do to the rows that are there. */
export interface Forecast {
  /** Whether the server would refuse it. */
  readonly isRefused: boolean
  readonly sentence: string
}

const MAX_BUCKETS = 10_000
/** The values of up to this many rows are compared here. */
const MOST_COMPARED = 5_000
const PAGE = 500
const NUMBER = new Intl.NumberFormat()

const rows = (count: number) => (count === 1 ? '1 row' : `${NUMBER.format(count)} rows`)

/** Says what saving a draft would do: what the server would refuse of it, and what it means for rows that stay. */
export async function forecast(
  structure: Structure | undefined,
  draft: Draft,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Forecast[]> {
  const body = bodyOf(draft)
  const refused = definitionRefusals(body, around).map((sentence) => ({ isRefused: true, sentence }))
  if (!structure) return refused
  const sets = body.unique_together.filter(
    (set) => !structure.unique_together.some((old) => isSameSet(old, set)),
  )
  const ofRows = await Promise.all([
    ...draft.fields.map((field) => ofField(structure, field, signal)),
    ...sets.map((set) => ofSet(structure, set)),
  ])
  return [...refused, ...ofRows.flat()]
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.toSorted().join() === other.toSorted().join()

/** Values that several rows share; of very many rows, whether there are any is known to the server alone. */
async function ofSet(structure: Structure, set: readonly string[]): Promise<Forecast[]> {
  const { record_count, fields } = structure
  if (record_count < 2) return []
  const names = set.map((key) => fields.find((field) => field.key === key)?.label ?? key).join(' and ')
  if (record_count > MOST_COMPARED)
    return [
      {
        isRefused: false,
        sentence: `${names} together must be unique: it is refused when two of the ${rows(record_count)} agree in them.`,
      },
    ]
  const shared = sharedValues(await allRows(structure.id), set)
  return shared === undefined
    ? []
    : [
        {
          isRefused: true,
          sentence: `${names} cannot be unique together: “${shared}” is in more than one row.`,
        },
      ]
}

/** The first values that two rows have in all of these fields. */
function sharedValues(all: readonly Row[], set: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (const { data } of all) {
    const values = set.map((key) => data[key])
    if (values.includes(undefined)) continue
    const text = JSON.stringify(values)
    if (seen.has(text)) return values.map(editText).join(', ')
    seen.add(text)
  }
  return undefined
}

/** All rows, until one of them changes. */
const allRows = (structure: string): Promise<readonly Row[]> =>
  cache.fetchQuery({
    queryKey: ['record', 'all', structure],
    queryFn: async ({ signal }) => {
      const found: Row[] = []
      for (;;) {
        const query = { structure, direction: 'asc', limit: PAGE, offset: found.length } as const
        const page = (await api.get('/v1/records', { query, signal })) as RowPage
        found.push(...page.records)
        if (!page.has_more) return found
      }
    },
  })

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
  const others =
    twice.length > 2
      ? ` and ${NUMBER.format(twice.length - 1)} other values are`
      : twice.length > 1
        ? ' and another value are'
        : ' is'
  return [
    {
      isRefused: true,
      sentence: `${field.label} cannot be unique: “${String(first.value)}”${others} in more than one row.`,
    },
  ]
}
