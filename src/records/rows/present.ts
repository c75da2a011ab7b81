import { isoTimestamp } from '../../lib/dates.ts'
import { escapeLineBoundaries } from '../../lib/json.ts'
import { refused } from '../../lib/refusal.ts'
import type { BoardColumn } from './query/board.ts'
import type { RecordPage } from './query/list.ts'
import type { Summary } from './query/summary.ts'
import type { FoundRecord, RecordRow } from './store.ts'
import type { Written } from './writing/write-records.ts'

const instant = (value: number | null) => (value === null ? 'null' : `"${isoTimestamp(value)}"`)

/**
 * A record as JSON text: exactly `{id, data, created_at, updated_at, deleted_at}`. The stored `data` is already JSON
 * text, so a page of rows is joined without parsing.
 */
export const recordJson = ({ id, data, createdAt, updatedAt, deletedAt }: RecordRow): string =>
  `{"id":"${id}","data":${data},"created_at":${instant(createdAt)},"updated_at":${instant(updatedAt)},"deleted_at":${instant(deletedAt)}}`

/** The record as one line of a file. */
export const recordLine = (row: RecordRow): string => escapeLineBoundaries(recordJson(row))

export const recordResponse = (row: RecordRow): string => `{"record":${recordJson(row)}}`

export const foundResponse = (row: FoundRecord): string =>
  `{"record":${recordJson(row)},"structure_id":"${row.structureId}"}`

/** The members of a page's JSON object, without the braces. */
export const pageMembers = ({ rows, total, hasMore }: RecordPage): string =>
  `"records":[${rows.map(recordJson).join(',')}],"total":${total},"has_more":${hasMore}`

export const pageResponse = (page: RecordPage): string => `{${pageMembers(page)}}`

export const boardResponse = (columns: readonly BoardColumn[]): string => {
  const texts = columns.map(
    ({ value, total, rows }) =>
      `{"value":${JSON.stringify(value)},"total":${total},"records":[${rows.map(recordJson).join(',')}],"has_more":${rows.length < total}}`,
  )
  const total = columns.reduce((sum, column) => sum + column.total, 0)
  return `{"columns":[${texts.join(',')}],"total":${total}}`
}

export const writtenResponse = ({ rows, inserted, updated }: Written): string =>
  `{"written":${rows.length},"inserted":${inserted},"updated":${updated},"records":[${rows.map(recordJson).join(',')}]}`

export const presentBuckets = ({ buckets, hasField }: Summary) =>
  buckets.map(({ period, value, count, valued, sum, min, max }) => ({
    period,
    value,
    count,
    sum: hasField ? finite(sum) : null,
    average: valued === 0 ? null : finite(sum) / valued,
    min: valued === 0 ? null : min,
    max: valued === 0 ? null : max,
  }))

function finite(sum: number): number {
  if (Number.isFinite(sum)) return sum
  throw refused('The sum is beyond the range of a number; narrow it with a filter.')
}
