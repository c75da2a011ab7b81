import { CellFormat, type CellOptions, givenReadingOf } from '../../../../filter/record/cell-format.ts'
import { chosenReading, type Reading, ReadingFinder } from '../../../../filter/record/readings.ts'
import { TypeInference } from '../../../../filter/record/type-inference.ts'
import { withoutProtection } from '../../../../lib/csv-cells.ts'
import { plainHeading } from '../../../../lib/field-headings.ts'
import { isNaming } from '../../../data/records/naming-fields.ts'
import { keyFor, TYPE_LABELS } from '../structure/draft.ts'
import { type CellReader, readerOf } from './cell-reader.ts'

const OPTIONS: CellOptions = { dateFormats: [], decimal: undefined, nulls: [], readsSigns: true }
const YES_OR_NO = /^(?:yes|no|true|false)$/i
/** A column with more distinct values is not offered as a choice field. */
const MAX_OPTIONS = 40
const MAX_OPTION_LENGTH = 100
const SHOWN_ROWS = 10
/** A text column with fewer distinct values in more rows than these is suggested as a choice field. */
const FEW_OPTIONS = 20
const MANY_ROWS = 100
/** Whole numbers of a column within this range are years. */
const YEARS = { first: 1500, last: 2100 }

/** A type that a column can get, with the notation of its cells. */
export interface ColumnType {
  /** Distinguishes the types of a column. */
  readonly id: string
  readonly label: string
  /** The type of the field, with its other attributes. */
  readonly field: {
    readonly type: string
    readonly options?: readonly string[]
    readonly format?: { readonly style: string; readonly currency?: string }
  }
  readonly read?: CellReader
}

export interface InferredColumn {
  readonly key: string
  readonly label: string
  /** The narrowest first: the one that `daybook import` would infer, if the cells have only one meaning. */
  readonly types: readonly ColumnType[]
  /** The id of the suggested type. */
  readonly suggested: string
}

interface Column {
  isYesNo: boolean
  areYears: boolean
  isEmpty: boolean
  /** The distinct values, while the column can become a choice field. */
  values: Set<string> | undefined
  /** The readings as a number with a sign; undefined if a cell has none. */
  signed: { readonly finder: ReadingFinder; readonly holds: string; currency: string | undefined } | undefined
}

/** Infers the types that each column can get from all of its cells. */
export class Inference {
  readonly #types: TypeInference
  readonly #columns: Column[]
  rows = 0
  readonly firstRows: (readonly string[])[] = []

  constructor(private readonly head: readonly string[]) {
    this.#types = new TypeInference(head, OPTIONS)
    this.#columns = head.map(() => ({
      isYesNo: true,
      areYears: true,
      isEmpty: true,
      values: new Set(),
      signed: undefined,
    }))
  }

  add(cells: readonly string[]): void {
    this.rows++
    if (this.firstRows.length < SHOWN_ROWS) this.firstRows.push(cells)
    const plain = cells.map((cell) => (cell.trim() === '' ? '' : cell))
    this.#types.addRow(plain)
    for (const [at, column] of this.#columns.entries()) {
      const cell = plain[at] ?? ''
      if (cell !== '') addCell(column, cell)
    }
  }

  columns(): readonly InferredColumn[] {
    const taken = new Set<string>()
    const readings = this.#types.readings()
    return this.#columns.map((column, at) => {
      const label = plainHeading(this.head[at] ?? '') || `Column ${at + 1}`
      const key = freeKey(keyFor(label) || `field_${at + 1}`, taken)
      taken.add(key)
      const clear = clearTypes(column, readings[at] ?? [])
      const types = [
        ...clear,
        ...unclearTypes(readings[at] ?? []),
        ...signedTypes(column),
        ...otherTypes(column),
      ]
      const isFew = (column.values?.size ?? MAX_OPTIONS) < FEW_OPTIONS && this.rows > MANY_ROWS
      const text = isFew && !column.isEmpty && types.length === 2 ? 'select' : 'text'
      return { key, label, types: types.map(named(column, label)), suggested: clear[0]?.id ?? text }
    })
  }
}

