import { codePointLength, MAX_TEXT_LENGTH } from '../text.ts'
import type { Formula } from './compile.ts'
import type { FormulaValue } from './values.ts'

/** The texts that evaluations may still read and make, in UTF-16 units; a million take about 1 ms. */
export interface WorkLeft {
  units: number
}

/** Enough for 100 formulas to read every text of a row and to make another of each. */
const UNITS_PER_CHARACTER = 200
const FEWEST_UNITS = 100_000

/** The work for all formulas of a row whose texts have this total length: it limits what a batch of short rows costs. */
export const workFor = (length: number): WorkLeft => ({ units: FEWEST_UNITS + UNITS_PER_CHARACTER * length })

/**
 * The value of a formula for a row; null for blank, also if its texts are too long or no work is left. `read` returns
 * fields by key.
 */
export function evaluate(
  { steps }: Formula,
  read: (key: string) => FormulaValue,
  left: WorkLeft = workFor(MAX_TEXT_LENGTH),
): FormulaValue {
  const values: FormulaValue[] = []
  for (const step of steps) {
    let value: FormulaValue
    if (step.kind === 'constant') value = step.value
    else if (step.kind === 'field') value = read(step.key)
    else {
      const args = values.splice(values.length - step.count)
      const isBlank = step.rules.isStrict && args.includes(null)
      value = isBlank ? null : step.rules.run(...(args as never[]))
    }
    if (typeof value === 'string') {
      left.units -= value.length
      if (left.units < 0) return null
    }
    values.push(value)
  }
  return storable(values[0] ?? null)
}

/** A text that no field could hold is blank. */
const storable = (value: FormulaValue): FormulaValue =>
  typeof value === 'string' && value.length > MAX_TEXT_LENGTH && codePointLength(value) > MAX_TEXT_LENGTH
    ? null
    : value
