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
