import type { Reader } from '../../db/reader.ts'
import { foldedText, rowTable, valueColumn } from '../../db/row-tables.ts'
import type { WorkerTask } from '../../db/worker/client.ts'
import type { FieldType, TypedField } from '../../filter/record/operators.ts'
import { definitionOf } from '../definition.ts'
import { findDefinitionTexts } from '../store.ts'
import { createRowSearch, dropRowSearch, SEARCH_COLUMN } from './text-index.ts'

/*
 * Indexes that make themselves, where reads have cost more than building one (`records/index-policy.ts`). Texts
 * are indexed as they are sorted, ignoring case; the text as written stands behind, so that equality is judged
 * without a look at the row. The pk stands between, so that rows that sort alike stay in order.
 */

/** What an index can be made for: a field, or a time of the row. */
export type IndexTarget = TypedField | 'created_at' | 'updated_at'

/** The column of the structure's row table whose values are indexed; this is what `auto_indexes` calls it. */
export const indexedColumn = (target: IndexTarget): string =>
  typeof target === 'string' ? target : valueColumn(target.column)

/** Whether values of the type are sorted ignoring case. */
export const isFolded = (type: FieldType): boolean => type === 'text' || type === 'select'

/** What a list sorted by the target is ordered by. */
export function sortExpression(target: IndexTarget): string {
  if (typeof target === 'string') return target
  return isFolded(target.type) ? foldedText(target.column) : valueColumn(target.column)
}

export const autoIndexName = (structurePk: number, column: string) =>
  `${rowTable(structurePk)}_auto_${column}`

/** The structure's automatic indexes, the search table among them: their columns, and when each last served. */
export const findAutoIndexes = ({ sql }: Reader, structurePk: number): Map<string, number> =>
  new Map(
    sql.rows<[string, number]>('SELECT "column", used_at FROM auto_indexes WHERE structure = ?', structurePk),
  )

/** Notes that the index serves. */
export const markUsed = ({ sql }: Reader, structurePk: number, column: string, now: number) =>
  sql.run(
    'UPDATE auto_indexes SET used_at = ? WHERE structure = ? AND "column" = ?',
    now,
    structurePk,
    column,
  )

/** Those that served last before an instant, of every structure. */
export const findUnusedIndexes = ({ sql }: Reader, before: number): IndexPlace[] =>
  sql.all('SELECT structure AS structurePk, "column" FROM auto_indexes WHERE used_at < ?', before)

/** Forgets the structure's indexes, which went with its table. */
export const forgetAutoIndexes = ({ sql }: Reader, structurePk: number) =>
  sql.run('DELETE FROM auto_indexes WHERE structure = ?', structurePk)

export interface IndexPlace {
  structurePk: number
  column: string
}

const MOST_INDEXES = 5
/** Longer texts than this, on the average, are not worth an index. */
const LONG_TEXT = 200
const SAMPLED_ROWS = 1_000

/** Makes an index; answers false where there can be none. */
export const autoIndexBuild: WorkerTask<IndexPlace & { now: number }, boolean> = {
  name: 'structures.index',
  run: (reader, { structurePk, column, now }) => {
    const make = column === SEARCH_COLUMN ? makeSearch : makeIndex
    if (!make(reader, structurePk, column)) return false
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

/** It is empty at first, and does not count among the five. */
function makeSearch(reader: Reader, structurePk: number): boolean {
  const isThere = findAutoIndexes(reader, structurePk).has(SEARCH_COLUMN)
  if (isThere || !findDefinitionTexts(reader, structurePk)) return false
  createRowSearch(reader, structurePk)
  return true
}

function makeIndex(reader: Reader, structurePk: number, column: string): boolean {
  const target = findTarget(reader, structurePk, column)
  const present = [...findAutoIndexes(reader, structurePk).keys()].filter((name) => name !== SEARCH_COLUMN)
  if (!target || present.length >= MOST_INDEXES || present.includes(column)) return false
  if (hasLongTexts(reader, structurePk, column)) return false
  const expression = sortExpression(target)
  const columns = expression === column ? column : `${expression}, pk, ${column}`
  const table = rowTable(structurePk)
  reader.sql.script(`CREATE INDEX ${autoIndexName(structurePk, column)} ON ${table} (${columns})`)
  reader.sql.script(`PRAGMA analysis_limit = 1000; ANALYZE ${table}`)
  return true
}

/** Takes an index, or the search table, away. */
export const autoIndexDrop: WorkerTask<IndexPlace, void> = {
  name: 'structures.dropIndex',
  run: (reader, { structurePk, column }) => {
    if (column === SEARCH_COLUMN) dropRowSearch(reader, structurePk)
    else reader.sql.script(`DROP INDEX IF EXISTS ${autoIndexName(structurePk, column)}`)
    reader.sql.run('DELETE FROM auto_indexes WHERE structure = ? AND "column" = ?', structurePk, column)
  },
}

/** The structure may have gone, or the field have changed, since the index was asked for. */
function findTarget(reader: Reader, structurePk: number, column: string): IndexTarget | undefined {
  const texts = findDefinitionTexts(reader, structurePk)
  if (!texts) return undefined
  if (column === 'created_at' || column === 'updated_at') return column
  return definitionOf(texts).fields.find((field) => indexedColumn(field) === column && field.type !== 'bool')
}

const hasLongTexts = ({ sql }: Reader, structurePk: number, column: string): boolean =>
  sql.scalar<number>(
    `SELECT coalesce(avg(length(${column})), 0) > ${LONG_TEXT}
     FROM (SELECT ${column} FROM ${rowTable(structurePk)} LIMIT ${SAMPLED_ROWS})`,
  ) === 1
