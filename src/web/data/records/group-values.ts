import type { Field } from './model.ts'

/* The levels and values of groups of rows. */

export const PERIODS = ['day', 'week', 'month', 'year'] as const
export type Period = (typeof PERIODS)[number]

/** A level of grouping. `period` is set for dates only. */
export interface Grouping {
  readonly field: Field
  readonly period: Period | undefined
}

/** A range of numbers; its end is exclusive. */
export interface NumberRange {
  readonly from: number
  readonly to: number
}

/** The value, range, or first day of the period of a group; null for rows without a value. */
export type GroupValue = string | number | boolean | null | NumberRange

export const isRange = (value: GroupValue): value is NumberRange =>
  typeof value === 'object' && value !== null

/** Identifies a group among those of one level. */
export const groupKey = (value: GroupValue): string => JSON.stringify(value)

/** About this many ranges. */
const RANGES = 10

/** Ranges of one round width that cover the numbers. */
export function rangesOf(min: number, max: number): readonly NumberRange[] {
  // Steps below the precision of the numbers would not separate them.
  const rough = Math.max((max - min) / RANGES, 64 * Number.EPSILON * Math.max(-min, max)) || 1
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power
  // Neither products nor quotients of decimals are exact, so the bounds decide which numbers a range holds.
  const bound = (number: number) => (step < 1 ? Number((number * step).toPrecision(15)) : number * step)
  let number = Math.floor(min / step)
  if (bound(number) > min) number--
  const ranges: NumberRange[] = []
  for (; bound(number) <= max && ranges.length < 2 * RANGES; number++)
    ranges.push({ from: bound(number), to: bound(number + 1) })
  return ranges
}
