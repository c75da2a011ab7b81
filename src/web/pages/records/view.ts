import { address, path, search, setParameters } from '../../router.ts'
import { type Condition, readConditions } from './conditions.ts'
import type { RowQuery } from './model.ts'

/** What is typed into the search of the rows. */
export const searchText = (): string => search.value.get('q') ?? ''

/** The conditions that are shown as chips. */
export const conditions = (): readonly Condition[] => readConditions(search.value.get('filter'))

export const setConditions = (list: readonly Condition[]): void =>
  setParameters({ filter: list.length === 0 ? undefined : JSON.stringify(list) })

/** The query in the address of the page. */
export function currentRowQuery(structure: string): RowQuery {
  const text = searchText().trim()
  const sort = search.value.get('sort') ?? undefined
  return {
    structure,
    filter: [...conditions(), ...(text === '' ? [] : [{ field: '*', op: 'contains', value: text }])],
    sort,
    direction: search.value.get('direction') === 'asc' ? 'asc' : 'desc',
  }
}

/** Sorts by a column: first upwards, then downwards, then as created. */
export function toggleSort(key: string): void {
  const isSame = search.value.get('sort') === key
  const isUp = search.value.get('direction') === 'asc'
  if (!isSame) setParameters({ sort: key, direction: 'asc' })
  else if (isUp) setParameters({ direction: 'desc' })
  else setParameters({ sort: undefined, direction: undefined })
}

/** The address of a row of the structure that is shown, with its filters. */
export const rowAddress = (row: string | undefined, tab?: string): string =>
  address(['records', path.value[1] ?? '', ...(row === undefined ? [] : [row])], {
    ...Object.fromEntries(search.value),
    pane: undefined,
    tab,
  })

/** The address of a row of any structure. */
export const addressOfRow = (structure: string, row: string): string => address(['records', structure, row])

export const chosenRow = (): string | undefined => path.value[2]

/** The address of what opens beside the grid: a new row, or the import. */
export const paneAddress = (pane: string | undefined): string =>
  address(['records', path.value[1] ?? ''], { ...Object.fromEntries(search.value), tab: undefined, pane })
