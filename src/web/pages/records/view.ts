import { signal } from '@preact/signals'
import { type Condition, readConditions } from '../../data/records/conditions.ts'
import type { RowQuery } from '../../data/records/model.ts'
import { address, path, search, setParameters } from '../../router.ts'

export const searchText = (): string => search.value.get('q') ?? ''

/** The conditions of the chips, without the search. */
export const conditions = (): readonly Condition[] => readConditions(search.value.get('filter'))

export const setConditions = (list: readonly Condition[]): void =>
  setParameters({ filter: list.length === 0 ? undefined : JSON.stringify(list) })

/** Without an order in the address, rows are in the order in which they were entered. */
export const currentDirection = (): 'asc' | 'desc' => {
  const direction = search.value.get('direction') ?? (search.value.get('sort') === null ? 'asc' : 'desc')
  return direction === 'asc' ? 'asc' : 'desc'
}

export function currentRowQuery(structure: string): RowQuery {
  const text = searchText().trim()
  const sort = search.value.get('sort') ?? undefined
  return {
    structure,
    filter: [...conditions(), ...(text === '' ? [] : [{ field: '*', op: 'contains', value: text }])],
    sort,
    direction: currentDirection(),
  }
}

/** Cycles the sort order of a column: ascending, descending, then by creation. */
export function toggleSort(key: string): void {
  const isSame = search.value.get('sort') === key
  const isAscending = search.value.get('direction') === 'asc'
  if (!isSame) setParameters({ sort: key, direction: 'asc' })
  else if (isAscending) setParameters({ direction: 'desc' })
  else setParameters({ sort: undefined, direction: undefined })
}

/** The address of a row of the current structure; keeps the filters. */
export const rowAddress = (row: string | undefined, tab?: string): string =>
  address(['records', path.value[1] ?? '', ...(row === undefined ? [] : [row])], {
    ...Object.fromEntries(search.value),
    pane: undefined,
    tab,
  })

/** The field that a new filter begins with. */
export const filteredField = signal<string | undefined>(undefined)

/** Opens the form of a new filter for a field. */
export function filterBy(key: string): void {
  filteredField.value = key
  document.querySelector<HTMLElement>('[popovertarget=new-filter]')?.click()
}

export const openRow = (): string | undefined => path.value[2]

/** The address of a pane beside the grid, such as a new row or the import. */
export const paneAddress = (pane: string | undefined): string =>
  address(['records', path.value[1] ?? ''], { ...Object.fromEntries(search.value), tab: undefined, pane })
