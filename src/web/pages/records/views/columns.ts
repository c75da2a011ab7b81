import type { Row } from '../model.ts'

/** A column of a board, as the API has it. */
export interface BoardColumn {
  readonly value: string | boolean | null
  readonly total: number
  readonly records: readonly Row[]
  readonly has_more: boolean
}

/** What a column is called. */
export const wordOf = (value: BoardColumn['value']): string =>
  value === null ? 'Not set' : typeof value === 'boolean' ? (value ? 'yes' : 'no') : value
