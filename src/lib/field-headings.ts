import { withoutProtection } from './csv-cells.ts'
import { fold } from './text.ts'

/*
 * The names of columns in exported tables, and how imports find fields by them. Names are unique ignoring case, as
 * SQLite needs them.
 */

/** Whether columns are named by the labels of fields or by their keys. */
export type Headings = 'label' | 'key'

export interface NamedField {
  readonly key: string
  /** Null, or equal to the key, for a field without a label. */
  readonly label: string | null
}

/** The columns that exports add to the fields of a row. */
export const ROW_COLUMNS: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at'])

const withKey = (label: string, key: string) => `${label} (${key})`

/**
 * The headings of fields, in their order. A label gets the key in parentheses if it is `id`, `created_at` or
 * `updated_at`, equals another label, or is the key of another field, which an import would match first.
 */
export function headingsOf(fields: readonly NamedField[], headings: Headings): string[] {
  if (headings === 'key') return fields.map(({ key }) => key)
  const labels = fields.map(({ key, label }) => label?.trim() || key)
  const owners = new Map(fields.map(({ key }) => [key, key]))
  const repeated = repeatedNames(labels)
  const names = fields.map(({ key }, at) => {
    const label = labels[at] ?? key
    const name = fold(label)
    const isAmbiguous = ROW_COLUMNS.has(name) || repeated.has(name) || (owners.get(name) ?? key) !== key
    return isAmbiguous ? withKey(label, key) : label
  })
  // A label may equal a name that got its key. With their own keys, all names differ.
  const taken = repeatedNames(names)
  return fields.map(({ key }, at) =>
    taken.has(fold(names[at] ?? '')) ? withKey(labels[at] ?? key, key) : (names[at] ?? key),
  )
}

function repeatedNames(names: readonly string[]): Set<string> {
  const seen = new Set<string>()
  return new Set(names.map(fold).filter((name) => seen.size === seen.add(name).size))
}

const LINE_BREAK = /[\r\n\v\f\u0085\u2028\u2029]/

/** A heading of a file: without the apostrophe of exports, and with a blank for each line break. */
export const plainHeading = (cell: string): string =>
  withoutProtection(cell)
    .split(LINE_BREAK)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

/** Finds fields by heading, ignoring case: by key, by the heading of an export, or by label. */
export function fieldsByHeading<Field extends NamedField>(
  fields: readonly Field[],
): (heading: string) => Field | undefined {
  const known = new Map<string, Field>()
  const headings = headingsOf(fields, 'label')
  for (const field of [...fields].reverse())
    if (field.label !== null) known.set(fold(field.label.trim()), field)
  for (const [at, field] of fields.entries()) known.set(fold(headings[at] ?? ''), field)
  for (const field of fields) known.set(field.key, field)
  return (heading) => known.get(fold(plainHeading(heading)))
}
