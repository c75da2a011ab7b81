import type { Static } from '@sinclair/typebox'
import { desc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Caller, InWorkspace } from '../../context.ts'
import { FIELD_TYPES, isSortable, rulesOf, valueTypeOf } from '../../filter/record/field-types.ts'
import { checkFilter, parseConditions, type RawCondition } from '../../filter/record/parse.ts'
import type { Ability } from '../../kernel/caller.ts'
import { read, write } from '../../kernel/operation.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { atPlace, fail, invalid, nameTaken, refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { type ChangeAuthor, notifyAfterCommit } from '../../log/log.ts'
import { objectKind } from '../../log/objects/objects.ts'
import { beginPrivate, endPrivate, nextKey } from '../../log/private.ts'
import { from, rowsBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { rowViews } from '../../storage/schema/row-views.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import {
  definitionOf,
  type FieldDefinition,
  getStructure,
  ofReadableStructures,
  type StructureRow,
  structureOf,
} from '../structures/store.ts'
import type { CreateRowViewBody, PatchRowViewBody } from './schema.ts'

const userNamed = sql<string | null>`(SELECT u.name FROM users u WHERE u.id = row_views.owner)`

const columns = {
  ...getTableColumns(rowViews),
  structureId: sql<string>`(SELECT s.id FROM structures s WHERE s.pk = row_views.structure)`,
  /** The name of the owner; null in a copy, where the owner is not a user. */
  userName: userNamed,
}

export const rowViewKind = objectKind({
  kind: 'row_view',
  noun: 'view of rows',
  table: rowViews,
  read: columns,
  order: [rowViews.structure, rowViews.position],
  within: 'structure',
  present: (row) => ({
    id: row.id,
    structure_id: row.structureId,
    name: row.name,
    kind: row.kind,
    filter: filterOf(row),
    search: row.search,
    sort: row.sort,
    direction: row.direction,
    columns: columnsOf(row),
    group_by: row.groupBy,
    date_field: row.dateField,
    end_field: row.endField,
    personal: row.personal === 1,
    locked: row.locked === 1,
    owner: row.owner === null ? null : { id: row.owner, name: row.userName ?? row.ownerName ?? '' },
    position: row.position,
    created_at: isoTimestamp(row.createdAt),
    updated_at: isoTimestamp(row.updatedAt),
  }),
})

export type RowViewRow = typeof rowViews.$inferSelect & { structureId: string; userName: string | null }

/** The reader of views; without a user, it also sees personal views. */
type RowViewReader = InWorkspace

/**
 * A personal view is visible to its owner only. In a copy, all views belong to the copying member, and their owner is
 * not a user.
 */
const isSeenBy = (row: RowViewRow, { userId }: RowViewReader): boolean =>
  row.personal === 0 || userId === undefined || row.owner === userId || row.userName === null

export const listRowViews = (reader: Reader, caller: RowViewReader): RowViewRow[] =>
  ofReadableStructures(reader, caller, rowViewKind.rows(reader, caller.workspacePk)).filter((row) =>
    isSeenBy(row, caller),
  )

/** The views of all structures, or of one. */
export const listShownRowViews = read({
  name: 'row-views.list',
  covers: 'structures',
  run: (snapshot, caller, { structure: named }: { structure?: string }) => {
    const structure = named === undefined ? undefined : getStructure(snapshot, caller, named, 'read').pk
    const rows = listRowViews(snapshot, caller).filter(
      (row) => structure === undefined || row.structure === structure,
    )
    return { row_views: rows.map((row) => rowViewKind.present(row, snapshot)) }
  },
})

export const readRowView = read({
  name: 'row-views.get',
  covers: 'structures',
  run: (snapshot, caller, { id }: { id: string }) => ({
    row_view: rowViewKind.present(getRowView(snapshot, caller, id), snapshot),
  }),
})

export function getRowView(reader: Reader, caller: RowViewReader, id: string): RowViewRow {
  const row = rowViewKind.findById(reader, caller.workspacePk, id)
  if (!row || !isSeenBy(row, caller)) throw rowViewKind.notFound
  structureOf(reader, caller, row, 'view of rows', 'read')
  return row
}

/** The ability needed to write a view; callers who can only read may have personal views. */
const abilityFor = (...personal: readonly number[]): Ability =>
  personal.every((flag) => flag === 1) ? 'read' : 'change'

export function findRowView(reader: Reader, caller: RowViewReader, id: string) {
  const row = rowViewKind.findById(reader, caller.workspacePk, id)
  const isFound = row && isSeenBy(row, caller) && ofReadableStructures(reader, caller, [row]).length === 1
  return isFound ? rowViewKind.present(row, reader) : undefined
}

/** All views of a structure, last one first. */
const rowsOf = rowsBy((structure: number) =>
  from(rowViews, columns).where(eq(rowViews.structure, structure)).orderBy(desc(rowViews.position)),
)

type NewRowView = Static<typeof CreateRowViewBody>
type RowViewPatch = Static<typeof PatchRowViewBody>

