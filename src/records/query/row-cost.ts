import type { Reader } from '../../db/reader.ts'
import { rowTable, valueColumn } from '../../db/row-tables.ts'
import type { Condition } from '../../filter/record/parse.ts'
import type { FieldDefinition } from '../../structures/definition.ts'
import { FEW } from './index-choice.ts'
import type { RowQuery } from './row-query.ts'
import { findTotal, keepTotal } from './total-cache.ts'

/** Looking for a short text in so many bytes takes as long as a row of a scan, and is part of one in fewer. */
const BYTES_OF_A_ROW = 500
/** A text that is looked for takes once more as long for each so many bytes of its own, where much is like it. */
const BYTES_OF_A_NEEDLE = 150
/** The texts of so many rows are all measured; of more, some. */
const MEASURED = 10_000

/** What looking at one row comes to on average, in rows of a scan: more than 1 where long texts are looked through. */
export function weighRow(reader: Reader, query: RowQuery): number {
  const searches = query.conditions.filter(({ op }) => op === 'contains')
  const weights = searches.map((condition) => weighContains(reader, query, condition))
  return Math.max(
    1,
    weights.reduce((sum, weight) => sum + weight, 0),
  )
}

function weighContains(reader: Reader, query: RowQuery, { target, operands }: Condition): number {
  const needle = Buffer.byteLength(String(operands[0]?.low))
  const bytes = textBytes(reader, query, query.definition.fields.filter(isLookedAt(target)))
  // Only a text that is longer can hold it, or look like it for long: where some were not measured, they may be such.
  const likely = query.structure.live <= MEASURED ? bytes : Math.max(bytes, 2 * needle)
  return (likely / BYTES_OF_A_ROW) * (1 + needle / BYTES_OF_A_NEEDLE)
}

/** Only texts can be long. */
const isLookedAt =
  (target: Condition['target']) =>
  (field: FieldDefinition): boolean =>
    (field.type === 'text' || field.type === 'select') &&
    (target === '*' || (typeof target !== 'string' && target.column === field.column))

/** How long the texts of a row are on average, all fields together; kept like a total. */
function textBytes(reader: Reader, { structure }: RowQuery, fields: readonly FieldDefinition[]): number {
  if (fields.length === 0) return 0
  const lengths = fields.map(({ column }) => `coalesce(octet_length(${valueColumn(column)}), 0)`)
  const sum = lengths.join(' + ')
  const key = `${structure.pk} ${structure.changes} bytes ${sum}`
  const known = findTotal(reader, key)
  if (known !== undefined) return known
  const bytes = reader.sql.scalar<number | null>(
    `SELECT avg(bytes) FROM (SELECT ${sum} AS bytes FROM ${rowTable(structure.pk)} LIMIT ?)`,
    structure.live <= MEASURED ? MEASURED : FEW,
  )
  keepTotal(reader, key, bytes ?? 0)
  return bytes ?? 0
}
