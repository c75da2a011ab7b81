import { signal } from '@preact/signals'
import { type Condition, readConditions } from '../../data/records/conditions.ts'
import type { RowQuery, Structure } from '../../data/records/model.ts'
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

/** The text field that is searched; undefined for all fields. */
export const searchColumn = ({ fields }: Structure): string | undefined =>
  fields.find(({ key, type }) => type === 'text' && key === search.value.get('in'))?.key

/** The search as a condition on its field; on `*` for all fields. */
function searchConditions(structure: Structure): readonly Condition[] {
  const value = searchText().trim()
  return value === '' ? [] : [{ field: searchColumn(structure) ?? '*', op: 'contains', value }]
}

export function currentRowQuery(structure: Structure): RowQuery {
  const sort = search.value.get('sort') ?? undefined
  return {
    structure: structure.id,
    filter: [...conditions(), ...searchConditions(structure)],
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

/** The field of a new filter that another control asks for; the filters open it. */
export const filteredField = signal<string | undefined>(undefined)

/** Opens a new filter for a field. */
export const filterBy = (key: string): void => {
  filteredField.value = key
}

export const openRow = (): string | undefined => path.value[2]

/** The address of a pane beside the grid, such as a new row or the import. */
export const paneAddress = (pane: string | undefined): string =>
  address(['records', path.value[1] ?? ''], { ...Object.fromEntries(search.value), tab: undefined, pane })
