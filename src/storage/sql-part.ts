import type { SqlValue } from './sql.ts'

/** A part of a statement: its text, with a `?` for each of the values. */
export interface SqlPart {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Conditions joined by AND. */
export const allOf = (conditions: readonly SqlPart[]): SqlPart => ({
  text: conditions.map(({ text }) => text).join(' AND '),
  values: conditions.flatMap(({ values }) => values),
})

/** Sets `updated_at` to the bound time, or to just after its value if that is later, so that it always grows. */
export const TOUCH = 'updated_at = max(?, updated_at + 1)'

export type Direction = 'asc' | 'desc'

/** The SQL keyword of a direction. */
export const sqlDirection = (direction: Direction): 'ASC' | 'DESC' => (direction === 'asc' ? 'ASC' : 'DESC')

export const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc')
