import { CellFormat, CodeCheck } from '../../../../filter/record/cell-format.ts'
import { withoutProtection } from '../../../../lib/csv-cells.ts'
import { isDay } from '../../../../lib/dates.ts'
import { plainHeading } from '../../../../lib/field-headings.ts'
import { keyFor } from '../structure/draft.ts'

const FORMAT = new CellFormat({ dateFormats: [], decimal: undefined, nulls: [] })
const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d:\d\d))?$/i

/** Possible types of a column, narrowest first. */
const TYPES: readonly (readonly [type: string, fits: (cell: string) => boolean])[] = [
  ['bool', (cell) => /^(?:yes|no|true|false)$/i.test(cell)],
  // Digits that a number cannot hold exactly, such as a long id, stay text.
  ['number', (cell) => FORMAT.fits('number', cell)],
  ['date', isDay],
  ['time', (cell) => FORMAT.fits('time', cell)],
  ['datetime', (cell) => INSTANT.test(cell)],
]
/** A column with more distinct values is not offered as a choice field. */
const MAX_OPTIONS = 40
const MAX_OPTION_LENGTH = 100

export interface InferredColumn {
  readonly key: string
  readonly label: string
  /** The type `daybook import` would infer. */
  readonly type: string
  readonly sample: string
  /** The distinct values, if the column can become a choice field. */
  readonly options: readonly string[] | undefined
}

/** Infers the narrowest type of each column that fits all its cells. */
export class Inference {
  readonly #columns: {
    possible: typeof TYPES
    readonly codes: CodeCheck
    sample: string
    values: Set<string> | undefined
  }[] = []
  rows = 0

  constructor(private readonly head: readonly string[]) {
    this.#columns = head.map(() => ({
      possible: TYPES,
      codes: new CodeCheck(),
      sample: '',
      values: new Set(),
    }))
  }

  add(cells: readonly string[]): void {
    this.rows++
    for (const [index, column] of this.#columns.entries()) {
      const cell = cells[index]?.trim() ?? ''
      if (cell === '') continue
      if (column.sample === '') column.sample = cell
      if (!column.possible[0]?.[1](cell)) column.possible = column.possible.filter(([, fits]) => fits(cell))
      if (column.possible[0]?.[0] === 'number') column.codes.addNumber(cell)
      column.values?.add(withoutProtection(cell))
      if (cell.length > MAX_OPTION_LENGTH || (column.values?.size ?? 0) > MAX_OPTIONS)
        column.values = undefined
    }
  }

  columns(): readonly InferredColumn[] {
    const taken = new Set<string>()
    return this.#columns.map(({ possible, codes, sample, values }, index) => {
      const label = plainHeading(this.head[index] ?? '') || `Column ${index + 1}`
      const key = freeKey(keyFor(label) || `field_${index + 1}`, taken)
      taken.add(key)
      const options = values && values.size > 0 ? [...values].sort() : undefined
      const [narrowest = 'text'] = possible[0] ?? []
      const isText = sample === '' || (narrowest === 'number' && codes.foundCodes)
      return { key, label, sample, options, type: isText ? 'text' : narrowest }
    })
  }
}

/** Built-in fields of every row. */
const RESERVED = new Set(['id', 'created_at', 'updated_at', 'deleted_at'])

function freeKey(key: string, taken: ReadonlySet<string>): string {
  const first = RESERVED.has(key) ? `field_${key}` : key
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? first : `${first.slice(0, 60)}_${number}`
    if (!taken.has(numbered)) return numbered
  }
}
