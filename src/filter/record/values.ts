import { DAY_MS, isDay, parseInstant } from '../../lib/dates.ts'
import { columnValue, type FieldKind, type RowPart, rulesOf, valueTypeOf } from './field-types.ts'

type Comparable = string | number

/** The operand of a condition: a single value (`low` equals `high`), or a whole day, both ends included. */
export interface Operand {
  readonly low: Comparable
  readonly high: Comparable
}

export const isPoint = ({ low, high }: Operand): boolean => low === high

/** The day of an operand that is a whole day of a datetime field. */
export const dayOf = ({ low }: Operand): string => dayIn(String(low))

/** The day of an instant in stored form. */
export const dayIn = (instant: string): string => instant.slice(0, DAY_LENGTH)

/** The length of `YYYY-MM-DD`. */
export const DAY_LENGTH = 10

/** Without an operand, `words` complete the refusal "… must be <words>." */
interface ParsedOperand {
  readonly operand: Operand | undefined
  readonly words: string
}

const point = (value: Comparable): Operand => ({ low: value, high: value })
const ifText = (value: unknown) => (typeof value === 'string' ? point(value) : undefined)

/** An instant, or the whole UTC day of a plain date. */
function instantOperand(value: unknown): Operand | undefined {
  if (typeof value !== 'string') return undefined
  if (isDay(value)) {
    const start = Date.parse(`${value}T00:00:00.000Z`)
    return { low: start, high: start + DAY_MS - 1 }
  }
  const instant = parseInstant(value)
  return instant === undefined ? undefined : point(instant)
}

function datetimeDay(value: unknown): Operand | undefined {
  if (typeof value !== 'string' || !isDay(value)) return undefined
  return { low: `${value}T00:00:00.000Z`, high: `${value}T23:59:59.999Z` }
}

function typed(field: FieldKind, value: unknown): Operand | undefined {
  const stored = rulesOf(field).normalise(value)
  return stored === undefined ? undefined : point(columnValue(stored))
}

/**
 * A filter value in the format of column values. Any text is accepted as an id, and matches nothing if it is none. A
 * plain date compared with an instant means that whole UTC day.
 */
export function operandOf(target: FieldKind | RowPart, value: unknown): ParsedOperand {
  if (typeof target !== 'string' && target.multiple) return operandOf({ type: target.type }, value)
  if (target === 'created_at' || target === 'updated_at')
    return {
      operand: instantOperand(value),
      words: 'a plain date or an instant such as 2026-11-21T09:30:00.000Z',
    }
  if (typeof target === 'string') return { operand: ifText(value), words: 'an id' }
  const { references, words } = rulesOf(target)
  if (references) return { operand: ifText(value), words: 'an id' }
  if (valueTypeOf(target) === 'datetime')
    return { operand: datetimeDay(value) ?? typed(target, value), words: `a plain date, or ${words}` }
  return { operand: typed(target, value), words }
}
