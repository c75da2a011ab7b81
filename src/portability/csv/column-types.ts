import type { FieldType } from '../../filter/record/operators.ts'
import { normalised } from '../../filter/record/values.ts'

/** Types that the cells of a column can show, the narrowest first; whatever shows none is text. */
const SHOWN_TYPES = ['bool', 'number', 'date', 'time', 'datetime'] as const
export type ColumnType = (typeof SHOWN_TYPES)[number] | 'text'

/** Not `007` and not `+1`: codes and telephone numbers stay as they are written. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const YES_NO: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** A number that would come back as another one is none: long integers are ids. */
function numberOf(cell: string): number | undefined {
  if (!NUMBER.test(cell)) return undefined
  const value = Number(cell)
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value) || /[.eE]/.test(cell)
  return Number.isFinite(value) && isExact ? value : undefined
}

/**
 * What a cell says to a field of the type: a text for texts and for what is no value of the type, so that the
 * field's own check refuses it.
 */
export function cellValue(type: FieldType, cell: string): string | number | boolean {
  if (type === 'text' || type === 'select') return cell
  const trimmed = cell.trim()
  if (type === 'number') return numberOf(trimmed) ?? cell
  if (type === 'bool') return YES_NO.get(trimmed.toLowerCase()) ?? cell
  return trimmed
}

const shows = (type: FieldType, cell: string) => normalised(type, cellValue(type, cell)) !== undefined

/** Learns the type of each column from all of its cells; an empty cell says nothing. */
export class ColumnTypes {
  readonly #columns: { possible: ColumnType[]; isEmpty: boolean }[]

  constructor(columns: number) {
    this.#columns = Array.from({ length: columns }, () => ({ possible: [...SHOWN_TYPES], isEmpty: true }))
  }

  learn(cells: readonly string[]): void {
    for (const [at, column] of this.#columns.entries()) {
      const cell = cells[at]
      if (cell === undefined || cell === '') continue
      column.isEmpty = false
      while (column.possible[0] !== undefined && !shows(column.possible[0], cell)) column.possible.shift()
    }
  }

  /** Whether every column has shown a value. */
  areShown(): boolean {
    return this.#columns.every(({ isEmpty }) => !isEmpty)
  }

  /** A column without any value is text. */
  types(): ColumnType[] {
    return this.#columns.map(({ possible, isEmpty }) => (isEmpty ? 'text' : (possible[0] ?? 'text')))
  }
}
