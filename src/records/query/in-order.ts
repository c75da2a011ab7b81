import type { Reader } from '../../db/reader.ts'
import { liveRows } from '../../db/row-table-names.ts'
import { type Direction, type SqlPart, sqlWay } from '../../db/sql-part.ts'
import { sortExpression } from '../../structures/storage/auto-index.ts'
import { eachRecord, findRecordId, type RecordRow } from '../store.ts'
import { type ListInput, type ListPlan, planList } from './list.ts'
import { choiceSorts, scanPath, sortedColumn, sortedPath, textIndexPath } from './planner.ts'
import {
  type AccessPath,
  isSortedByPk,
  orderBy,
  pkSource,
  rowQuery,
  scanSource,
  tieBreak,
  withView,
} from './row-query.ts'
import { type IndexedColumn, isAbsent, isPresent } from './usable-indexes.ts'

/*
 * All rows of a list in its order, some at a time. Each time the rows after the last one are sought, so that it takes no
 * longer far inside the list, and a row that is written or deleted meanwhile moves no other.
 */

/** A row of a list, and the value by which it is sorted. */
interface Place {
  readonly pk: number
  readonly value: string | number | null
}

export interface Progress {
  readonly ahead: Float64Array
  /** The last of them; undefined at the beginning. */
  readonly after: Place | undefined
  /** Whether there may be rows after it. */
  readonly hasMore: boolean
}

export const BEGINNING: Progress = { ahead: new Float64Array(), after: undefined, hasMore: true }

/** How many rows are sought at once: where all rows must be sorted for it, many. */
const SOUGHT = { sorted: 2_000, unsorted: 100_000 }
const AT_ONCE = 2_000

/** Calls `take` with some of the next rows, until it returns false; returns how far that is, undefined at the end of the list. */
export function readOn(
  reader: Reader,
  input: ListInput,
  progress: Progress,
  take: (row: RecordRow) => boolean,
  sought = SOUGHT,
): Progress | undefined {
  const isKnown = progress.ahead.length > 0
  const { ahead, after, hasMore } = isKnown ? progress : seek(reader, input, progress.after, sought)
  const next = [...ahead.subarray(0, AT_ONCE)]
  let taken = next.length
  for (const row of eachRecord(reader, stillMatching(reader, input, next))) {
    if (take(row)) continue
    taken = next.indexOf(row.pk) + 1
    break
  }
  if (taken === ahead.length && !hasMore) return undefined
  return { ahead: ahead.slice(taken), after, hasMore }
}

/** Those that were not changed meanwhile so that the list does not hold them any more. */
function stillMatching(reader: Reader, { caller, request }: ListInput, pks: readonly number[]): number[] {
  const query = rowQuery(reader, caller, withView(reader, caller, request))
  const { text, values } = scanSource(reader, query, { by: 'pk', pks })
  const matching = new Set(reader.sql.column<number>(`SELECT pk ${text}`, ...values))
  return pks.filter((pk) => matching.has(pk))
}

/** Seeks the rows that come after one. */
function seek(reader: Reader, input: ListInput, after: Place | undefined, sought: typeof SOUGHT): Progress {
  const plan = planList(reader, input)
  const { path, isSorted } = pathInOrder(reader, plan)
  const most = isSorted ? sought.sorted : sought.unsorted
  const pks: number[] = []
  for (const { source, order } of partsAfter(reader, plan, path, after)) {
    const { text, values } = source
    pks.push(...reader.sql.column<number>(`SELECT pk ${text} ${order} LIMIT ?`, ...values, most - pks.length))
    if (pks.length === most) break
  }
  const last = pks.at(-1)
  const place = last === undefined ? after : placeOf(reader, plan, last)
  return { ahead: Float64Array.from(pks), after: place, hasMore: pks.length === most }
}

const placeOf = (reader: Reader, { query: { structure }, sort }: ListPlan, pk: number): Place => ({
  pk,
  value: reader.sql.scalar(`SELECT ${sortExpression(sort)} FROM ${liveRows(structure)} WHERE pk = ?`, pk),
})

