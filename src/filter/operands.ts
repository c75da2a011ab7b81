/*
 * The operands of conditions, common to filters over rows, filter trees over notes, and the conditions of sources.
 */

/** The most values in one condition. */
export const MAX_OPERANDS = 500

/** The operators that do not take exactly one value. A list has any number of values, a pair is `[low, high]`. */
const COUNTS: Readonly<Record<string, 'none' | 'list' | 'pair'>> = {
  is_empty: 'none',
  empty: 'none',
  not_empty: 'none',
  exists: 'none',
  in: 'list',
  not_in: 'list',
  has_any: 'list',
  has_all: 'list',
  has_none: 'list',
  between: 'pair',
}

export const operandCount = (op: string): 'none' | 'one' | 'list' | 'pair' => COUNTS[op] ?? 'one'

/** The operators that match everything that another one does not match. */
const NEGATED: ReadonlySet<string> = new Set(['neq', 'not_in', 'not_contains'])

export const isNegated = (op: string): boolean => NEGATED.has(op)
