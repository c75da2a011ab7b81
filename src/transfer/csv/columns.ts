import type { CellFormat } from '../../filter/record/cell-format.ts'
import type { FieldType } from '../../filter/record/field-types.ts'
import type { InferredType } from '../../filter/record/type-inference.ts'
import { fieldsByHeading, ROW_COLUMNS } from '../../lib/field-headings.ts'
import type { ResultType } from '../../lib/formula/values.ts'
import { refused } from '../../lib/refusal.ts'
import { codePointLength, counted, fold, hasControlCharacter, quoteList } from '../../lib/text.ts'
import type { FieldInput } from '../../records/structures/fields.ts'
import { MAX_FIELDS, RESERVED_KEYS } from '../../records/structures/schema.ts'
import type { Definition } from '../../records/structures/store.ts'
import { freeKey, MAX_KEY_LENGTH, unaccented } from '../field-keys.ts'

/** The field that a column fills. */
export interface Column {
  readonly key: string
  readonly type: FieldType
  readonly result?: ResultType
  readonly multiple?: boolean | undefined
  /** Whether the caller specified the type. */
  readonly isGiven?: boolean
  /** Absent if the cells are read in the notation of the request. */
  readonly cellFormat?: CellFormat | undefined
}

const MAX_LABEL_LENGTH = 500

/** A valid field key: `due_date` for `Due date`, `field_3` for a heading without Latin letters or digits. */
function keyOf(heading: string, at: number): string {
  const plain = unaccented(heading)
  const word = plain.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')
  if (word === '') return `field_${at + 1}`
  const key = /^[a-z]/.test(word) && !RESERVED_KEYS.has(word) ? word : `field_${word}`
  return key.slice(0, MAX_KEY_LENGTH)
}

/** The fields of a new structure: one for each column, labelled with its heading. */
export function fieldsFor(header: readonly string[], types: readonly InferredType[]): FieldInput[] {
  if (header.length > MAX_FIELDS)
    throw refused(
      `The file has ${header.length} columns, and a structure can have at most ${MAX_FIELDS} fields; choose columns with --columns, such as --columns 1-${MAX_FIELDS}.`,
    )
  const taken = new Set<string>()
  return labelsOf(header).map((heading, at) => {
    const label = checkedLabel(heading, at)
    const key = freeKey(keyOf(label, at), taken)
    taken.add(key)
    return { key, type: types[at] ?? 'text', label: label === '' ? null : label }
  })
}

const EXPORTED = /^(.+) \(([a-z][a-z0-9_]*)\)$/s

/**
 * The labels of a header that an export may have written: `Amount (amount)` and `Amount (amount_2)` are two fields
 * labelled `Amount`, and `id (field_id)` is one labelled `id`. Other parentheses belong to the label.
 */
function labelsOf(header: readonly string[]): string[] {
  const bare = header.map((heading, at) => {
    const [, label = '', key = ''] = EXPORTED.exec(heading) ?? []
    return label !== '' && key.replace(/_\d+$/, '') === keyOf(label, at) ? label : undefined
  })
  const isRepeated = (label: string) =>
    bare.filter((other) => other !== undefined && fold(other) === fold(label)).length > 1
  return header.map((heading, at) => {
    const label = bare[at]
    return label !== undefined && (ROW_COLUMNS.has(fold(label)) || isRepeated(label)) ? label : heading
  })
}

function checkedLabel(label: string, at: number): string {
  if (codePointLength(label) <= MAX_LABEL_LENGTH && !hasControlCharacter(label)) return label
  throw refused(
    `The heading of column ${at + 1} must have at most ${MAX_LABEL_LENGTH} characters and no control character.`,
  )
}

/** Generated headings for a file without any. */
export const unnamedHeader = (columns: number): string[] =>
  Array.from({ length: columns }, (_, at) => `column_${at + 1}`)

/** The types that the caller specified, by heading or by the key derived from it. */
export function typesByColumn(
  header: readonly string[],
  given: ReadonlyMap<string, InferredType>,
): (InferredType | undefined)[] {
  const namesOf = (heading: string, at: number) => [fold(heading), keyOf(heading, at)]
  const all = new Set(header.flatMap(namesOf))
  const byName = new Map(Array.from(given, ([name, type]) => [fold(name.trim()), type]))
  const unknown = [...given.keys()].filter((name) => !all.has(fold(name.trim())))
  if (unknown.length > 0)
    throw refused(
      `The file has no columns ${quoteList(unknown)}, which --type names; it has ${quoteList(header)}.`,
    )
  return header.map((heading, at) => {
    const [name = '', key = ''] = namesOf(heading, at)
    return byName.get(name) ?? byName.get(key)
  })
}

/**
 * The fields of an existing structure that the headings name (`fieldsByHeading`). A file without headings
 * fills the fields in their order.
 */
export function columnsOf(header: readonly string[], { fields }: Definition, hasHeader = true): Column[] {
  if (!hasHeader) {
    if (header.length <= fields.length) return fields.slice(0, header.length)
    throw refused(
      `The file has ${counted(header.length, 'column')}, and the structure has ${counted(fields.length, 'field')}.`,
    )
  }
  const fieldOf = fieldsByHeading(fields)
  const unknown = header.filter((heading) => !fieldOf(heading))
  if (unknown.length > 0)
    throw refused(
      `The structure has no field for the columns ${quoteList(unknown)}; rename or remove them. --columns chooses others.`,
    )
  const columns = header.flatMap((heading) => fieldOf(heading) ?? [])
  const repeated = columns.find((column, at) => columns.indexOf(column) < at)
  if (repeated) throw refused(`Two columns fill the field "${repeated.key}"; remove one.`)
  return columns
}
