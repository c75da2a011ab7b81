import type { InWorkspace } from '../../../context.ts'
import { isSortable, type RowPart, rulesOf, type TypedField } from '../../../filter/record/field-types.ts'
import { type Condition, checkFilter, parseFilter, type RawCondition } from '../../../filter/record/parse.ts'
import { columnCondition, filterSql, rowText } from '../../../filter/record/sql.ts'
import { atPlace, invalid, refused } from '../../../lib/refusal.ts'
import { entryScanOf, scanOf, type TestedText, textScanOf } from '../../../lib/scan.ts'
import { fold } from '../../../lib/text.ts'
import type { Reader } from '../../../storage/reader.ts'
import { liveRows, liveRowsByPk, valueColumn } from '../../../storage/row-table-names.ts'
import { allOf, type Direction, opposite, type SqlPart, sqlDirection } from '../../../storage/sql.ts'
import { type IndexedColumn, sortExpression } from '../../structures/storage/auto-index.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { findCandidates, isSearchable, type SearchedRows } from '../../structures/storage/text-search.ts'
import { type Definition, definitionOf, getStructure, type StructureRow } from '../../structures/store.ts'
import { filterOf, getRowView } from '../../views/service.ts'
import { type Indexes, type UsableIndex, usableIndexes } from './usable-indexes.ts'

/** Reading this many rows takes no noticeable time. */
export const FEW_ROWS = 1_000

/** The requested rows: of a structure, or of a row view, narrowed further. */
interface RowsRequest {
  readonly structure?: string
  readonly view?: string
  readonly filter?: string
  readonly search?: string
  readonly sort?: string
  readonly direction?: Direction
}

/** A request with a parsed filter that is not yet checked against the structure. */
export type ParsedRequest<Request extends RowsRequest> = Omit<Request, 'filter'> & {
  readonly filter: readonly RawCondition[]
}

export function parseRequest<Request extends RowsRequest>({
  filter,
  ...request
}: Request): ParsedRequest<Request> {
  if (request.structure === undefined && request.view === undefined)
    throw invalid('The query parameter "structure" is required.', atPlace('structure'))
  return { ...request, filter: filter === undefined ? [] : parseFilter(filter) }
}

/**
 * Merges a view into the request. The view's conditions apply in addition to those of the request; its other settings
 * are defaults for the request. A searched text is a condition like the others.
 */
export function withView<Request extends ParsedRequest<RowsRequest>>(
  reader: Reader,
  caller: InWorkspace,
  request: Request,
) {
  const view = request.view === undefined ? undefined : getRowView(reader, caller, request.view)
  const structure = request.structure ?? view?.structureId ?? ''
  if (view && getStructure(reader, caller, structure, 'read').pk !== view.structure)
    throw invalid(
      '"structure" names another structure than that of the view; leave it out.',
      atPlace('structure'),
    )
  const search = request.search ?? view?.search ?? undefined
  return {
    ...request,
    structure,
    filter: [
      ...request.filter,
      ...(view ? filterOf(view) : []),
      ...(search === undefined ? [] : [{ field: '*', op: 'contains', value: search } as const]),
    ],
    sort: request.sort ?? view?.sort ?? 'created_at',
    direction: request.direction ?? view?.direction ?? 'desc',
    groupBy: view?.groupBy ?? undefined,
  }
}

export interface RowQuery {
  readonly structure: StructureRow
  readonly definition: Definition
  readonly conditions: readonly Condition[]
}

export function rowQuery(
  reader: Reader,
  caller: InWorkspace,
  request: { readonly structure: string; readonly filter: readonly RawCondition[] },
): RowQuery {
  const structure = getStructure(reader, caller, request.structure, 'read')
  const definition = definitionOf(structure)
  return {
    structure,
    definition,
    conditions:
      request.filter.length === 0 ? [] : checkFilter(request.filter, definition.byKey, caller.userId ?? ''),
  }
}

/** The way to find rows: through the entries of an index; by pk, all rows or some; or as SQLite decides. */
export type AccessPath =
  | { readonly by: 'index'; readonly index: UsableIndex }
  | { readonly by: 'pk'; readonly pks?: readonly number[] }
  | { readonly by: 'any' }

export const ANY_PATH: AccessPath = { by: 'any' }

/*
 * Testing a stop condition may take longer than reading the row. Statements that certainly end within a few tenths of a
 * second have none. They read a bounded number of rows without a condition, or skip a bounded number of rows or index
 * entries.
 */
const MAX_UNSTOPPED_ROWS = 300_000
const MAX_UNSTOPPED_ENTRIES = 2_000_000

const fromWhere = (table: string, parts: readonly SqlPart[]): SqlPart => {
  const { text, values } = allOf(parts)
  return { text: parts.length === 0 ? `FROM ${table}` : `FROM ${table} WHERE ${text}`, values }
}

/** `FROM … WHERE …` over the row table, with its values. */
export const rowSource = (query: RowQuery, path: AccessPath): SqlPart => sourceOf(undefined, query, path, [])

