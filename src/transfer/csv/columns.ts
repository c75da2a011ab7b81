import {
  CellFormat,
  type CellOptions,
  CodeCheck,
  type GivenReading,
  givenReadingOf,
} from '../../filter/record/cell-format.ts'
import type { FieldType } from '../../filter/record/field-types.ts'
import { chosenReading, type Reading, readingsOf } from '../../filter/record/readings.ts'
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

/** The types that can be inferred from cells, narrowest first. A column that fits none of them is text. */
const INFERRED_TYPES = ['bool', 'number', 'date', 'time', 'datetime'] as const
export type InferredType = (typeof INFERRED_TYPES)[number] | 'text'
/** The types that a caller can specify for a column. */
export const GIVEN_TYPES: readonly InferredType[] = ['text', ...INFERRED_TYPES]

/** The first cell that does not match the type of the cells before it. */
export interface DemotedColumn {
  readonly column: string
  readonly from: InferredType
  readonly to: InferredType
  readonly row: number
  readonly cell: string
}

/** A column of text that has another reading if the caller declares its type. */
export interface ColumnHint {
  readonly column: string
  readonly holds: GivenReading
  readonly type: 'bool' | 'number'
}

interface InferredColumn {
  possible: Reading[]
  isEmpty: boolean
  readonly codes: CodeCheck
  demoted: Omit<DemotedColumn, 'column' | 'to'> | undefined
  /** The reading of all cells that is not inferred; undefined if there is none. */
  given: GivenReading | undefined
  /** The first cell in another notation. */
  other: Omit<DemotedColumn, 'column' | 'to'> | undefined
}

const SHOWN_LENGTH = 100

/** The dates of a column may begin with the month or the day. */
export const unclearDates = (heading: string) =>
  refused(
    `The dates of the column "${heading}" can be read with the month first or the day first; give --date-format mdy or --date-format dmy.`,
  )

/**
 * Infers the type of each column, and its notation, as the narrowest that fits all of its cells. Empty cells are
 * ignored.
 */
export class TypeInference {
  readonly #columns: InferredColumn[]
  readonly #format: CellFormat
  #rows = 0

  constructor(
    private readonly header: readonly string[],
    options: CellOptions,
  ) {
    this.#format = new CellFormat(options)
    const all = INFERRED_TYPES.flatMap((type) => readingsOf(type, options))
    this.#columns = header.map(() => ({
      possible: all,
      isEmpty: true,
      codes: new CodeCheck(),
      demoted: undefined,
      given: undefined,
      other: undefined,
    }))
  }

  addRow(cells: readonly string[]): void {
    this.#rows += 1
    for (let at = 0; at < cells.length; at++) {
      const column = this.#columns[at]
      const cell = cells[at]
      if (!column) return
      if (cell === undefined || this.#format.isEmpty(cell)) continue
      const [narrowest] = column.possible
      if (column.isEmpty) column.given = givenReadingOf(cell)
      else if (column.given !== undefined && givenReadingOf(cell) !== column.given) column.given = undefined
      if (narrowest?.type === 'number' || column.isEmpty) column.codes.addNumber(cell)
      if (narrowest === undefined) continue
      if (!column.isEmpty && isSettled(column, cell) && fits(narrowest, cell)) continue
      column.possible = column.possible.filter((reading) => fits(reading, cell))
      if (!column.isEmpty && column.possible[0] !== narrowest) {
        const cause = { from: inferred(narrowest), row: this.#rows, cell: cell.slice(0, SHOWN_LENGTH) }
        if (column.possible[0]?.type === narrowest.type) column.other ??= cause
        else column.demoted ??= cause
      }
      column.isEmpty = false
    }
  }

  /** A column without values is text. */
  types(): InferredType[] {
    return this.#columns.map((column) => {
      const [narrowest] = column.possible
      const isCode = narrowest?.type === 'number' && column.codes.foundCodes
      if (column.isEmpty || isCode || narrowest === undefined) return 'text'
      // Numbers such as 1,234 have two meanings.
      return narrowest.type === 'number' && !readingOf(column) ? 'text' : inferred(narrowest)
    })
  }

  /** The format of each column. Refuses dates that may begin with the month or the day, unless the type is given. */
  formats(isGiven: (at: number) => boolean): (CellFormat | undefined)[] {
    const types = this.types()
    return this.#columns.map((column, at) => {
      if (isGiven(at) || types[at] === 'text') return undefined
      const reading = readingOf(column)
      if (!reading) throw unclearDates(this.header[at] ?? '')
      return reading.isPlain ? undefined : reading.format
    })
  }

  /** Columns that stay text although a declared type would fit all cells. */
  hints(): ColumnHint[] {
    const types = this.types()
    return this.#columns.flatMap(({ given }, at) => {
      if (given === undefined || types[at] !== 'text') return []
      return [
        { column: this.header[at] ?? '', holds: given, type: given === 'yes or no' ? 'bool' : 'number' },
      ]
    })
  }

  demoted(): DemotedColumn[] {
    const types = this.types()
    return this.#columns.flatMap(({ demoted, other }, at) => {
      const to = types[at] ?? 'text'
      const cause = demoted ?? other
      return cause && cause.from !== to ? [{ column: this.header[at] ?? '', ...cause, to }] : []
    })
  }
}

const fits = ({ type, format }: Reading, cell: string): boolean => format.fits(type, cell)

const inferred = ({ type }: Reading): InferredType => type as InferredType

const readingOf = ({ possible }: InferredColumn): Reading | undefined =>
  chosenReading(possible.filter(({ type }) => type === possible[0]?.type))

/** Whether a cell that fits the narrowest reading fits the others of its type, or these do not matter. */
function isSettled({ possible: [narrowest, second] }: InferredColumn, cell: string): boolean {
  if (!narrowest?.isPlain) return false
  return second?.notation !== ',' || !cell.includes('.')
}
