import type { BoardColumn } from '../../../data/records/grouped-rows.ts'

/** The label of a grouping value. */
export const valueLabel = (value: BoardColumn['value']): string =>
  value === null ? 'Not set' : typeof value === 'boolean' ? (value ? 'yes' : 'no') : value
