import type { Reader } from '../../db/reader.ts'
import { foldedText, rowTable, valueColumn } from '../../db/row-tables.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import type { FieldType, TypedField } from '../../filter/record/operators.ts'
import { definitionOf, findDefinitionTexts } from '../store.ts'
import { createTextIndex, dropTextIndex, TEXT_INDEX } from './text-index.ts'

/*
 * Automatic indexes, built where reads have cost more than building one (`index-policy.ts`). A text field is
 * indexed in its folded form, as it is sorted. The pk follows, so that rows of equal values stay in order, and then
 * the text as written, so that equality is decided without reading the row.
 */

/** What can be indexed: a field, or a time of the row. */
export type IndexTarget = TypedField | 'created_at' | 'updated_at'

/** The column of the row table whose values are indexed, which is also the index's name in `auto_indexes`. */
export const indexedColumn = (target: IndexTarget): string =>
  typeof target === 'string' ? target : valueColumn(target.column)

/** Whether values of the type are sorted ignoring case. */
export const isFolded = (type: FieldType): boolean => type === 'text' || type === 'select'

/** The SQL expression that orders a list sorted by the target. */
export function sortExpression(target: IndexTarget): string {
  if (typeof target === 'string') return target
  return isFolded(target.type) ? foldedText(target.column) : valueColumn(target.column)
}

export const autoIndexName = (structurePk: number, column: string) =>
  `${rowTable(structurePk)}_auto_${column}`

/** The structure's automatic indexes, including its text index: their columns, and when each was last used. */
export const findAutoIndexes = ({ sql }: Reader, structurePk: number): Map<string, number> =>
  new Map(
    sql.rows<[string, number]>('SELECT "column", used_at FROM auto_indexes WHERE structure = ?', structurePk),
  )

export const markUsed = ({ sql }: Reader, structurePk: number, column: string, now: number) =>
  sql.run(
    'UPDATE auto_indexes SET used_at = ? WHERE structure = ? AND "column" = ?',
    now,
    structurePk,
    column,
  )

/** The automatic indexes of every structure that were last used before the given time. */
export const findUnusedIndexes = ({ sql }: Reader, before: number): IndexPlace[] =>
  sql.all('SELECT structure AS structurePk, "column" FROM auto_indexes WHERE used_at < ?', before)

/** Removes the entries of indexes that were dropped with their table. */
export const removeAutoIndexRows = ({ sql }: Reader, structurePk: number) =>
  sql.run('DELETE FROM auto_indexes WHERE structure = ?', structurePk)

export interface IndexPlace {
  structurePk: number
  column: string
}

const MAX_INDEXES = 5
/** Texts longer than this on average are not indexed. */
const MAX_AVERAGE_LENGTH = 200
const SAMPLED_ROWS = 1_000

/** Builds an index; returns false where none is possible. */
export const autoIndexBuild: WorkerTask<IndexPlace & { now: number }, boolean> = {
  name: 'structures.index',
  run: (reader, { structurePk, column, now }) => {
    const build = column === TEXT_INDEX ? buildTextIndex : buildIndex
    if (!build(reader, structurePk, column)) return false
    reader.sql.run(
      'INSERT INTO auto_indexes (structure, "column", created_at, used_at) VALUES (?, ?, ?, ?)',
      structurePk,
      column,
      now,
      now,
    )
    return true
  },
}

/** Creates it empty (`fillTextIndex` fills it); it does not count towards `MAX_INDEXES`. */
function buildTextIndex(reader: Reader, structurePk: number): boolean {
  const exists = findAutoIndexes(reader, structurePk).has(TEXT_INDEX)
  if (exists || !findDefinitionTexts(reader, structurePk)) return false
  createTextIndex(reader, structurePk)
  return true
}

function buildIndex(reader: Reader, structurePk: number, column: string): boolean {
  const target = findTarget(reader, structurePk, column)
  const present = [...findAutoIndexes(reader, structurePk).keys()].filter((name) => name !== TEXT_INDEX)
  if (!target || present.length >= MAX_INDEXES || present.includes(column)) return false
  if (hasLongTexts(reader, structurePk, column)) return false
  const expression = sortExpression(target)
  const columns = expression === column ? column : `${expression}, pk, ${column}`
  const table = rowTable(structurePk)
  reader.sql.script(`CREATE INDEX ${autoIndexName(structurePk, column)} ON ${table} (${columns})`)
  reader.sql.script(`PRAGMA analysis_limit = 1000; ANALYZE ${table}`)
  return true
}

export const autoIndexDrop: WorkerTask<IndexPlace, void> = {
  name: 'structures.dropIndex',
  run: (reader, { structurePk, column }) => {
    if (column === TEXT_INDEX) dropTextIndex(reader, structurePk)
    else reader.sql.script(`DROP INDEX IF EXISTS ${autoIndexName(structurePk, column)}`)
    reader.sql.run('DELETE FROM auto_indexes WHERE structure = ? AND "column" = ?', structurePk, column)
  },
}

/** Undefined when the structure or the field was deleted or changed since the index was requested. */
function findTarget(reader: Reader, structurePk: number, column: string): IndexTarget | undefined {
  const texts = findDefinitionTexts(reader, structurePk)
  if (!texts) return undefined
  if (column === 'created_at' || column === 'updated_at') return column
  return definitionOf(texts).fields.find((field) => indexedColumn(field) === column && field.type !== 'bool')
}

const hasLongTexts = ({ sql }: Reader, structurePk: number, column: string): boolean =>
  sql.scalar<number>(
    `SELECT coalesce(avg(length(${column})), 0) > ${MAX_AVERAGE_LENGTH}
     FROM (SELECT ${column} FROM ${rowTable(structurePk)} LIMIT ${SAMPLED_ROWS})`,
  ) === 1
