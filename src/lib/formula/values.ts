/** The types of formula results. */
export const RESULT_TYPES = ['text', 'number', 'bool', 'date', 'datetime'] as const
export type ResultType = (typeof RESULT_TYPES)[number]

/** A value in an expression; null is blank. */
export type FormulaValue = string | number | boolean | null

/** A mistake in an expression; `position` counts characters from 0. */
export class FormulaError extends Error {
  constructor(
    sentence: string,
    readonly position: number,
  ) {
    super(sentence)
    this.name = 'FormulaError'
  }
}

/** The text of a value as `TEXT` and `&` write it: as in JSON, without quotes. */
export const textOf = (value: string | number | boolean): string =>
  typeof value === 'string' ? value : JSON.stringify(value)
