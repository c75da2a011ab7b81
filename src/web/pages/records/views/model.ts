import { useEffect, useRef } from 'preact/hooks'
import { api } from '../../../data/api.ts'
import type { components } from '../../../data/api-types.d.ts'
import { cache } from '../../../data/cache.ts'
import { preferences, preferTable } from '../../../data/preferences.ts'
import { useQuery } from '../../../data/use-query.ts'
import { address, search, setParameters } from '../../../router.ts'
import { readConditions } from '../conditions.ts'
import { type Field, type Structure, shownFields } from '../model.ts'

export type RowView = components['schemas']['RowView']

/** The views of the rows of a structure, by position: the shared ones, and the person's own. */
export const useRowViews = (structure: string) =>
  useQuery<readonly RowView[]>(['row_view', structure], async ({ signal }) => {
    const { row_views } = await api.get('/v1/records/views', { query: { structure }, signal })
    return row_views
  })

/** Shows a view as it was saved from here, before the list of them is read again. */
export const showSaved = (view: RowView): void =>
  void cache.setQueryData<readonly RowView[]>(['row_view', view.structure_id], (views) =>
    views?.map((one) => (one.id === view.id ? view : one)),
  )

/** The view that the address names, if it is there. */
export const chosenView = (views: readonly RowView[] | undefined): RowView | undefined =>
  views?.find(({ id }) => id === search.value.get('view'))

/** The parameters of the address that a view fills; the person may change them, and save them in the view. */
const PARTS = ['filter', 'q', 'sort', 'direction', 'columns', 'group'] as const

const parametersOf = (view: RowView | undefined): Record<string, string | undefined> => ({
  view: view?.id,
  filter: view && view.filter.length > 0 ? JSON.stringify(view.filter) : undefined,
  q: view?.search ?? undefined,
  sort: view?.sort ?? undefined,
  direction: view?.direction ?? undefined,
  columns: view?.columns?.map(({ key }) => key).join(','),
  group: (view?.kind === 'table' && view.group_by) || undefined,
})

/** Which fields the person shows of a view, or of a structure without one; undefined where they did not choose. */
const ownColumns = (place: string): string | undefined =>
  preferences.value.tables?.[place]?.shown?.join(',') || undefined

/** The address of the rows as a view shows them to this person; without one, all rows. */
export const viewAddress = (structure: string, view: RowView | undefined): string => {
  const parameters = parametersOf(view)
  return address(['records', structure], {
    ...parameters,
    columns: ownColumns(view?.id ?? structure) ?? parameters.columns,
  })
}

/** Shows these fields, in this order, here and whenever the person comes back. */
export function showColumns(structure: Structure, keys: readonly string[]): void {
  preferTable(search.peek().get('view') ?? structure.id, { shown: keys })
  setParameters({ columns: keys.join(',') }, { replace: true })
}

/** Forgets what the person chose for columns that a view now says. */
export function forgetOwnColumns(view: string): void {
  const { widths, shown, ...others } = preferences.peek().tables?.[view] ?? {}
  if (widths || shown) preferTable(view, { ...others, widths: {}, shown: [] })
}

/** Whether the rows are shown in another way than a view says. */
export const isChanged = (view: RowView): boolean => {
  const saved = parametersOf(view)
  return PARTS.some((name) => normal(name, search.value.get(name)) !== normal(name, saved[name]))
}

const normal = (name: string, text: string | null | undefined): string =>
  name === 'filter' ? JSON.stringify(readConditions(text ?? null)) : (text ?? '').trim()

/** Whether rows can be grouped by the values of a field. */
export const isGrouping = ({ type }: Field): boolean => type === 'select' || type === 'bool'

/** The field by whose values the rows of a table are grouped now. */
export function groupShown({ fields }: Structure, view: RowView | undefined): string | undefined {
  if (view && view.kind !== 'table') return undefined
  return fields.find((field) => field.key === search.value.get('group') && isGrouping(field))?.key
}

/** What is shown now, as a view is saved with it. */
export function shownNow(widths: Readonly<Record<string, number>>, fields: readonly Field[]) {
  const value = (name: string) => search.value.get(name) ?? null
  const hasColumns = value('columns') !== null || fields.some(({ key }) => widths[key] !== undefined)
  return {
    filter: [...readConditions(value('filter'))],
    search: value('q')?.trim() || null,
    sort: value('sort'),
    direction: value('direction') as RowView['direction'],
    columns: hasColumns
      ? fields.map(({ key }) => ({ key, ...(widths[key] !== undefined && { width: widths[key] }) }))
      : null,
  }
}

/** The fields that are shown: those that the address names, in its order, else all that are not hidden. */
export function fieldsInAddress(structure: Structure): readonly Field[] {
  const text = search.value.get('columns') ?? ownColumns(search.value.get('view') ?? structure.id)
  if (text === undefined || text === '') return shownFields(structure)
  return text.split(',').flatMap((key) => structure.fields.find((field) => field.key === key) ?? [])
}

/**
 * An address that names a view alone gets what the view says. What others save in the view is followed, unless the rows
 * are shown in another way by then.
 */
export function useViewInAddress(view: RowView | undefined): void {
  const shown = useRef<RowView | undefined>(undefined)
  useEffect(() => {
    const before = shown.current
    shown.current = view
    if (!view || before === view) return
    const isOpened = before?.id !== view.id
    const isPlain = PARTS.every((name) => search.value.get(name) === null)
    if (isOpened ? !isPlain : isChanged(before)) return
    const parameters = parametersOf(view)
    const columns = (isOpened ? ownColumns(view.id) : undefined) ?? parameters.columns
    setParameters({ ...parameters, columns }, { replace: true })
  }, [view])
}