/**
 * The same for a statement that may read many rows. `skips` means that it passes rows without reading their columns;
 * they must then be counted beforehand.
 */
export function scanSource(
  reader: Reader,
  query: RowQuery,
  path: AccessPath,
  skips = false,
  more: readonly SqlPart[] = [],
): SqlPart {
  const readsAll = query.conditions.length === 0 && !(path.by === 'pk' && path.pks)
  if (readsAll && skips && query.structure.live <= MAX_UNSTOPPED_ENTRIES)
    return sourceOf(reader, query, path, more)
  const endsSoon = readsAll && query.structure.live <= MAX_UNSTOPPED_ROWS
  return sourceOf(reader, query, path, [scanOf('pk', endsSoon), ...more])
}

/** In similar text, the search for a long text takes the same time again for each multiple of this many bytes. */
const BYTES_PER_TIME = 150

/** The text columns that conditions test; their values may be long. */
function testedTexts({ definition }: RowQuery, conditions: readonly Condition[]): TestedText[] {
  const long = definition.fields.filter((field) => field.multiple || rulesOf(field).companion === 'folded')
  return long.flatMap(({ column }) => {
    const testing = conditions.filter(
      ({ target, operands }) =>
        operands.length > 0 && (target === '*' || (typeof target !== 'string' && target.column === column)),
    )
    if (testing.length === 0) return []
    const times = testing.map(({ op, operands }) => {
      if (op !== 'contains') return op.startsWith('has_') ? operands.length : 1
      return 1 + Buffer.byteLength(String(operands[0]?.low)) / BYTES_PER_TIME
    })
    return [{ column: valueColumn(column), times: times.reduce((sum, one) => sum + one, 0) }]
  })
}

function sourceOf(
  reader: Reader | undefined,
  query: RowQuery,
  path: AccessPath,
  first: readonly SqlPart[],
): SqlPart {
  const { structure } = query
  if (path.by === 'index') {
    const { deciding, rest } = divided(query, path.index)
    return fromWhere(`${liveRows(structure)} AS live INDEXED BY ${path.index.index}`, [
      ...first,
      ...deciding,
      ...tests(reader, query, rest),
    ])
  }
  const table = path.by === 'pk' ? liveRowsByPk(structure) : `${liveRows(structure)} AS live`
  return fromWhere(table, [...first, ...pkTests(path), ...tests(reader, query, query.conditions)])
}

/** The conditions as row tests that the reader can stop. */
function tests(
  reader: Reader | undefined,
  query: RowQuery,
  conditions: readonly Condition[],
): readonly SqlPart[] {
  if (conditions.length === 0) return []
  const filter = filterSql(conditions, query.definition.fields)
  return reader ? [textScanOf(testedTexts(query, conditions)), filter] : [filter]
}

const pkTests = (path: AccessPath): SqlPart[] =>
  path.by === 'pk' && path.pks
    ? [{ text: 'pk IN (SELECT value FROM json_each(?))', values: [JSON.stringify(path.pks)] }]
    : []

/** Splits the conditions: those that index entries decide, as entry tests, and the others. */
function divided({ conditions }: RowQuery, index: UsableIndex): { deciding: SqlPart[]; rest: Condition[] } {
  const deciding: SqlPart[] = []
  const rest: Condition[] = []
  for (const condition of conditions) {
    const column = decidingColumn(index, condition)
    if (column) deciding.push(...keyCondition(column, condition))
    else rest.push(condition)
  }
  return { deciding, rest }
}

/**
 * `FROM … WHERE …` for statements that may read many rows but need no columns. It reads the entries of the path's
 * index, if any. SQLite reads a row only for conditions that its entry does not decide.
 */
export function pkSource(
  reader: Reader,
  query: RowQuery,
  path: AccessPath,
  more: readonly SqlPart[] = [],
): SqlPart {
  if (path.by !== 'index') return scanSource(reader, query, path)
  const { index } = path
  const decides = query.conditions.every((condition) => decidingColumn(index, condition) !== undefined)
  const scan = decides ? entryScanOf('pk', query.structure.live <= MAX_UNSTOPPED_ENTRIES) : scanOf('pk')
  return sourceOf(reader, query, path, [scan, ...more])
}

/** The sort keys of a list: a field, `created_at` or `updated_at`. */
export type SortTarget = TypedField | Extract<RowPart, 'created_at' | 'updated_at'>

/** Refuses a sort key that is neither a field of the structure nor a time of the row. */
export function sortTarget({ byKey }: Definition, sort: string): SortTarget {
  if (sort === 'created_at' || sort === 'updated_at') return sort
  const field = byKey.get(sort)
  if (field && isSortable(field)) return field
  const reason = field ? 'whose values have no order' : 'and the structure has no such field'
  throw refused(`"sort" names "${sort}", ${reason}.`, atPlace('sort'))
}

