import type { FieldType } from '../../filter/record/operators.ts'
import { codePointLength, fold, hasControlCharacter, quoteList } from '../../lib/text.ts'
import { refused } from '../../refusal.ts'
import type { Definition } from '../../structures/definition.ts'
import type { FieldInput } from '../../structures/fields.ts'
import { MAX_FIELDS, RESERVED_KEYS } from '../../structures/schema.ts'
import { freeKey, LONGEST_KEY, unaccented } from '../keys.ts'
import type { ColumnType } from './column-types.ts'

/** The field that a column fills. */
export interface Column {
  readonly key: string
  readonly type: FieldType
}

const LONGEST_LABEL = 500

/** A heading as a key of a field: `Due date` is `due_date`, and one of other letters `field_3`. */
function keyOf(heading: string, at: number): string {
  const plain = unaccented(heading)
  const word = plain.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '')
  if (word === '') return `field_${at + 1}`
  const key = /^[a-z]/.test(word) && !RESERVED_KEYS.has(word) ? word : `field_${word}`
  return key.slice(0, LONGEST_KEY)
}

/** A field for each column of a new structure, labelled with its heading. */
export function fieldsFor(header: readonly string[], types: readonly ColumnType[]): FieldInput[] {
  if (header.length > MAX_FIELDS)
    throw refused(`The file has ${header.length} columns, and a structure at most ${MAX_FIELDS} fields.`)
  const taken = new Set<string>()
  return header.map((heading, at) => {
    const label = checkedLabel(heading.trim(), at)
    const key = freeKey(keyOf(label, at), taken)
    taken.add(key)
    return { key, type: types[at] ?? 'text', label: label === '' ? null : label }
  })
}

function checkedLabel(label: string, at: number): string {
  if (codePointLength(label) <= LONGEST_LABEL && !hasControlCharacter(label)) return label
  throw refused(
    `The heading of column ${at + 1} must have at most ${LONGEST_LABEL} characters and no control character.`,
  )
}

/** The fields of an existing structure that the headings name, by key or label, ignoring case. */
export function columnsOf(header: readonly string[], { fields }: Definition): Column[] {
  const known = new Map<string, Column>()
  for (const field of [...fields].reverse()) if (field.label !== null) known.set(fold(field.label), field)
  for (const field of fields) known.set(field.key, field)
  const unknown = header.filter((heading) => !known.has(fold(heading.trim())))
  if (unknown.length > 0)
    throw refused(`The structure has no field for the columns ${quoteList(unknown)}; rename or remove them.`)
  const columns = header.flatMap((heading) => known.get(fold(heading.trim())) ?? [])
  const repeated = columns.find((column, at) => columns.indexOf(column) < at)
  if (repeated) throw refused(`Two columns fill the field "${repeated.key}"; remove one.`)
  return columns
}