const NEW: Omit<RowViewColumns, 'name'> = {
  kind: 'table',
  filter: '[]',
  search: null,
  sort: null,
  direction: null,
  columns: null,
  groupBy: null,
  dateField: null,
  endField: null,
  personal: 0,
  locked: 0,
}

const MAX_VIEWS = 200

export const createRowView = write({
  name: 'row-views.create',
  covers: 'structures',
  check: (tx, caller, { body }: { body: NewRowView }) => {
    if (caller.rights) getStructure(tx, caller, body.structure, abilityFor(body.personal ? 1 : 0))
  },
  run: (tx, caller, { body }: { body: NewRowView }) => ({ row_view: insertRowView(tx, caller, body) }),
})

export function insertRowView(
  tx: Tx,
  caller: Caller,
  input: NewRowView,
  owner: string | null = caller.userId === '' ? null : caller.userId,
) {
  const structure = getStructure(tx, caller, input.structure, abilityFor(input.personal ? 1 : 0))
  const others = rowsOf(tx, structure.pk)
  if (others.length >= MAX_VIEWS)
    throw refused(`"${structure.name}" has ${MAX_VIEWS} views, personal ones included; delete one first.`)
  const { structure: _, ...sent } = input
  const columns = { ...NEW, name: input.name, ...columnsSent(sent) }
  checkRowView(structure, columns)
  refuseTakenName(others, { ...columns, owner })
  const first = nextKey(tx, caller.workspacePk)
  const { position } = input
  const row = rowViewKind.insert(tx, caller, { ...columns, owner, structure: structure.pk }, { position })
  if (columns.personal === 1 && owner !== null) beginPrivate(tx, row.id, owner, first)
  return rowViewKind.present(row, tx)
}

function refuseTakenName(
  others: readonly RowViewRow[],
  { name, personal, owner }: Pick<RowViewRow, 'name' | 'personal' | 'owner'>,
): void {
  const holder = others.find(
    (other) =>
      fold(other.name) === fold(name) &&
      other.personal === personal &&
      (personal === 0 || other.owner === owner),
  )
  if (holder)
    throw nameTaken(
      `A view named "${holder.name}" exists already here; choose another name.`,
      atPlace('name'),
    )
}

const columnsSent = ({ columns, ...sent }: RowViewPatch): Partial<RowViewColumns> => ({
  ...rowViewKind.columnsOf(sent.name === undefined ? sent : { ...sent, name: sent.name.trim() }),
  ...(columns !== undefined && {
    columns: columns && JSON.stringify(columns.map(({ key, width }) => ({ key, width }))),
  }),
})

/** Changes the sent attributes; the filter and the columns are each replaced as a whole. */
export const patchRowView = write({
  name: 'row-views.patch',
  covers: 'structures',
  object: readRowView,
  run: (tx, caller, { id, body: patch }: { id: string; body: RowViewPatch }) => {
    const before = getRowView(tx, caller, id)
    const columns = columnsSent(patch)
    const after = { ...before, ...columns }
    const ability = abilityFor(before.personal, after.personal)
    const structure = getStructure(tx, caller, before.structureId, ability)
    refuseForeign(caller, before, patch, after)
    checkRowView(structure, after)
    const others = rowsOf(tx, before.structure).filter(({ pk }) => pk !== before.pk)
    refuseTakenName(others, after)
    notifyAfterCommit(tx, before.structureId)
    if (after.personal < before.personal) endPrivate(tx, caller.workspacePk, id)
    const shown = rowViewKind.update(tx, caller, before, columns, { position: patch.position })
    if (after.personal > before.personal) beginPrivate(tx, id, caller.userId, nextKey(tx, caller.workspacePk))
    return { row_view: shown }
  },
})

/** Refuses changes reserved for the owner, and changes that a lock forbids. */
function refuseForeign(
  caller: Caller,
  before: RowViewRow,
  { locked: _, ...others }: RowViewPatch,
  after: RowViewColumns,
): void {
  const isMaker = before.owner !== null && before.owner === caller.userId
  if (before.locked === 1 && Object.values(others).some((sent) => sent !== undefined))
    throw refused(`The view "${before.name}" is locked: unlock it first, or save a copy of it.`)
  if (after.locked !== before.locked && !isMaker && caller.role !== 'owner')
    throw refused(`Only who made the view "${before.name}", or an owner, locks and unlocks it.`)
  if (after.personal !== before.personal && !isMaker)
    throw refused(`Only who made the view "${before.name}" makes it personal; save a copy of it instead.`)
}

export const deleteRowView = write({
  name: 'row-views.delete',
  covers: 'structures',
  object: readRowView,
  run: (tx, caller, { id }: { id: string }) => {
    const row = getRowView(tx, caller, id)
    getStructure(tx, caller, row.structureId, abilityFor(row.personal))
    if (row.locked === 1) throw refused(`The view "${row.name}" is locked: unlock it before you delete it.`)
    deleteRow(tx, caller, row)
    notifyAfterCommit(tx, row.structureId)
    return { deleted: true, id }
  },
})

