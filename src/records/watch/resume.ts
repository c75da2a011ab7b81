import { hasAllAfter } from '../../changes/cursors.ts'
import { lastChange } from '../../changes/log.ts'
import { type RecordData, type RecordState, valueIn } from '../../changes/record-data.ts'
import { type Replaced, replacedAfter } from '../../changes/replaced-values.ts'
import type { Reader } from '../../db/reader.ts'
import type { Direction } from '../../db/sql-part.ts'
import { type QueryPlan, TooLongHere, type WorkerQuery } from '../../db/worker/client.ts'
import { matchesFilter } from '../../filter/record/match.ts'
import { columnValue } from '../../filter/record/values.ts'
import { compareCodePoints, fold } from '../../lib/text.ts'
import { isFolded } from '../../structures/storage/auto-index.ts'
import { firstRowsWithout, type ListInput, type ListPlan, listQuery, withKnownTotal } from '../query/list.ts'
import type { SortTarget } from '../query/row-query.ts'
import { dataOf, findRecords, type RecordRow, recordBytes, stateOf } from '../store.ts'
import type { Versions } from './page.ts'

/*
 * A page as it was at an earlier position in the change log. The rows that have not changed since are read as they are;
 * the others are reverted to what they were, with the old values in the log.
 */

interface PastInput extends ListInput {
  /** The number of the last change before the page was read. */
  readonly position: number
}

interface PastPlan extends QueryPlan {
  readonly input: PastInput
  readonly list: ListPlan
}

/** What taking back a change costs, in rows of a scan. */
const CHANGE_COST = 20
/** Each may be very long. */
const RECORDS_AT_ONCE = 50

/** The versions of an earlier page; undefined if the log does not have them. */
export const pastPageQuery: WorkerQuery<PastInput, PastPlan, Versions | undefined> = {
  name: 'records.past',
  plan: (reader, input) => {
    const list = listQuery.plan(reader, input)
    const changes = lastChange(reader, input.caller.workspacePk) - input.position
    const { cost, mostCost, rowCost } = list
    const ofChanges = changes * CHANGE_COST
    return { input, list, cost: cost + ofChanges, mostCost: mostCost + ofChanges, rowCost }
  },
  workerInput: ({ list }, input) => withKnownTotal(list, input),
  run: readPastPage,
}

function readPastPage(reader: Reader, { input, list }: PastPlan, maxLength?: number): Versions | undefined {
  const { caller, position } = input
  const { query, sort, direction, page } = list
  if (!hasAllAfter(reader, caller.workspacePk, position)) return undefined
  const replaced = replacedAfter(reader, caller.workspacePk, query.structure.id, position, maxLength)
  if (!replaced) return undefined
  const forSort = (state: RecordState) => withValueOf(state, sort)
  const compare = compareStates(sort, direction)
  let states = firstRowsWithout(reader, list, [...replaced.keys()], maxLength).map((row) =>
    forSort(stateOf(row, dataOf(row))),
  )
  for (const some of statesBefore(reader, replaced, maxLength)) {
    const matching = some.filter((state) => matchesFilter(state, query.conditions)).map(forSort)
    states = [...states, ...matching].sort(compare).slice(0, page.limit)
  }
  return new Map(states.map(({ id, updatedAt }) => [id, updatedAt]))
}

/** The state with no other value than the one it is sorted by. */
function withValueOf(state: RecordState, sort: SortTarget): RecordState {
  const value = typeof sort === 'string' ? undefined : valueIn(state.data, sort.key)
  return { ...state, data: typeof sort === 'string' || value === undefined ? {} : { [sort.key]: value } }
}

/** The records that were live, as they were, some at a time; throws `TooLongHere`. */
function* statesBefore(
  reader: Reader,
  replaced: ReadonlyMap<string, Replaced | undefined>,
  maxLength?: number,
): Generator<RecordState[]> {
  const ids = [...replaced.keys()].filter((id) => replaced.get(id) !== undefined)
  let length = 0
  for (let start = 0; start < ids.length; start += RECORDS_AT_ONCE) {
    const some = ids.slice(start, start + RECORDS_AT_ONCE)
    length += maxLength === undefined ? 0 : recordBytes(reader, some)
    if (maxLength !== undefined && length > maxLength) throw new TooLongHere()
    const rows = findRecords(reader, some)
    yield rows.flatMap((row) => stateBefore(row, replaced.get(row.id)) ?? [])
  }
}

const stateBefore = (row: RecordRow, before: Replaced | undefined): RecordState | undefined =>
  before && { ...stateOf(row, dataBefore(dataOf(row), before)), updatedAt: before.updatedAt }

function dataBefore(data: RecordData, { values }: Replaced): RecordData {
  const merged = { ...data, ...values }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as RecordData
}

type Value = string | number | undefined

function sortValue(state: RecordState, target: SortTarget): Value {
  if (target === 'created_at') return state.createdAt
  if (target === 'updated_at') return state.updatedAt
  const value = valueIn(state.data, target.key)
  if (value === undefined) return undefined
  return isFolded(target.type) ? fold(String(value)) : columnValue(value)
}

const compareValues = (left: string | number, right: string | number): number =>
  typeof left === 'number' || typeof right === 'number'
    ? Number(left) - Number(right)
    : compareCodePoints(left, right)

/** Orders records as the list does: those without a value last in both directions, ties by id in the same direction. */
function compareStates(
  target: SortTarget,
  direction: Direction,
): (left: RecordState, right: RecordState) => number {
  const way = direction === 'asc' ? 1 : -1
  return (left, right) => {
    const [one, other] = [sortValue(left, target), sortValue(right, target)]
    if (one === undefined || other === undefined) {
      if (one !== other) return one === undefined ? 1 : -1
      return way * compareCodePoints(left.id, right.id)
    }
    return way * (compareValues(one, other) || compareCodePoints(left.id, right.id))
  }
}
