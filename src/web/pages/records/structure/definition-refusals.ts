import { isDay, parseInstant } from '../../../../lib/dates.ts'
import { isId } from '../../../../lib/ids.ts'
import { fold } from '../../../../lib/text.ts'

interface FieldInput {
  readonly key: string
  readonly type: string
  readonly label: string
  readonly unique: boolean
  readonly min: string | number | null
  readonly max: string | number | null
  readonly options?: readonly string[] | null
}

/** A structure as it would be saved. */
export interface Definition {
  readonly name: string
  readonly fields: readonly FieldInput[]
  readonly label_field: string | null
  readonly unique_together: readonly (readonly string[])[]
  readonly max_rows: number | null
}

interface Before {
  readonly fields: readonly Pick<FieldInput, 'key' | 'type' | 'label' | 'unique'>[]
  readonly unique_together: Definition['unique_together']
  readonly record_count: number
}

/** What a definition is judged by besides itself. */
export interface Surroundings {
  /** The structure as it is; undefined for a new one. */
  readonly before: Before | undefined
  /** Whether it holds rows or ever did, also deleted ones. */
  readonly hadRows: boolean
  /** The names of the other structures. */
  readonly names: readonly string[]
  /** The webhooks of the structure, with the keys of fields that each names. */
  readonly webhooks: readonly { readonly url: string; readonly keys: readonly string[] }[]
}

const KEY = /^[a-z][a-z0-9_]{0,62}$/
const RESERVED = new Set(['id', 'created_at', 'updated_at', 'deleted_at'])
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/
const MOST_FIELDS = 100
const MOST_OPTIONS = 1_000
const MOST_UNIQUE = 200
const NUMBER = new Intl.NumberFormat()

/** Why the server would refuse a definition, whatever the rows hold: one sentence for each reason. */
export function definitionRefusals(after: Definition, around: Surroundings): readonly string[] {
  return [
    ...ofName(after, around),
    ...ofFields(after.fields),
    ...ofLost(after, around),
    ...ofNames(after, around),
    ...ofUnique(after, around),
    ...ofLimit(after, around),
  ]
}

function* ofName({ name }: Definition, { names }: Surroundings): Iterable<string> {
  if (isId(fold(name))) yield 'A name in the form of an id is refused; choose another.'
  const taken = names.find((other) => fold(other) === fold(name))
  if (taken !== undefined) yield `A structure named “${taken}” exists already; choose another name.`
}

function* ofFields(fields: readonly FieldInput[]): Iterable<string> {
  if (fields.length > MOST_FIELDS) yield `A structure has up to ${MOST_FIELDS} fields; remove some.`
  const seen = new Set<string>()
  for (const field of fields) {
    const { key, label } = field
    if (key === '') continue
    if (!KEY.test(key) || RESERVED.has(key))
      yield `${label}: “${key}” cannot be its key, which is a lower-case letter, then up to 62 lower-case letters, digits or “_”; id, created_at, updated_at and deleted_at are taken.`
    if (seen.has(key)) yield `Two fields have the key “${key}”; give each a key of its own.`
    seen.add(key)
    yield* ofBounds(field)
    yield* ofOptions(field)
  }
}

const BOUND_WORDS: Readonly<Record<string, string>> = {
  number: 'a number',
  text: 'a whole number of characters',
  date: 'a day, such as 2026-11-21',
  time: 'a time of day, such as 09:30',
  datetime: 'a date and a time with their offset, such as 2026-11-21T09:30:00Z',
}

const BOUND_TESTS: Readonly<Record<string, (value: string | number) => boolean>> = {
  number: (value) => typeof value === 'number',
  text: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  date: (value) => isDay(String(value)),
  time: (value) => TIME.test(String(value)),
  datetime: (value) => parseInstant(String(value)) !== undefined,
}

function* ofBounds({ label, type, min, max }: FieldInput): Iterable<string> {
  const fits = BOUND_TESTS[type] ?? (() => true)
  const wrong = [min, max].find((bound) => bound !== null && !fits(bound))
  if (wrong !== undefined) yield `${label}: “${wrong}” is no bound; give ${BOUND_WORDS[type]}.`
  else if (min !== null && max !== null && rank(type, min) > rank(type, max))
    yield `${label}: no value is at least ${min} and at most ${max}; change one of them.`
}

const rank = (type: string, bound: string | number): string | number =>
  type === 'datetime'
    ? Number(parseInstant(String(bound)))
    : type === 'time'
      ? `${bound}:00`.slice(0, 8)
      : bound

function* ofOptions({ label, options }: FieldInput): Iterable<string> {
  if (!options) return
  const twice = options.find((option, place) => options.indexOf(option) < place)
  if (twice !== undefined) yield `${label} has the value “${twice}” twice; name each once.`
  if (options.length > MOST_OPTIONS)
    yield `${label} has more than ${NUMBER.format(MOST_OPTIONS)} values; use a structure of its own for them.`
}

/** A field that is gone, or has another key or type. */
function* ofLost(
  { fields, label_field, unique_together }: Definition,
  around: Surroundings,
): Iterable<string> {
  const { before, hadRows, webhooks } = around
  for (const { key, type, label } of before?.fields ?? []) {
    if (fields.some((field) => field.key === key && field.type === type)) continue
    if (hadRows) {
      yield `${label} cannot be removed, renamed or given another type, because there are rows or were some; hide it instead.`
      continue
    }
    const users = [
      ...(label_field === key ? ['the field that names a row'] : []),
      ...(unique_together.some((set) => set.includes(key)) ? ['the fields that are unique together'] : []),
      ...webhooks.filter(({ keys }) => keys.includes(key)).map(({ url }) => `the webhook to ${url}`),
    ]
    if (users.length > 0)
      yield `${label} cannot be removed, renamed or given another type: it is used by ${users.join(', ')}; change that first.`
  }
}

/** Fields that are named and not there, unless they are among the lost ones. */
function* ofNames(
  { fields, label_field, unique_together }: Definition,
  { before }: Surroundings,
): Iterable<string> {
  const isThere = (key: string) =>
    fields.some((field) => field.key === key) || before?.fields.some((field) => field.key === key)
  if (label_field !== null && !isThere(label_field))
    yield `The field that names a row, “${label_field}”, is not there; choose another.`
  const seen = new Set<string>()
  for (const set of unique_together) {
    for (const key of set)
      if (!isThere(key)) yield `“${key}”, of the fields that are unique together, is not there; take it out.`
    const name = set.toSorted().join(' ')
    if (seen.has(name)) yield `${set.join(' and ')} are unique together twice; remove one of the sets.`
    seen.add(name)
  }
}

const countUnique = ({ fields, unique_together }: Pick<Before, 'fields' | 'unique_together'>): number =>
  fields.filter(({ unique }) => unique).length + unique_together.flat().length

function* ofUnique(after: Definition, { before }: Surroundings): Iterable<string> {
  const count = countUnique(after)
  if (count > Math.max(MOST_UNIQUE, before ? countUnique(before) : 0))
    yield `The unique fields and those that are unique together are ${NUMBER.format(count)} in all, of which a structure has up to ${MOST_UNIQUE}; remove some.`
}

function* ofLimit({ max_rows }: Definition, { before }: Surroundings): Iterable<string> {
  if (max_rows === null) return
  if (!Number.isSafeInteger(max_rows) || max_rows < 1)
    yield 'The most rows that there may be is a whole number from 1 on; leave it empty for no limit.'
  else if (before && max_rows < before.record_count)
    yield `At most ${NUMBER.format(max_rows)} rows is refused: there are ${NUMBER.format(before.record_count)} now; delete rows first.`
}