function addCell(column: Column, cell: string): void {
  const trimmed = cell.trim()
  column.isYesNo &&= YES_OR_NO.test(trimmed)
  column.areYears &&= isYear(trimmed)
  addSigned(column, trimmed)
  column.isEmpty = false
  column.values?.add(withoutProtection(trimmed))
  if (trimmed.length > MAX_OPTION_LENGTH || (column.values?.size ?? 0) > MAX_OPTIONS)
    column.values = undefined
}

const isYear = (cell: string): boolean =>
  /^\d{4}$/.test(cell) && Number(cell) >= YEARS.first && Number(cell) <= YEARS.last

/** Numbers that name something get no separators. */
const named =
  ({ areYears }: Column, label: string) =>
  (type: ColumnType): ColumnType =>
    type.id === 'number' && (areYears || isNaming(label))
      ? { ...type, field: { ...type.field, format: { style: 'plain' } } }
      : type

function addSigned(column: Column, cell: string): void {
  if (!column.isEmpty && !column.signed) return
  const holds = givenReadingOf(cell)
  const currency = currencyIn(cell)
  if (column.isEmpty && (holds === 'percentages' || holds === 'amounts of money'))
    column.signed = { finder: new ReadingFinder('number', OPTIONS, true), holds, currency }
  if (!column.signed) return
  if (holds !== column.signed.holds) column.signed = undefined
  else {
    if (currency !== column.signed.currency) column.signed.currency = undefined
    column.signed.finder.add(cell)
  }
}

/** The code of a currency, as far as the cell has it only one meaning: many currencies are called dollar. */
const currencyIn = (cell: string): string | undefined =>
  cell.includes('€') ? 'EUR' : /\b[A-Z]{3}\b|[A-Z]{3}(?=\d)/.exec(cell)?.[0]

/** The inferred type, unless the cells can be read in two ways. */
function clearTypes({ isYesNo, isEmpty }: Column, readings: readonly Reading[]): ColumnType[] {
  if (isEmpty) return []
  if (isYesNo) return [plainType('bool')]
  const chosen = chosenReading(readings)
  return chosen ? [{ ...plainType(chosen.type), read: readerOf(chosen.type, chosen.format, false) }] : []
}

const NOTATIONS: Readonly<Record<string, string>> = {
  dmy: 'day first',
  mdy: 'month first',
  ymd: 'year first',
  ',': 'decimal comma',
  '.': 'decimal point',
}

function unclearTypes(readings: readonly Reading[]): ColumnType[] {
  if (chosenReading(readings)) return []
  return readings.map(({ type, format, notation = '' }) => ({
    ...plainType(type),
    id: `${type} ${notation}`,
    label: `${TYPE_LABELS[type]}, ${NOTATIONS[notation]}`,
    read: readerOf(type, format, false),
  }))
}

/** Percentages and amounts of money are text for `daybook import` too, unless the caller declares them. */
function signedTypes({ signed }: Column): ColumnType[] {
  if (!signed) return []
  const read = readerOf('number', signed.finder.format() ?? new CellFormat(OPTIONS), true)
  const { holds, currency } = signed
  if (holds === 'percentages')
    return [
      { id: 'percent', label: 'Percent', field: { type: 'number', format: { style: 'percent' } }, read },
    ]
  return currency === undefined
    ? [{ ...plainType('number'), read }]
    : [
        {
          ...{ id: 'currency', label: `Amount in ${currency}`, read },
          field: { type: 'number', format: { style: 'currency', currency } },
        },
      ]
}

function otherTypes({ values }: Column): ColumnType[] {
  const options = values && values.size > 0 ? [...values].sort() : undefined
  return [
    plainType('text'),
    ...(options
      ? [{ id: 'select', label: `Choice: ${options.length} values`, field: { type: 'select', options } }]
      : []),
  ]
}

const plainType = (type: string): ColumnType => ({
  id: type,
  label: TYPE_LABELS[type] ?? type,
  field: { type },
})

/** Built-in fields of every row. */
const RESERVED = new Set(['id', 'created_at', 'updated_at', 'deleted_at'])

function freeKey(key: string, taken: ReadonlySet<string>): string {
  const first = RESERVED.has(key) ? `field_${key}` : key
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? first : `${first.slice(0, 60)}_${number}`
    if (!taken.has(numbered)) return numbered
  }
}
