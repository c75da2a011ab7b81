import { DAY_MS, isDay, parseInstant } from '../../lib/dates.ts'
import type { FieldType, RowPart } from './operators.ts'
import { columnValue, normalised, TYPE_WORDS } from './values.ts'

type Comparable = string | number

/** What a value is compared with: one point (`low` is `high`), or the whole of a day, ends included. */
export interface Operand {
  readonly low: Comparable
  readonly high: Comparable
}

/** The operand, or why there is none: `words` go after "must be". */
interface Outcome {
  readonly operand: Operand | undefined
  readonly words: string
}

const REFERENCES: ReadonlySet<string> = new Set(['note', 'file', 'record', 'id'])

const point = (value: Comparable): Operand => ({ low: value, high: value })
const ifText = (value: unknown) => (typeof value === 'string' ? point(value) : undefined)

/** An instant, or the whole UTC day that a plain date stands for. */
function moment(value: unknown): Operand | undefined {
  if (typeof value !== 'string') return undefined
  if (isDay(value)) {
    const start = Date.parse(`${value}T00:00:00.000Z`)
    return { low: start, high: start + DAY_MS - 1 }
  }
  const instant = parseInstant(value)
  return instant === undefined ? undefined : point(instant)
}

function wholeDay(value: unknown): Operand | undefined {
  if (typeof value !== 'string' || !isDay(value)) return undefined
  return { low: `${value}T00:00:00.000Z`, high: `${value}T23:59:59.999Z` }
}

function typed(type: FieldType, value: unknown): Operand | undefined {
  const kept = normalised(type, value)
  return kept === undefined ? undefined : point(columnValue(kept))
}

/**
 * A filter value in the form the column holds. Ids that exist nowhere, or are none, are legal and match
 * nothing; a plain date on an instant is that whole UTC day (contract, sections 5 and 10).
 */
export function operandOf(kind: FieldType | RowPart, value: unknown): Outcome {
  if (kind === 'created_at' || kind === 'updated_at')
    return { operand: moment(value), words: 'a plain date or an instant such as 2026-11-21T09:30:00.000Z' }
  if (REFERENCES.has(kind)) return { operand: ifText(value), words: 'an id' }
  const type = kind as FieldType
  if (type === 'datetime')
    return {
      operand: wholeDay(value) ?? typed(type, value),
      words: `a plain date, or ${TYPE_WORDS.datetime}`,
    }
  return { operand: typed(type, value), words: TYPE_WORDS[type] }
}
