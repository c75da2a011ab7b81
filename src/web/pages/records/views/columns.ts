import { valueText } from '../../../data/records/labels.ts'
import type { BoardColumn, Field } from '../../../data/records/model.ts'

/** The label of a grouping value. */
export const valueLabel = (field: Field | undefined, value: BoardColumn['value']): string =>
  value === null ? 'Not set' : field ? valueText(field, value) : String(value)
