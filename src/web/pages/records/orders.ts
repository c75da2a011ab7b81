import { columnsOf } from '../../data/records/conditions.ts'
import type { Structure } from '../../data/records/model.ts'
import { search } from '../../router.ts'
import { currentDirection } from './view.ts'

const DEFAULT_ORDER = ['A to Z', 'Z to A'] as const
const BY_TIME = ['earliest first', 'latest first'] as const
const ORDERS: Readonly<Record<string, readonly [up: string, down: string]>> = {
  number: ['smallest first', 'largest first'],
  bool: ['no first', 'yes first'],
  date: BY_TIME,
  time: BY_TIME,
  datetime: BY_TIME,
  instant: BY_TIME,
}

/** A sort order, as in the address; without `sort`, rows are ordered by creation. */
export interface Order {
  readonly sort: string | undefined
  readonly direction: 'asc' | 'desc'
  readonly words: string
}

/** The words of both orders of a field, such as "A to Z". */
export const orderWords = (type: string): readonly [up: string, down: string] => ORDERS[type] ?? DEFAULT_ORDER

/** The available sort orders. */
export function ordersOf(structure: Structure): readonly Order[] {
  const columns = columnsOf(structure).filter(({ key, type }) => key !== 'created_at' && type !== 'multiple')
  return [
    { sort: undefined, direction: 'asc', words: 'as entered' },
    { sort: undefined, direction: 'desc', words: 'newest first' },
    ...columns.flatMap(({ key, label, type }) => {
      const [up, down] = orderWords(type)
      return [
        { sort: key, direction: 'asc', words: `${label} ${up}` },
        { sort: key, direction: 'desc', words: `${label} ${down}` },
      ] as const
    }),
  ]
}

/** The sort order in the address. */
export function currentOrder(structure: Structure): Order {
  const sort = search.value.get('sort') ?? undefined
  const direction = currentDirection()
  const found = ordersOf(structure).find((order) => order.sort === sort && order.direction === direction)
  return found ?? { sort, direction, words: `${sort} ${DEFAULT_ORDER[direction === 'asc' ? 0 : 1]}` }
}
