import { refused } from '../../lib/refusal.ts'
import { CellFormat, type CellOptions, CodeCheck, type GivenReading, givenReadingOf } from './cell-format.ts'
import { chosenReading, type Reading, readingsOf } from './readings.ts'

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

  /** Whether each column is text for good, or has a type and one notation, which later cells may refute. */
  get isSettled(): boolean {
    const types = this.types()
    return this.#columns.every(
      (column, at) =>
        column.possible.length === 0 ||
        (!column.isEmpty && types[at] !== 'text' && readingOf(column) !== undefined),
    )
  }

  /** Equal for equal types and notations of all columns. */
  key(): string {
    const types = this.types()
    return this.#columns
      .map((column, at) => `${types[at]} ${types[at] === 'text' ? '' : readingOf(column)?.notation}`)
      .join()
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

  /** The readings of the narrowest type that fit all cells of a column; none for text and codes. */
  readings(): (readonly Reading[])[] {
    return this.#columns.map(({ possible, isEmpty, codes }) => {
      const [narrowest] = possible
      const isCode = narrowest?.type === 'number' && codes.foundCodes
      return isEmpty || isCode ? [] : possible.filter(({ type }) => type === narrowest?.type)
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
