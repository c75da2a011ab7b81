import type { Static } from '@sinclair/typebox'
import { eq, getTableColumns } from 'drizzle-orm'
import type { Caller, InWorkspace } from '../../context.ts'
import { describeTree } from '../../filter/sentence.ts'
import { type FilterTree, parseOptionalTree } from '../../filter/tree/parse.ts'
import { read, write } from '../../kernel/operation.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { pageRequest } from '../../lib/pagination.ts'
import { atPlace, invalid, refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { objectKind } from '../../log/objects/objects.ts'
import { from, rowsBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { views } from '../../storage/schema/views.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { findPropertyHead, findPropertyHeadByKey } from '../properties/service.ts'
import {
  type NoteSort,
  notesByTree,
  readStoredTree,
  storedTree,
  storedTreeReferences,
  treeDefinitions,
  usualDirection,
} from '../query/tree-query.ts'
import type { CreateViewBody, PatchViewBody, ViewNotesQuery } from './schema.ts'

export type ViewRow = typeof views.$inferSelect

export const viewKind = objectKind({
  kind: 'view',
  table: views,
  read: getTableColumns(views),
  order: [views.pk],
  derived: ['filter_summary', 'display'],
  present: (row, reader) => {
    const filter = filterOf(row)
    const property = (id: string) => findPropertyHead(reader, row.workspace, id)
    const sortProperty = row.sortProperty === null ? undefined : property(row.sortProperty)
    const displayed = displayedIds(row)
      .map(property)
      .filter((found) => found !== undefined)
    return {
      id: row.id,
      name: row.name,
      filter,
      filter_summary: describeTree(filter, treeDefinitions(reader, row.workspace)),
      sort: {
        field: row.sortField,
        direction: row.sortDirection,
        ...(sortProperty && { property: sortProperty.key }),
      },
      display: {
        properties: displayed.map(({ id, key, label, type }) => ({ id, key, label: label ?? key, type })),
        show_tags: row.showTags === 1,
      },
      display_properties: displayed.map(({ key }) => key),
      show_tags: row.showTags === 1,
      is_pinned: row.isPinned === 1,
      is_default: row.isDefault === 1,
      icon: row.icon,
      color: row.color,
      cover_url: row.coverUrl,
      created_at: isoTimestamp(row.createdAt),
      updated_at: isoTimestamp(row.updatedAt),
    }
  },
})

export const listViews = read({
  name: 'views.list',
  covers: 'notes',
  run: (snapshot, caller) => ({ views: viewKind.list(snapshot, caller) }),
})

export const getView = read({
  name: 'views.get',
  covers: 'notes',
  run: (snapshot, caller, { id }: { id: string }) => ({ view: viewKind.get(snapshot, caller, id) }),
})

/** The names of the views of a workspace, in creation order. */
export const listViewNames = rowsBy((workspace: number) =>
  from(views, { id: views.id, name: views.name }).where(eq(views.workspace, workspace)).orderBy(views.pk),
)

export const filterOf = ({ filter }: Pick<ViewRow, 'filter'>): FilterTree | null => readStoredTree(filter)

const displayedIds = ({ displayProperties }: Pick<ViewRow, 'displayProperties'>): string[] =>
  JSON.parse(displayProperties)

export type ViewRequest = Static<typeof PatchViewBody>

type ViewInput = Omit<ViewRequest, 'filter'> & { filter?: FilterTree | null }

const NEW_VIEW = {
  sortField: 'updated_at',
  sortDirection: 'desc',
  displayProperties: '[]',
  showTags: 1,
  isPinned: 0,
  isDefault: 0,
} as const

/** Parses the filter of a request and checks what its schema cannot express, without any lookup. */
export function parseView<Request extends ViewRequest>(request: Request) {
  const { sort, display_properties = [] } = request
  const filter = parseOptionalTree(request.filter, 'filter')
  if (sort?.field === 'property' && sort.property === undefined)
    throw invalid(
      '"sort.property" is required when "sort.field" is "property": the key of a property.',
      atPlace('sort.property'),
    )
  if (sort && sort.field !== 'property' && sort.property !== undefined)
    throw invalid(
      `"sort.property" goes only with the field "property", and "sort.field" is "${sort.field}".`,
      atPlace('sort.property'),
    )
  if (new Set(display_properties.map(fold)).size < display_properties.length)
    throw invalid(
      '"display_properties" names one property twice; name each once.',
      atPlace('display_properties'),
    )
  return { ...request, filter }
}

export const insertView = (tx: Tx, caller: Caller, input: ViewInput & { name: string }) =>
  viewKind.create(tx, caller, { ...NEW_VIEW, ...columnsOf(tx, caller, input) })

export const createView = write({
  name: 'views.create',
  covers: 'notes',
  run: (tx, caller, { body }: { body: Static<typeof CreateViewBody> }) => ({
    view: insertView(tx, caller, parseView(body)),
  }),
})

/** Changes the sent attributes; the filter and the sort are each replaced as a whole. */
export const patchView = write({
  name: 'views.patch',
  covers: 'notes',
  object: getView,
  run: (tx, caller, { id, body }: { id: string; body: ViewRequest }) => {
    const input = parseView(body)
    const before = viewKind.getRow(tx, caller, id)
    return { view: viewKind.update(tx, caller, before, columnsOf(tx, caller, input)) }
  },
})

export const deleteView = write({
  name: 'views.delete',
  covers: 'notes',
  object: getView,
  run: (tx, caller, { id }: { id: string }) => {
    viewKind.delete(tx, caller, viewKind.getRow(tx, caller, id))
    return { deleted: true, id }
  },
})

/** The columns of the sent attributes; every tag and property is checked and stored by id. */
function columnsOf(reader: Reader, caller: Caller, input: ViewInput): Partial<ViewRow> {
  const { filter, sort, display_properties: displayed, ...sent } = input
  const idOf = (key: string, place: string) => propertyId(reader, caller, key, place)
  return {
    ...viewKind.columnsOf(sent),
    ...(filter !== undefined && { filter: storedTree(reader, caller.workspacePk, filter, 'filter') }),
    ...(sort && {
      sortField: sort.field,
      sortDirection: sort.direction ?? usualDirection(sort.field),
      sortProperty: sort.property === undefined ? null : idOf(sort.property, 'sort.property'),
    }),
    ...(displayed && {
      displayProperties: JSON.stringify(displayed.map((key, at) => idOf(key, `display_properties[${at}]`))),
    }),
  }
}

function propertyId(reader: Reader, { workspacePk }: InWorkspace, key: string, place: string): string {
  const property = findPropertyHeadByKey(reader, workspacePk, fold(key))
  if (property) return property.id
  throw refused(`"${place}" names "${key}", and there is no such property in this workspace.`, atPlace(place))
}

/** The part of a view that refers to a property. */
export type ViewRole = 'filter' | 'sort' | 'display'

/** The views that reference the property, among all or these, and the parts that do. */
export const viewsNaming = (
  reader: Reader,
  workspace: number,
  property: string,
  ids?: readonly string[],
): { id: string; name: string; roles: ViewRole[] }[] =>
  viewKind
    .each(reader, workspace, ids)
    .map((view) => ({ id: view.id, name: view.name, roles: rolesOf(view, property) }))
    .filter(({ roles }) => roles.length > 0)
    .toArray()

function rolesOf(view: ViewRow, property: string): ViewRole[] {
  const named: Record<ViewRole, boolean> = {
    filter: storedTreeReferences(view.filter).propertyIds.includes(property),
    sort: view.sortProperty === property,
    display: displayedIds(view).includes(property),
  }
  return (Object.keys(named) as ViewRole[]).filter((role) => named[role])
}

export const sortOf = ({ sortField: field, sortDirection: direction, sortProperty }: ViewRow): NoteSort => ({
  field,
  direction,
  ...(sortProperty !== null && { property: sortProperty }),
})

/** The notes of a view, which is read in the same snapshot as they are. */
export const listViewNotes = read({
  name: 'views.notes',
  covers: 'notes',
  run: (
    snapshot,
    caller,
    { id, content, excerpt, ...page }: { id: string } & Static<typeof ViewNotesQuery>,
  ) => {
    const row = viewKind.getRow(snapshot, caller, id)
    return notesByTree(snapshot, caller.workspacePk, {
      filter: filterOf(row),
      sort: sortOf(row),
      page: pageRequest(page),
      shown: { content, excerpt },
    })
  },
})
