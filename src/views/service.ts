import { logChange, logUpdate } from '../changes/log.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Direction } from '../db/sql-part.ts'
import type { Tx } from '../db/writes/transaction.ts'
import type { PropertyUsage, UsedBy, ViewRole } from '../feature-hooks.ts'
import { type FilterTree, parseOptionalTree } from '../filter/tree/parse.ts'
import { describeTree } from '../lib/filter-sentence.ts'
import { isSame, patched, patchedFlag } from '../lib/patch.ts'
import { fold } from '../lib/text.ts'
import { readStoredTree, storedTree, storedTreeReferences, treeDefinitions } from '../notes/query/evaluate.ts'
import { findPropertyHead, findPropertyHeadByKey, type PropertyHead } from '../properties/store.ts'
import { fail, invalid, notFound, refused } from '../refusal.ts'
import { presentView } from './present.ts'
import * as store from './store.ts'

/** A view as a request sends it. */
export interface ViewRequest {
  name?: string
  filter?: unknown
  sort?: { field: store.ViewRow['sortField']; direction?: Direction; property?: string }
  display_properties?: string[]
  show_tags?: boolean
  is_pinned?: boolean
  is_default?: boolean
  icon?: string | null
  color?: string | null
  cover_url?: string | null
}

/** A view as `parseView` returns it. */
export type ViewInput = Omit<ViewRequest, 'filter'> & { filter?: FilterTree | null }

/** A view with the current names of its tags and properties. */
export interface DescribedView {
  row: store.ViewRow
  filter: FilterTree | null
  summary: string
  sortProperty: PropertyHead | undefined
  displayed: PropertyHead[]
}

/** Views by creation. */
export const listViews = (reader: Reader, { workspacePk }: InWorkspace): DescribedView[] =>
  store.listViewRows(reader, workspacePk).map((row) => described(reader, row))

export const getView = (reader: Reader, caller: InWorkspace, id: string): DescribedView =>
  described(reader, getViewRow(reader, caller, id))

export const getViewRow = (reader: Reader, { workspacePk }: InWorkspace, id: string): store.ViewRow =>
  store.findView(reader, workspacePk, id) ?? fail(notFound('view'))

export const filterOf = ({ filter }: Pick<store.ViewRow, 'filter'>): FilterTree | null =>
  readStoredTree(filter)

const displayedIds = ({ displayProperties }: Pick<store.ViewRow, 'displayProperties'>): string[] =>
  JSON.parse(displayProperties)

function described(reader: Reader, row: store.ViewRow): DescribedView {
  const filter = filterOf(row)
  const property = (id: string) => findPropertyHead(reader, row.workspace, id)
  return {
    row,
    filter,
    summary: describeTree(filter, treeDefinitions(reader, row.workspace)),
    sortProperty: row.sortProperty === null ? undefined : property(row.sortProperty),
    displayed: displayedIds(row)
      .map(property)
      .filter((found) => found !== undefined),
  }
}

const NEW_VIEW: Omit<store.ViewColumns, 'name'> = {
  filter: null,
  sortField: 'updated_at',
  sortDirection: 'desc',
  sortProperty: null,
  displayProperties: '[]',
  showTags: 1,
  isPinned: 0,
  isDefault: 0,
  icon: null,
  color: null,
  coverUrl: null,
}

/** Parses the filter of a request and checks what its schema cannot express; nothing is looked up. */
export function parseView<Request extends ViewRequest>(request: Request) {
  const { sort, display_properties = [] } = request
  const filter = parseOptionalTree(request.filter, 'filter')
  if (sort?.field === 'property' && sort.property === undefined)
    throw invalid('"sort.property" is required when "sort.field" is "property": the key of a property.')
  if (sort && sort.field !== 'property' && sort.property !== undefined)
    throw invalid(`"sort.property" goes only with the field "property", and "sort.field" is "${sort.field}".`)
  if (new Set(display_properties.map(fold)).size < display_properties.length)
    throw invalid('"display_properties" names one property twice; name each once.')
  return { ...request, filter }
}

/** Creates a view; joins the caller's transaction. */
export function createView(tx: Tx, caller: Caller, input: ViewInput & { name: string }): DescribedView {
  const columns = merged(tx, caller, { ...NEW_VIEW, name: input.name }, input)
  const { workspacePk: workspace } = caller
  if (columns.isDefault === 1) store.clearDefaultView(tx, caller)
  const id = tx.newId()
  store.insertView(tx, { ...columns, id, workspace })
  logChange(tx, caller, { kind: 'view', id }, 'created')
  return getView(tx, caller, id)
}

