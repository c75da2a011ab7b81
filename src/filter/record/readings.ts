import { CellFormat, type CellOptions } from './cell-format.ts'
import { type FieldType, rulesOf } from './field-types.ts'

/*
 * The notations in which the cells of a column may be read as a type: with day, month and year in an order, or with a
 * decimal sign. A notation given by the caller is the only one.
 */

/** `isPlain`: without an order or a decimal sign, or with the given ones. */
export interface Reading {
  readonly type: FieldType
  readonly format: CellFormat
  readonly isPlain: boolean
  readonly notation?: string
}

/** By preference. Two-digit years come first only if no other order fits. */
const ORDERS = ['dmy', 'mdy', 'ymd'] as const
const DECIMALS = [',', '.'] as const

/** The readings of a type, the plain one first. All of them read what the plain one of dates reads. */
export function readingsOf(type: FieldType, options: CellOptions): Reading[] {
  const plain = { type, format: new CellFormat(options), isPlain: true }
  const reading = (notation: string, more: Partial<CellOptions>): Reading => ({
    ...{ type, notation, isPlain: false },
    format: new CellFormat({ ...options, ...more }),
  })
  if (type === 'number' && options.decimal === undefined)
    return [plain, ...DECIMALS.map((decimal) => reading(decimal, { decimal }))]
  if ((type === 'date' || type === 'datetime') && options.dateFormats.length === 0)
    return [plain, ...ORDERS.map((order) => reading(order, { dateFormats: [order] }))]
  return [plain]
}

/** The preferred one of the readings of a type that fit; undefined if the cells can be read in two ways. */
export function chosenReading(fitting: readonly Reading[]): Reading | undefined {
  const [first, second] = fitting
  const notations = `${first?.notation} ${second?.notation}`
  return notations === 'dmy mdy' || notations === ', .' ? undefined : first
}

/** Finds the reading of a column whose type is known. Cells that no reading fits do not count. */
export class ReadingFinder {
  readonly #all: readonly Reading[]
  #fitting: readonly Reading[]

  /** `isGiven` as for `CellFormat.valueOf`. */
  constructor(
    private readonly type: FieldType,
    options: CellOptions,
    private readonly isGiven: boolean,
  ) {
    this.#all = readingsOf(type, options)
    this.#fitting = this.#all
  }

  /** Whether the cells may be read in more than one way. */
  get isOpen(): boolean {
    return this.#all.length > 1
  }

  add(cell: string): void {
    const { type } = this
    const { normalise } = rulesOf({ type })
    const fits = ({ format }: Reading) =>
      normalise(format.valueOf({ type }, cell, this.isGiven)) !== undefined
    const [plain] = this.#fitting
    if (plain?.isPlain && type !== 'number' && fits(plain)) return
    const fitting = this.#all.filter(fits)
    if (fitting.length > 0) this.#fitting = this.#fitting.filter((reading) => fitting.includes(reading))
  }

  /** The format of the column; undefined if its dates may begin with the month or the day. */
  format(): CellFormat | undefined {
    const [plain] = this.#all
    const chosen = this.#fitting.length === 0 ? plain : chosenReading(this.#fitting)
    return this.type === 'number' ? (chosen ?? plain)?.format : chosen?.format
  }
}
