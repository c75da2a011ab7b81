import type { SqlValue } from './sql.ts'

/** Part of a statement: the text with a `?` for each of the values. */
export interface SqlPart {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Conditions joined by AND. */
export const allOf = (conditions: readonly SqlPart[]): SqlPart => ({
  text: conditions.map(({ text }) => text).join(' AND '),
  values: conditions.flatMap(({ values }) => values),
})
