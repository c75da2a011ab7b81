import type { Reader } from '../../db/reader.ts'
import { rowTable, valueColumn } from '../../db/row-tables.ts'
import type { Condition } from '../../filter/record/parse.ts'
import type { FieldDefinition } from '../../structures/definition.ts'
import type { RowQuery } from './row-query.ts'
import { findTotal, saveTotal } from './total-cache.ts'

/*
 * The cost model of reads. The unit of every estimate is one row of a scan.
 *
 * - An access path (`row-query.ts`) is how the row table is read.
 * - The index choice (`index-choice.ts`) is the index that leads to the fewest rows of a filter. SQLite would choose
 *   by statistics that it seldom has; here the rows are counted, up to `FEW_ROWS`.
 * - The page plan (`page-plan.ts`) is the access path of a page, and an estimate of the rows it reads.
 * - The row cost (below) is the cost of reading one row, which is more than 1 where long texts are searched.
 *   Estimated rows times row cost decide whether a read runs in the worker.
 * - Scan costs (`index-choice.ts`) are the milliseconds that a missing index would have saved. They are reported to
 *   the policy that builds indexes (`structures/storage/index-policy.ts`).
 */

/** Reading this many rows takes no noticeable time. */
export const FEW_ROWS = 1_000
/** The cost of a row that is looked up through an index. */
export const LOOKUP_COST = 4
/** How many index entries are skipped at the cost of 1. */
export const SKIPS_PER_ROW = 2

/** The bytes in which a short text is searched at the cost of 1. */
const BYTES_PER_ROW = 500
/** The cost grows by its own amount for this many bytes of the text searched for, where the rows hold similar text. */
const BYTES_PER_NEEDLE = 150
/** Up to this many rows, all texts are measured; of more rows, a sample. */
const MAX_MEASURED_ROWS = 10_000

/** The average cost of testing one row against the conditions, at least 1. */
export function rowCost(reader: Reader, query: RowQuery): number {
  let cost = 0
  for (const condition of query.conditions) {
    if (condition.op === 'contains') cost += containsCost(reader, query, condition)
  }
  return Math.max(1, cost)
}

function containsCost(reader: Reader, query: RowQuery, { target, operands }: Condition): number {
  const needle = Buffer.byteLength(String(operands[0]?.low))
  const bytes = averageTextBytes(reader, query, query.definition.fields.filter(isSearched(target)))
  // Only a longer text can contain the needle or resemble it for long; rows outside the sample may have such texts.
  const likely = query.structure.live <= MAX_MEASURED_ROWS ? bytes : Math.max(bytes, 2 * needle)
  return (likely / BYTES_PER_ROW) * (1 + needle / BYTES_PER_NEEDLE)
}

/** Only fields whose values can be long count. */
const isSearched =
  (target: Condition['target']) =>
  (field: FieldDefinition): boolean =>
    (field.type === 'text' || field.type === 'select') &&
    (target === '*' || (typeof target !== 'string' && target.column === field.column))

/** The average length of a row's texts in these fields together; cached like a total. */
function averageTextBytes(
  reader: Reader,
  { structure }: RowQuery,
  fields: readonly FieldDefinition[],
): number {
  if (fields.length === 0) return 0
  const lengths = fields.map(({ column }) => `coalesce(octet_length(${valueColumn(column)}), 0)`)
  const sum = lengths.join(' + ')
  const key = `${structure.pk} ${structure.changes} bytes ${sum}`
  const cached = findTotal(reader, key)
  if (cached !== undefined) return cached
  const bytes = reader.sql.scalar<number | null>(
    `SELECT avg(bytes) FROM (SELECT ${sum} AS bytes FROM ${rowTable(structure.pk)} LIMIT ?)`,
    structure.live <= MAX_MEASURED_ROWS ? MAX_MEASURED_ROWS : FEW_ROWS,
  )
  saveTotal(reader, key, bytes ?? 0)
  return bytes ?? 0
}
