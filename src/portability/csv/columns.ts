import type { FieldType } from '../../filter/record/operators.ts'
import { normalised } from '../../filter/record/values.ts'
import { codePointLength, fold, hasControlCharacter, quoteList } from '../../lib/text.ts'
import { refused } from '../../refusal.ts'
import type { FieldInput } from '../../structures/fields.ts'
import { MAX_FIELDS, RESERVED_KEYS } from '../../structures/schema.ts'
import type { Definition } from '../../structures/store.ts'
import { freeKey, MAX_KEY_LENGTH, unaccented } from '../field-keys.ts'

/** The field that a column fills. */
export interface Column {
  readonly key: string
  readonly type: FieldType
}

const MAX_LABEL_LENGTH = 500

/** A valid field key: `due_date` for `Due date`, `field_3` for a heading without Latin letters or digits. */
function keyOf(heading: string, at: number): string {
  const plain = unaccented(heading)
  const word = plain.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '')
  if (word === '') return `field_${at + 1}`
  const key = /^[a-z]/.test(word) && !RESERVED_KEYS.has(word) ? word : `field_${word}`
  return key.slice(0, MAX_KEY_LENGTH)
}

/** The fields of a new structure: one for each column, labelled with its heading. */
export function fieldsFor(header: readonly string[], types: readonly InferredType[]): FieldInput[] {
  if (header.length > MAX_FIELDS)
    throw refused(
      `The file has ${header.length} columns, and a structure can have at most ${MAX_FIELDS} fields.`,
    )
  const taken = new Set<string>()
  return header.map((heading, at) => {
    const label = checkedLabel(heading.trim(), at)
    const key = freeKey(keyOf(label, at), taken)
    taken.add(key)
    return { key, type: types[at] ?? 'text', label: label === '' ? null : label }
  })
}

function checkedLabel(label: string, at: number): string {
  if (codePointLength(label) <= MAX_LABEL_LENGTH && !hasControlCharacter(label)) return label
  throw refused(
    `The heading of column ${at + 1} must have at most ${MAX_LABEL_LENGTH} characters and no control character.`,
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

/** Not `007` and not `+1`: codes and telephone numbers stay text. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** Undefined also for integers that a double cannot hold exactly: they are ids. */
function numberOf(cell: string): number | undefined {
  if (!NUMBER.test(cell)) return undefined
  const value = Number(cell)
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value) || /[.eE]/.test(cell)
  return Number.isFinite(value) && isExact ? value : undefined
}

/** The value of a cell for a field of the type. A cell that does not fit stays text, which the field's own check refuses. */
export function cellValue(type: FieldType, cell: string): string | number | boolean {
  if (type === 'text' || type === 'select') return cell
  const trimmed = cell.trim()
  if (type === 'number') return numberOf(trimmed) ?? cell
  if (type === 'bool') return BOOLEANS.get(trimmed.toLowerCase()) ?? cell
  return trimmed
}

const fits = (type: FieldType, cell: string) => normalised(type, cellValue(type, cell)) !== undefined

/** The types that can be inferred from cells, the narrowest first; a column that fits none of them is text. */
const INFERRED_TYPES = ['bool', 'number', 'date', 'time', 'datetime'] as const
export type InferredType = (typeof INFERRED_TYPES)[number] | 'text'

/** Infers the type of each column from its cells. Empty cells are ignored. */
export class TypeInference {
  readonly #columns: { possible: InferredType[]; isEmpty: boolean }[]

  constructor(columns: number) {
    this.#columns = Array.from({ length: columns }, () => ({ possible: [...INFERRED_TYPES], isEmpty: true }))
  }

  addRow(cells: readonly string[]): void {
    for (const [at, column] of this.#columns.entries()) {
      const cell = cells[at]
      if (cell === undefined || cell === '') continue
      column.isEmpty = false
      while (column.possible[0] !== undefined && !fits(column.possible[0], cell)) column.possible.shift()
    }
  }

  /** Whether every column has had a value. */
  isComplete(): boolean {
    return this.#columns.every(({ isEmpty }) => !isEmpty)
  }

  /** A column without any value is text. */
  types(): InferredType[] {
    return this.#columns.map(({ possible, isEmpty }) => (isEmpty ? 'text' : (possible[0] ?? 'text')))
  }
}
