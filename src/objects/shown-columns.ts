import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SqlValue } from '../db/sql.ts'
import { fold } from '../lib/text.ts'

const FOLDED = /_fold$/

/**
 * The columns of an object as responses show it: an attribute is stored in the column of its name, an instant as
 * milliseconds, true as 1, a list or object as JSON, and in `name_fold` the folded form of `name`. What is stored
 * differently is up to the caller; `derived` names attributes that are not stored from what is shown.
 */
export function columnsShown(
  table: SQLiteTable,
  shown: object,
  derived: readonly string[] = [],
): Record<string, SqlValue> {
  const object = shown as Readonly<Record<string, unknown>>
  const columns: Record<string, SqlValue> = {}
  for (const [key, { name }] of Object.entries(getTableColumns(table))) {
    const value = object[name.replace(FOLDED, '')]
    if (value !== undefined && name !== 'id' && !derived.includes(name)) columns[key] = stored(name, value)
  }
  return columns
}

function stored(name: string, value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'object') return value === null ? null : JSON.stringify(value)
  if (typeof value !== 'string') return value as SqlValue
  if (name.endsWith('_at')) return Date.parse(value)
  return FOLDED.test(name) ? fold(value) : value
}
