import { type RecordState, valueIn } from '../../changes/record-change.ts'
import type { Direction } from '../../db/sql-part.ts'
import { columnValue } from '../../filter/record/values.ts'
import { compareCodePoints, fold } from '../../lib/text.ts'
import { isFolded } from '../../structures/storage/auto-index.ts'
import type { SortTarget } from '../query/row-query.ts'

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
export function compareStates(
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
