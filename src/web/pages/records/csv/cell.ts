import { protectedCell } from '../../../../lib/csv-cells.ts'
import type { Field, Row } from '../model.ts'

/** What a text holds is no formula for a spreadsheet; a field may be called `constructor`. */
export function cellOf({ key, type }: Pick<Field, 'key' | 'type'>, data: Row['data']): unknown {
  const value = Object.hasOwn(data, key) ? data[key] : undefined
  const isText = type === 'text' || type === 'select'
  return isText && typeof value === 'string' ? protectedCell(value) : value
}
