import { CellFormat } from '../../../../filter/record/cell-format.ts'
import { withoutProtection } from '../../../../lib/csv-cells.ts'
import { isDay } from '../../../../lib/dates.ts'
import { keyFor } from '../structure/draft.ts'

const FORMAT = new CellFormat({ dateFormats: [], decimal: undefined, nulls: [] })
const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:\d\d))?$/i

/** The types that a column of a file can become; the narrowest first. */
const FORMS: readonly (readonly [type: string, fits: (cell: string) => boolean])[] = [
  ['bool', (cell) => /^(?:yes|no|true|false)$/i.test(cell)],
  // What a number cannot hold exactly, such as a long id, stays text.
  ['number', (cell) => FORMAT.fits('number', cell)],
  ['date', isDay],
  ['time', (cell) => FORMAT.fits('time', cell)],
  ['datetime', (cell) => INSTANT.test(cell)],
]
/** A column with more different values is no choice. */
const MOST_OPTIONS = 40
const LONGEST_OPTION = 100

export interface InferredColumn {
  readonly key: string
  readonly label: string
  /** As `daybook import` would take it. */
  readonly type: string
  readonly sample: string
  /** The different values, if it may become a choice. */
  readonly options: readonly string[] | undefined
}

/** Infers what the columns of a file are, as the narrowest type that fits all of their cells. */
export class Inference {
  readonly #columns: { possible: typeof FORMS; sample: string; values: Set<string> | undefined }[] = []
  rows = 0

  constructor(private readonly head: readonly string[]) {
    this.#columns = head.map(() => ({ possible: FORMS, sample: '', values: new Set() }))
  }

  add(cells: readonly string[]): void {
    this.rows++
    for (const [at, column] of this.#columns.entries()) {
      const cell = cells[at]?.trim() ?? ''
      if (cell === '') continue
      if (column.sample === '') column.sample = cell
      if (!column.possible[0]?.[1](cell)) column.possible = column.possible.filter(([, fits]) => fits(cell))
      column.values?.add(withoutProtection(cell))
      if (cell.length > LONGEST_OPTION || (column.values?.size ?? 0) > MOST_OPTIONS) column.values = undefined
    }
  }

  columns(): readonly InferredColumn[] {
    const taken = new Set<string>()
    return this.#columns.map(({ possible, sample, values }, at) => {
      const label = this.head[at]?.trim() || `Column ${at + 1}`
      const key = freeKey(keyFor(label) || `field_${at + 1}`, taken)
      taken.add(key)
      const options = values && values.size > 0 ? [...values].sort() : undefined
      return { key, label, sample, options, type: sample === '' ? 'text' : (possible[0]?.[0] ?? 'text') }
    })
  }
}

/** Fields of rows that every row has by itself. */
const RESERVED = new Set(['id', 'created_at', 'updated_at', 'deleted_at'])

function freeKey(key: string, taken: ReadonlySet<string>): string {
  const first = RESERVED.has(key) ? `field_${key}` : key
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? first : `${first.slice(0, 60)}_${number}`
    if (!taken.has(numbered)) return numbered
  }
}