/** Whether pk order is the requested order. While rows are created in order, it equals `created_at`, id. */
export const isSortedByPk = ({ inOrder }: StructureRow, target: SortTarget): boolean =>
  inOrder === 1 && target === 'created_at'

/** The order of a list; `isReversed` reads it from the end. */
export interface Order {
  readonly direction: Direction
  readonly isReversed: boolean
}

export const directionOf = ({ direction, isReversed }: Order): Direction =>
  isReversed ? opposite(direction) : direction

/**
 * `ORDER BY` of a list: rows without a value last in both directions, ties by id in the same direction. Text is
 * compared by the code points of its folded form, everything else as its column compares.
 */
export function orderBy(structure: StructureRow, target: SortTarget, order: Order): string {
  const way = directionOf(order)
  if (isSortedByPk(structure, target)) return `ORDER BY pk ${sqlDirection(way)}`
  const isAsSqlite = typeof target === 'string' || order.direction === 'desc'
  const nulls = isAsSqlite ? '' : ` NULLS ${order.isReversed ? 'FIRST' : 'LAST'}`
  return `ORDER BY ${sortExpression(target)} ${sqlDirection(way)}${nulls}, ${tieBreak(structure, way)}`
}

/** The expression that orders rows of equal value. */
export const tieExpression = (structure: StructureRow): string =>
  structure.inOrder === 1 ? 'pk' : '(SELECT id FROM records r WHERE r.pk = live.pk)'

export const tieBreak = (structure: StructureRow, direction: Direction): string =>
  `${tieExpression(structure)} ${sqlDirection(direction)}`

/* The entries of indexes. */

/** The row table column that a condition tests; undefined if it tests another part of the row. */
export const testedColumn = ({ target }: Condition): string | undefined => {
  if (target === '*' || target === 'id') return undefined
  return typeof target === 'string' ? target : valueColumn(target.column)
}

/** The index column that decides the condition without reading the row. */
export const decidingColumn = (index: UsableIndex, condition: Condition): IndexedColumn | undefined =>
  condition.op === 'contains'
    ? undefined
    : index.columns.find(({ column }) => column === testedColumn(condition))

/** The condition as a test of index entries. */
function keyCondition(column: IndexedColumn, { op, operands }: Condition): SqlPart[] {
  const { key, written } = column
  const isText = written !== undefined && operands.length > 0
  return isText ? textCondition(column, written, { op, operands }) : [columnCondition(key, op, operands)]
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

/** Tests for the entries of rows with a value in the column. */
export const isPresent = ({ key }: IndexedColumn): SqlPart => ({ text: `${key} IS NOT NULL`, values: [] })
/** Tests for the entries of rows without a value in the column. */
export const isAbsent = ({ key }: IndexedColumn): SqlPart => ({ text: `${key} IS NULL`, values: [] })

/** Leads to the entries; the text as written is then compared separately. */
function foldedTest(key: string, texts: readonly string[]): SqlPart {
  const folded = [...new Set(texts)]
  if (folded.length === 1) return { text: `${key} = ?`, values: [folded[0] ?? ''] }
  return { text: `${key} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(folded)] }
}

/* The candidates for `*` conditions that the text index finds. */

const MAX_CANDIDATE_SHARE = 0.2

/** Above this many candidates, a scan is faster than verifying each. */
const maxCandidates = ({ structure }: RowQuery) =>
  Math.max(FEW_ROWS, Math.floor(structure.live * MAX_CANDIDATE_SHARE))

/** The texts that conditions search for in all fields, if the text index can find them. */
export const needlesOf = (conditions: readonly Condition[]): string[] =>
  conditions
    .filter(({ target }) => target === '*')
    .map(({ operands }) => String(operands[0]?.low))
    .filter(isSearchable)

/** The structure with its text index; undefined if it has none. */
function textIndexed({ structure, definition }: RowQuery, indexes: Indexes): SearchedRows | undefined {
  const { pk, indexedTo, live } = structure
  if (indexedTo === null || !indexes.has(TEXT_INDEX)) return undefined
  return { pk, indexedTo, live, text: rowText(definition.fields) }
}

/**
 * The rows that the text index finds for the `*` conditions, a superset of the matches. Undefined if there is no text
 * index, or if it finds too many.
 */
export function textIndexPath(reader: Reader, query: RowQuery, indexes: Indexes): AccessPath | undefined {
  const structure = textIndexed(query, indexes)
  const needles = needlesOf(query.conditions)
  if (!structure || needles.length === 0) return undefined
  const pks = findCandidates(reader, structure, needles, maxCandidates(query))
  return pks && { by: 'pk', pks }
}

/** A small structure shares its table with others, and has no index of its own. */
const NO_INDEXES: Indexes = new Map()

/** The indexes available to a query. */
export const indexesFor = (
  reader: Reader,
  of: { readonly structure: StructureRow; readonly definition: Definition },
): Indexes => (of.structure.ownTable > 0 ? usableIndexes(reader, of) : NO_INDEXES)
