import type { Row } from '../model.ts'

/** A column of a board, in the API's format. */
export interface BoardColumn {
  readonly value: string | boolean | null
  readonly total: number
  readonly records: readonly Row[]
  readonly has_more: boolean
}

/** The label of a grouping value. */
export const valueLabel = (value: BoardColumn['value']): string =>
  value === null ? 'Not set' : typeof value === 'boolean' ? (value ? 'yes' : 'no') : value
