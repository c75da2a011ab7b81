import { codePointLength, MAX_TEXT_LENGTH } from '../text.ts'
import type { Formula } from './compile.ts'
import type { FormulaValue } from './values.ts'

/** The texts that one evaluation may read and make, in UTF-16 units; takes about 10 ms. */
const MAX_WORK = 10_000_000

/** The value of a formula for a row; null for blank, also if its texts are too long. `read` returns fields by key. */
export function evaluate({ steps }: Formula, read: (key: string) => FormulaValue): FormulaValue {
  const values: FormulaValue[] = []
  let work = 0
  for (const step of steps) {
    let value: FormulaValue
    if (step.kind === 'constant') value = step.value
    else if (step.kind === 'field') value = read(step.key)
    else {
      const args = values.splice(values.length - step.count)
      const isBlank = step.rules.isStrict && args.includes(null)
      value = isBlank ? null : step.rules.run(...(args as never[]))
    }
    if (typeof value === 'string') work += value.length
    if (work > MAX_WORK) return null
    values.push(value)
  }
  return storable(values[0] ?? null)
}

/** A text that no field could hold is blank. */
const storable = (value: FormulaValue): FormulaValue =>
  typeof value === 'string' && value.length > MAX_TEXT_LENGTH && codePointLength(value) > MAX_TEXT_LENGTH
    ? null
    : value