/** Changes what is sent; the filter and the sort are each replaced whole. */
export function patchView(
  ctx: AppContext,
  caller: Caller,
  id: string,
  input: ViewInput,
): Promise<DescribedView> {
  return ctx.db.write((tx): DescribedView => {
    const before = getViewRow(tx, caller, id)
    const columns = merged(tx, caller, before, input)
    if (isSame(before, columns)) return described(tx, before)
    if (columns.isDefault === 1 && before.isDefault === 0) store.clearDefaultView(tx, caller)
    const old = presentView(described(tx, before))
    store.updateView(tx, before.pk, columns)
    const after = getView(tx, caller, id)
    logUpdate(tx, caller, { kind: 'view', id }, old, presentView(after), ['filter_summary', 'display'])
    return after
  })
}

export const deleteView = (ctx: AppContext, caller: Caller, id: string): Promise<void> =>
  ctx.db.write((tx) => {
    store.deleteViewRow(tx, getViewRow(tx, caller, id).pk)
    logChange(tx, caller, { kind: 'view', id }, 'deleted')
  })

/** The columns after a change; every tag and property is checked and stored by id. */
function merged(
  reader: Reader,
  caller: Caller,
  before: store.ViewColumns,
  input: ViewInput,
): store.ViewColumns {
  return {
    name: input.name ?? before.name,
    filter:
      input.filter === undefined
        ? before.filter
        : storedTree(reader, caller.workspacePk, input.filter, 'filter'),
    ...sortColumns(reader, caller, before, input.sort),
    displayProperties: input.display_properties
      ? JSON.stringify(
          input.display_properties.map((key, at) =>
            propertyId(reader, caller, key, `display_properties[${at}]`),
          ),
        )
      : before.displayProperties,
    showTags: patchedFlag(input.show_tags, before.showTags),
    isPinned: patchedFlag(input.is_pinned, before.isPinned),
    isDefault: patchedFlag(input.is_default, before.isDefault),
    icon: patched(input.icon, before.icon),
    color: patched(input.color, before.color),
    coverUrl: patched(input.cover_url, before.coverUrl),
  }
}

type SortColumns = Pick<store.ViewColumns, 'sortField' | 'sortDirection' | 'sortProperty'>

function sortColumns(
  reader: Reader,
  caller: Caller,
  { sortField, sortDirection, sortProperty }: SortColumns,
  sort: ViewInput['sort'],
): SortColumns {
  if (!sort) return { sortField, sortDirection, sortProperty }
  const isOfTimes = sort.field === 'created_at' || sort.field === 'updated_at'
  return {
    sortField: sort.field,
    sortDirection: sort.direction ?? (isOfTimes ? 'desc' : 'asc'),
    sortProperty:
      sort.property === undefined ? null : propertyId(reader, caller, sort.property, 'sort.property'),
  }
}

function propertyId(reader: Reader, { workspacePk }: Caller, key: string, place: string): string {
  const property = findPropertyHeadByKey(reader, workspacePk, fold(key))
  if (property) return property.id
  throw refused(`"${place}" names "${key}", and there is no such property in this workspace.`)
}

/** The views whose filter names the tag, of all or of these. One is read after the other: a filter may be long. */
export const viewsNamingTag = (
  reader: Reader,
  workspace: number,
  tag: number,
  ids: readonly string[] = store.listViewIds(reader, workspace),
): UsedBy[] =>
  ids.flatMap((id) => {
    const view = store.findView(reader, workspace, id)
    const isNaming = view && storedTreeReferences(view.filter).tagIds.includes(tag)
    return isNaming ? [{ id, name: view.name }] : []
  })

/** The views that name the property, of all or of these, and by which of their parts. */
export const viewsNamingProperty = (
  reader: Reader,
  workspace: number,
  property: string,
  ids: readonly string[] = store.listViewIds(reader, workspace),
): PropertyUsage['views'] =>
  ids.flatMap((id) => {
    const view = store.findView(reader, workspace, id)
    const roles = view ? rolesOf(view, property) : []
    return view && roles.length > 0 ? [{ id, name: view.name, roles }] : []
  })

function rolesOf(view: store.ViewRow, property: string): ViewRole[] {
  const named: Record<ViewRole, boolean> = {
    filter: storedTreeReferences(view.filter).propertyIds.includes(property),
    sort: view.sortProperty === property,
    display: displayedIds(view).includes(property),
  }
  return (Object.keys(named) as ViewRole[]).filter((role) => named[role])
}