/** The views of a structure that reference a field, described for the caller. */
export const rowViewsNaming = (
  reader: Reader,
  structurePk: number,
  key: string,
  caller: RowViewReader,
): string[] => [
  ...new Set(
    rowsOf(reader, structurePk)
      .filter((row) => fieldsNamed(row).includes(key))
      .map((row) => (isSeenBy(row, caller) ? `the view "${row.name}"` : 'a personal view')),
  ),
]

function deleteRow(tx: Tx, author: ChangeAuthor, row: RowViewRow): void {
  rowViewKind.delete(tx, author, row)
  endPrivate(tx, author.workspacePk, row.id)
}

/** Deletes the views of a deleted structure, last one first, so that none shifts. */
export function deleteRowViewsOf(tx: Tx, author: ChangeAuthor, structure: number): void {
  for (const row of rowsOf(tx, structure)) deleteRow(tx, author, row)
}

/** A field that a view shows; without a width it has the default width. */
interface ShownColumn {
  readonly key: string
  readonly width?: number
}

/** The attributes of a view that callers set. */
type RowViewColumns = Omit<
  typeof rowViews.$inferSelect,
  'pk' | 'id' | 'workspace' | 'structure' | 'owner' | 'ownerName' | 'position' | 'createdAt' | 'updatedAt'
>

export const filterOf = ({ filter }: Pick<RowViewColumns, 'filter'>): RawCondition[] => JSON.parse(filter)

export const columnsOf = ({ columns }: Pick<RowViewColumns, 'columns'>): ShownColumn[] | null =>
  columns === null ? null : JSON.parse(columns)

/** The keys of the fields that a view references. */
const fieldsNamed = (view: RowViewColumns): (string | null)[] => [
  ...filterOf(view).map(({ field }) => field),
  ...(columnsOf(view) ?? []).map(({ key }) => key),
  view.sort,
  view.groupBy,
  view.dateField,
  view.endField,
]

/** Saving a view reads all views of its structure. */
const MAX_FILTER_LENGTH = 200_000
const GROUPING: readonly string[] = FIELD_TYPES.filter((type) => rulesOf({ type }).groups)
const DATING: readonly string[] = ['date', 'datetime']

/**
 * Refuses a view that references a missing field or one of the wrong type. Also refuses a view that lacks an attribute
 * which its kind requires.
 */
function checkRowView(structure: StructureRow, view: RowViewColumns): void {
  const { byKey } = definitionOf(structure)
  const fieldOf = (place: string, key: string) =>
    byKey.get(key) ??
    fail(refused(`"${place}" names "${key}", and the structure has no such field.`, atPlace(place)))
  if (view.filter.length > MAX_FILTER_LENGTH)
    throw invalid('The conditions of a view are longer than 200,000 characters; take values out of "filter".')
  // "me" is a different user for each caller.
  checkFilter(parseConditions(filterOf(view)), byKey, '')
  if (view.sort !== null && view.sort !== 'created_at' && view.sort !== 'updated_at')
    if (!isSortable(fieldOf('sort', view.sort)))
      throw refused(`"sort" names "${view.sort}", whose values have no order.`, atPlace('sort'))
  checkColumns(columnsOf(view) ?? [], fieldOf)
  const typed = (place: string, key: string | null, types: readonly string[]) => {
    if (key === null) return undefined
    const field = fieldOf(place, key)
    if (types.includes(valueTypeOf(field))) return field
    throw refused(
      `"${place}" names "${key}", of type ${valueTypeOf(field)}; it takes a field of type ${types.join(' or ')}.`,
      atPlace(place),
    )
  }
  typed('group_by', view.groupBy, GROUPING)
  checkDates(typed('date_field', view.dateField, DATING), typed('end_field', view.endField, DATING))
  if (view.kind === 'board' && view.groupBy === null)
    throw invalid(
      '"group_by" is required for a board: the field whose values are its columns.',
      atPlace('group_by'),
    )
  if (view.kind === 'calendar' && view.dateField === null)
    throw invalid(
      '"date_field" is required for a calendar: the field that says the day of a row.',
      atPlace('date_field'),
    )
}

function checkColumns(
  columns: readonly ShownColumn[],
  fieldOf: (place: string, key: string) => unknown,
): void {
  const seen = new Set<string>()
  for (const [at, { key }] of columns.entries()) {
    fieldOf(`columns[${at}].key`, key)
    if (seen.has(key))
      throw refused(`"columns" names "${key}" twice; name each field once.`, atPlace('columns'))
    seen.add(key)
  }
}

function checkDates(date: FieldDefinition | undefined, end: FieldDefinition | undefined): void {
  if (!end) return
  if (!date)
    throw refused(
      '"end_field" goes only with "date_field", the field of the first day.',
      atPlace('end_field'),
    )
  if (valueTypeOf(date) !== valueTypeOf(end))
    throw refused(
      `"end_field" names "${end.key}", of type ${valueTypeOf(end)}, and "date_field" is of type ${valueTypeOf(date)}; both must be of one type.`,
      atPlace('end_field'),
    )
}