/** How the rows are found, and whether that is in their order. */
function pathInOrder(reader: Reader, plan: ListPlan): { path: AccessPath; isSorted: boolean } {
  const { query, indexes, choice } = plan
  if (choice?.few !== undefined) return { path: choice.path, isSorted: false }
  const found = textIndexPath(reader, query, indexes)
  if (found) return { path: found, isSorted: false }
  if (choice && choiceSorts(plan, choice)) return { path: choice.path, isSorted: true }
  const sorted = sortedPath(plan)
  return sorted ? { path: sorted, isSorted: true } : { path: scanPath(choice), isSorted: false }
}

interface OrderedPart {
  readonly source: SqlPart
  readonly order: string
}

/** The rows after one, or all: those of the first part in its order, then those of the next. */
function partsAfter(
  reader: Reader,
  plan: ListPlan,
  path: AccessPath,
  after: Place | undefined,
): OrderedPart[] {
  const { query, sort, direction } = plan
  const { structure } = query
  const order = orderBy(structure, sort, { direction, isReversed: false })
  if (isSortedByPk(structure, sort)) {
    const tests = after ? [{ text: `pk ${past(direction)} ?`, values: [after.pk] }] : []
    return [{ source: withTests(pkSource(reader, query, path), tests), order }]
  }
  const column = path.by === 'index' ? sortedColumn(path.index, sort) : undefined
  if (!column) {
    const tests = after ? [allAfter(reader, plan, sortExpression(sort), after)] : []
    return [{ source: withTests(scanSource(reader, query, path), tests), order }]
  }
  const ofIndex = `ORDER BY ${column.key} ${sqlWay(direction)}, ${tieBreak(structure, direction)}`
  return indexRanges(reader, plan, column, after).map((tests) => ({
    source: pkSource(reader, query, path, tests),
    order: ofIndex,
  }))
}

const past = (direction: Direction): string => (direction === 'asc' ? '>' : '<')

/** Statements that may read many rows have a condition already, their stop condition. */
const withTests = ({ text, values }: SqlPart, tests: readonly SqlPart[]): SqlPart => ({
  text: [text, ...tests.map((test) => `(${test.text})`)].join(' AND '),
  values: [...values, ...tests.flatMap((test) => test.values)],
})

/** Of rows with the same value, those that come after one. */
function tieAfter(reader: Reader, { query: { structure }, direction }: ListPlan, { pk }: Place): SqlPart {
  const isBefore = past(direction)
  if (structure.inOrder === 1) return { text: `pk ${isBefore} ?`, values: [pk] }
  const id = findRecordId(reader, pk) ?? ''
  return { text: `(SELECT id FROM records r WHERE r.pk = live.pk) ${isBefore} ?`, values: [id] }
}

/** Rows without a value come last. */
function allAfter(reader: Reader, plan: ListPlan, expression: string, after: Place): SqlPart {
  const tie = tieAfter(reader, plan, after)
  if (after.value === null) return { text: `${expression} IS NULL AND ${tie.text}`, values: tie.values }
  return {
    text: `${expression} ${past(plan.direction)} ? OR ${expression} IS NULL OR (${expression} = ? AND ${tie.text})`,
    values: [after.value, after.value, ...tie.values],
  }
}

/** The same as ranges of the entries of an index, in which rows without a value come first. */
function indexRanges(
  reader: Reader,
  plan: ListPlan,
  column: IndexedColumn,
  after: Place | undefined,
): SqlPart[][] {
  const isAscending = plan.direction === 'asc'
  const absent = column.hasAbsent ? [[isAbsent(column)]] : []
  if (!after) return isAscending ? [present(column), ...absent] : [[]]
  const tie = tieAfter(reader, plan, after)
  if (after.value === null) return [[isAbsent(column), tie]]
  const { value } = after
  const equal = [{ text: `${column.key} = ?`, values: [value] }, tie]
  const further = [{ text: `${column.key} ${past(plan.direction)} ?`, values: [value] }]
  return [equal, further, ...(isAscending ? absent : [])]
}

const present = (column: IndexedColumn): SqlPart[] => (column.hasAbsent ? [isPresent(column)] : [])
