import { columnValue } from '../../../filter/record/values.ts'
import { type FieldValue, type RecordData, valueIn } from '../../../lib/record-data.ts'
import { fold } from '../../../lib/text.ts'
import type { SqlValue } from '../../../storage/sql.ts'
import type { Definition, FieldDefinition } from '../store.ts'
import { hasCompanion } from './row-table-schema.ts'

/* The contents of the columns of a live row. */

function companionOf(value: FieldValue): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? null : JSON.stringify(value)
  return differentFold(String(value))
}

const MAY_FOLD = /[A-Z\u0080-\uffff]/

/** The folded form if it differs. Most texts equal theirs, and testing that is faster than folding. */
function differentFold(text: string): string | null {
  if (!MAY_FOLD.test(text)) return null
  const folded = fold(text)
  return folded === text ? null : folded
}

/**
 * The contents of these fields' columns, appended to others. A plain loop, because every written row passes through it.
 */
export function columnValues(
  fields: readonly FieldDefinition[],
  data: RecordData,
  values: SqlValue[] = [],
): SqlValue[] {
  for (const { key, type } of fields) {
    const value = valueIn(data, key)
    values.push(value === undefined ? null : columnValue(value))
    if (hasCompanion(type)) values.push(value === undefined ? null : companionOf(value))
  }
  return values
}

export interface LiveRow {
  readonly pk: number
  readonly data: RecordData
  readonly createdAt: number
  readonly updatedAt: number
}

/** The contents of all columns of a row (`rowTableColumns`). */
export const rowValues = ({ fields }: Definition, { pk, createdAt, updatedAt, data }: LiveRow): SqlValue[] =>
  columnValues(fields, data, [pk, createdAt, updatedAt])
