import type { Reader } from '../../db/reader.ts'
import { textIndexTable, valueColumn } from '../../db/row-table-names.ts'
import type { SqlPart } from '../../db/sql-part.ts'
import type { Condition } from '../../filter/record/parse.ts'
import { columnCondition } from '../../filter/record/sql.ts'
import { fold } from '../../lib/text.ts'
import {
  ABSENT,
  autoIndexTable,
  findAutoIndexes,
  type IndexTarget,
  indexedColumn,
  indexTargets,
  isFolded,
  keyColumn,
  writtenColumn,
} from '../../structures/storage/auto-index.ts'
import { uniqueColumn, uniqueTable } from '../../structures/storage/row-table-schema.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import type { Definition, StructureRow, UniqueSet } from '../../structures/store.ts'

/** A column of an index table (`structures/storage/index-table.ts`), as queries use it. */
export interface IndexedColumn {
  readonly column: string
  /** The column of the index table with its values. */
  readonly key: string
  /** The column with texts as written where these differ from the key, which holds them folded. */
  readonly written: string | undefined
  /** Whether there are entries of rows without a value. */
  readonly hasAbsent: boolean
}

/** An index by its columns, in the order of its entries. */
export interface UsableIndex {
  readonly name: string
  readonly table: string
  readonly columns: readonly IndexedColumn[]
  /** Whether rows of equal values are in the order of their pks; it holds all rows then. */
  readonly isComplete: boolean
}

/** By name; the text index is `*`. */
export type Indexes = ReadonlyMap<string, UsableIndex>

const NO_INDEXES: Indexes = new Map()

/** The indexes that a query may use: the unique ones of the definition, and the automatic ones that are ready. */
export function usableIndexes(
  reader: Reader,
  { structure, definition }: { structure: StructureRow; definition: Definition },
): Indexes {
  const { pk, ownTable } = structure
  if (ownTable === 0) return NO_INDEXES
  const unique = definition.uniqueSets.map((set) => uniqueIndex(pk, set))
  const automatic = findAutoIndexes(reader, pk).flatMap((name) => autoIndex(pk, definition, name) ?? [])
  return new Map([...unique, ...automatic].map((index) => [index.name, index]))
}

function uniqueIndex(structurePk: number, set: UniqueSet): UsableIndex {
  const { name, sources } = uniqueTable(structurePk, set)
  const own = { written: undefined, hasAbsent: false }
  const columns = sources.map((column) => ({ column, key: uniqueColumn(column), ...own }))
  return { name, table: name, columns, isComplete: false }
}

/** Undefined where the definition does not have the columns of the index. */
function autoIndex(structurePk: number, definition: Definition, name: string): UsableIndex | undefined {
  if (name === TEXT_INDEX) return { name, table: textIndexTable(structurePk), columns: [], isComplete: true }
  const targets = indexTargets(definition, name)
  if (!targets) return undefined
  const table = autoIndexTable(structurePk, targets).name
  return { name, table, columns: targets.map(columnOf), isComplete: true }
}

function columnOf(target: IndexTarget): IndexedColumn {
  const key = keyColumn(target)
  const hasText = typeof target !== 'string' && isFolded(target.type)
  const written = hasText ? writtenColumn(target) : undefined
  return { column: indexedColumn(target), key, written, hasAbsent: typeof target !== 'string' }
}

/** The column of the row table that a condition tests; undefined where it tests another part of the row. */
export const testedColumn = ({ target }: Condition): string | undefined => {
  if (target === '*' || target === 'id') return undefined
  return typeof target === 'string' ? target : valueColumn(target.column)
}

/** The column of the index on which it decides the condition without reading the row. */
export const decidingColumn = (index: UsableIndex, condition: Condition): IndexedColumn | undefined =>
  condition.op === 'contains'
    ? undefined
    : index.columns.find(({ column }) => column === testedColumn(condition))

/** The condition as a test of index entries. */
export function keyCondition(column: IndexedColumn, { op, operands }: Condition): SqlPart[] {
  const { key, written, hasAbsent } = column
  if (op === 'is_empty') return [{ text: hasAbsent ? `${key} = ${ABSENT}` : 'FALSE', values: [] }]
  if (op === 'not_empty') return hasAbsent ? [isPresent(column)] : []
  if (written !== undefined) return textCondition(column, written, { op, operands })
  const test = columnCondition(key, op, operands)
  return hasAbsent && (op === 'lt' || op === 'lte') ? [isPresent(column), test] : [test]
}

function textCondition(
  { key }: IndexedColumn,
  written: string,
  { op, operands }: Pick<Condition, 'op' | 'operands'>,
): SqlPart[] {
  const texts = operands.map(({ low }) => String(low))
  const folded = texts.map(fold)
  if (op === 'eq') {
    const [text = ''] = texts
    const isFolded = text === folded[0]
    const asWritten = isFolded
      ? { text: `${written} IS NULL`, values: [] }
      : { text: `${written} = ?`, values: [text] }
    return [foldedTest(key, folded), asWritten]
  }
  const test = columnCondition(`coalesce(${written}, ${key})`, op, operands)
  return op === 'in' ? [foldedTest(key, folded), test] : [test]
}

/** Tests for the entries of rows that have a value in the column. */
export const isPresent = ({ key }: IndexedColumn): SqlPart => ({ text: `${key} > ${ABSENT}`, values: [] })
/** Tests for the entries of rows that have none; only where the index has such entries (`hasAbsent`). */
export const isAbsent = ({ key }: IndexedColumn): SqlPart => ({ text: `${key} = ${ABSENT}`, values: [] })

/** Leads to the entries; the text as written is then compared itself. */
function foldedTest(key: string, texts: readonly string[]): SqlPart {
  const folded = [...new Set(texts)]
  if (folded.length === 1) return { text: `${key} = ?`, values: [folded[0] ?? ''] }
  return { text: `${key} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(folded)] }
}
