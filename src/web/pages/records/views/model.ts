import { useEffect, useRef } from 'preact/hooks'
import { api } from '../../../data/api.ts'
import type { components } from '../../../data/api-types.d.ts'
import { cache } from '../../../data/cache.ts'
import { preferences, preferTable } from '../../../data/preferences.ts'
import { readConditions } from '../../../data/records/conditions.ts'
import type { Grouping } from '../../../data/records/group-values.ts'
import { groupingsText, readGroupings } from '../../../data/records/grouping.ts'
import { type Field, type Structure, shownFields } from '../../../data/records/model.ts'
import { useQuery } from '../../../data/use-query.ts'
import { address, search, setParameters } from '../../../router.ts'
import { searchColumn } from '../view.ts'

export type RowView = components['schemas']['RowView']

/** The shared and personal views of a structure, by position. */
export const useRowViews = (structure: string) =>
  useQuery<readonly RowView[]>(['row_view', structure], async ({ signal }) => {
    const { row_views } = await api.get('/v1/records/views', { query: { structure }, signal })
    return row_views
  })

/** Updates a saved view in the cache before the list is refetched. */
export const cacheView = (view: RowView): void =>
  void cache.setQueryData<readonly RowView[]>(['row_view', view.structure_id], (views) =>
    views?.map((other) => (other.id === view.id ? view : other)),
  )

/** The view in the address, if it exists. */
export const currentView = (views: readonly RowView[] | undefined): RowView | undefined =>
  views?.find(({ id }) => id === search.value.get('view'))

/** Parameters of the address that a view sets. The user can change them and save them in the view. */
const VIEW_PARAMETERS = ['filter', 'q', 'sort', 'direction', 'columns', 'group'] as const

const parametersOf = (view: RowView | undefined): Record<string, string | undefined> => ({
  view: view?.id,
  filter: view && view.filter.length > 0 ? JSON.stringify(view.filter) : undefined,
  q: view?.search ?? undefined,
  sort: view?.sort ?? undefined,
  direction: view?.direction ?? undefined,
  columns: view?.columns?.map(({ key }) => key).join(','),
  group: (view?.kind === 'table' && view.group_by) || undefined,
})

const ownChoices = (key: string) => preferences.value.tables?.[key]

/** The user's own columns for a view or structure; undefined if they have not changed them. */
const ownColumns = (key: string): string | undefined => ownChoices(key)?.shown?.join(',') || undefined

/** The address of a view with the user's own columns; of all rows without a view. */
export const viewAddress = (structure: string, view: RowView | undefined): string => {
  const parameters = parametersOf(view)
  return address(['records', structure], {
    ...parameters,
    columns: ownColumns(view?.id ?? structure) ?? parameters.columns,
    group: ownChoices(view?.id ?? structure)?.group || parameters.group,
  })
}

/** Displays these fields in this order, and stores them in the user's preferences. */
export function showColumns(structure: Structure, keys: readonly string[]): void {
  preferTable(search.peek().get('view') ?? structure.id, { shown: keys })
  setParameters({ columns: keys.join(',') }, { replace: true })
}

/** Removes the user's own columns, widths and grouping, after they were saved in the view. */
export function forgetOwnColumns({ id, group_by }: RowView): void {
  const { widths, shown, group = '', ...others } = preferences.peek().tables?.[id] ?? {}
  const isGroupSaved = group === (group_by ?? '')
  if (widths || shown) preferTable(id, { ...others, widths: {}, shown: [], group: isGroupSaved ? '' : group })
}

/** True if the address differs from the saved view. */
export const isChanged = (structure: Structure, view: RowView): boolean => {
  const saved = parametersOf(view)
  const normal = (name: string, text: string | null | undefined): string => {
    if (name === 'filter') return JSON.stringify(readConditions(text ?? null))
    return name === 'group' ? (savedGroup(structure, text ?? '') ?? '') : (text ?? '').trim()
  }
  return VIEW_PARAMETERS.some((name) => normal(name, search.value.get(name)) !== normal(name, saved[name]))
}

/** Whether a field can be the columns of a board. */
export const isGrouping = ({ type }: Field): boolean =>
  type === 'select' || type === 'bool' || type === 'user'

/** The field that a view saves: the first one that groups, if it can be the columns of a board. */
export function savedGroup(structure: Structure, text: string): string | undefined {
  const [first] = readGroupings(structure, text)
  return first && isGrouping(first.field) ? first.field.key : undefined
}

/** The grouping in the address, else the user's own. */
const groupText = (structure: Structure): string =>
  search.value.get('group') ?? ownChoices(search.value.get('view') ?? structure.id)?.group ?? ''

/** How the rows of a table are grouped. */
export function groupingsInAddress(structure: Structure, view: RowView | undefined): readonly Grouping[] {
  return view && view.kind !== 'table' ? [] : readGroupings(structure, groupText(structure))
}

/** Groups the rows, and stores the grouping in the user's preferences: views save only some groupings. */
export function groupRows(structure: Structure, groupings: readonly Grouping[]): void {
  const group = groupingsText(groupings)
  preferTable(search.peek().get('view') ?? structure.id, { group })
  setParameters({ group: group === '' ? undefined : group })
}

/** The displayed filter, order and columns, in the format of a view. */
export function currentSettings(
  structure: Structure,
  widths: Readonly<Record<string, number>>,
  fields: readonly Field[],
) {
  const value = (name: string) => search.value.get(name) ?? null
  const text = value('q')?.trim() || null
  // Views search all fields; a search in one field is saved as a condition.
  const field = text === null ? undefined : searchColumn(structure)
  const hasColumns = value('columns') !== null || fields.some(({ key }) => widths[key] !== undefined)
  return {
    filter: [
      ...readConditions(value('filter')),
      ...(field === undefined ? [] : [{ field, op: 'contains' as const, value: text }]),
    ],
    search: field === undefined ? text : null,
    sort: value('sort'),
    direction: value('direction') as RowView['direction'],
    columns: hasColumns
      ? fields.map(({ key }) => ({ key, ...(widths[key] !== undefined && { width: widths[key] }) }))
      : null,
  }
}

/** Whether the user has selected columns, so that new fields are not displayed by themselves. */
export const hasSelectedColumns = (structure: Structure): boolean =>
  search.value.get('columns') !== null || ownColumns(search.value.get('view') ?? structure.id) !== undefined

/** The displayed fields: those in the address or the preferences, else all that are not hidden. */
export function fieldsInAddress(structure: Structure): readonly Field[] {
  const text = search.value.get('columns') ?? ownColumns(search.value.get('view') ?? structure.id)
  if (text === undefined || text === '') return shownFields(structure)
  return text.split(',').flatMap((key) => structure.fields.find((field) => field.key === key) ?? [])
}

/**
 * Fills the address of a view with the view's parameters. Later changes of the view are followed, unless the user has
 * changed the parameters.
 */
export function useViewInAddress(structure: Structure, view: RowView | undefined): void {
  const shown = useRef<RowView | undefined>(undefined)
  useEffect(() => {
    const before = shown.current
    shown.current = view
    if (!view || before === view) return
    const isOpened = before?.id !== view.id
    const isEmpty = VIEW_PARAMETERS.every((name) => search.value.get(name) === null)
    if (isOpened ? !isEmpty : isChanged(structure, before)) return
    const parameters = parametersOf(view)
    const columns = (isOpened ? ownColumns(view.id) : undefined) ?? parameters.columns
    const group = (isOpened ? ownChoices(view.id)?.group : undefined) || parameters.group
    setParameters({ ...parameters, columns, group }, { replace: true })
  }, [view])
}
