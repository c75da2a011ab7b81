import type { Static } from '@sinclair/typebox'
import { desc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Ability } from '../access/rights.ts'
import type { ChangeAuthor } from '../changes/log.ts'
import { beginPrivate, endPrivate, nextKey } from '../changes/private.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import { from, rowsBy } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { rowViews } from '../db/schema/row-views.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { wholeListQuery } from '../http/whole-list.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { fold } from '../lib/text.ts'
import { objectKind } from '../objects/objects.ts'
import { nameTaken, refused } from '../refusal.ts'
import { getStructure, ofReadableStructures, structureOf } from '../structures/store.ts'
import { checkRowView, columnsOf, fieldsNamed, filterOf, type RowViewColumns } from './fields.ts'
import type { CreateRowViewBody, PatchRowViewBody } from './schema.ts'

const userNamed = sql<string | null>`(SELECT u.name FROM users u WHERE u.id = row_views.owner)`

const read = {
  ...getTableColumns(rowViews),
  structureId: sql<string>`(SELECT s.id FROM structures s WHERE s.pk = row_views.structure)`,
  /** The name of the owner; null in a copy, where that is no user. */
  userName: userNamed,
}

/** Views of rows, by structure and then by position. */
export const rowViewKind = objectKind({
  kind: 'row_view',
  noun: 'view of rows',
  table: rowViews,
  read,
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

/** Whose views they are; without a user, also those that one user alone sees. */
export type RowViewReader = InWorkspace

/** A personal view is its owner's alone. In a copy the owner of all of them is the one who copies, and no user here. */
const isSeenBy = (row: RowViewRow, { userId }: RowViewReader): boolean =>
  row.personal === 0 || userId === undefined || row.owner === userId || row.userName === null

/** All views that the caller sees. */
export const listRowViews = (reader: Reader, caller: RowViewReader): RowViewRow[] =>
  ofReadableStructures(reader, caller, rowViewKind.rows(reader, caller.workspacePk)).filter((row) =>
    isSeenBy(row, caller),
  )

/** All views that the caller sees, or those of one structure. */
export const rowViewsQuery = wholeListQuery<RowViewReader & { readonly structure?: string }>(
  'row-views.list',
  'row_views',
  (reader, { structure: named, ...caller }) => {
    const structure = named === undefined ? undefined : getStructure(reader, caller, named, 'read').pk
    return listRowViews(reader, caller)
      .filter((row) => structure === undefined || row.structure === structure)
      .map((row) => rowViewKind.present(row, reader))
  },
)

export function getRowView(reader: Reader, caller: RowViewReader, id: string): RowViewRow {
  const row = rowViewKind.findById(reader, caller.workspacePk, id)
  if (!row || !isSeenBy(row, caller)) throw rowViewKind.notFound
  structureOf(reader, caller, row, 'view of rows', 'read')
  return row
}

/** What it takes to write a view: who may only read has personal ones. */
const abilityFor = (...personal: readonly number[]): Ability =>
  personal.every((flag) => flag === 1) ? 'read' : 'change'

export function findRowView(reader: Reader, caller: RowViewReader, id: string) {
  const row = rowViewKind.findById(reader, caller.workspacePk, id)
  const isFound = row && isSeenBy(row, caller) && ofReadableStructures(reader, caller, [row]).length === 1
  return isFound ? rowViewKind.present(row, reader) : undefined
}

/** All views of a structure, the last one first. */
const rowsOf = rowsBy((structure: number) =>
  from(rowViews, read).where(eq(rowViews.structure, structure)).orderBy(desc(rowViews.position)),
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

/** Creates a view of rows; joins the caller's transaction. */
export function createRowView(
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
  if (holder) throw nameTaken(`A view named "${holder.name}" exists already here; choose another name.`)
}

const columnsSent = ({ columns, ...sent }: RowViewPatch): Partial<RowViewColumns> => ({
  ...rowViewKind.columnsOf(sent.name === undefined ? sent : { ...sent, name: sent.name.trim() }),
  ...(columns !== undefined && {
    columns: columns && JSON.stringify(columns.map(({ key, width }) => ({ key, width }))),
  }),
})

/** Changes what is sent; the filter and the columns are each replaced whole. */
export const patchRowView = (ctx: AppContext, caller: Caller, id: string, patch: RowViewPatch) =>
  ctx.db.write((tx) => {
    const before = getRowView(tx, caller, id)
    const columns = columnsSent(patch)
    const after = { ...before, ...columns }
    const ability = abilityFor(before.personal, after.personal)
    const structure = getStructure(tx, caller, before.structureId, ability)
    refuseForeign(caller, before, patch, after)
    checkRowView(structure, after)
    const others = rowsOf(tx, before.structure).filter(({ pk }) => pk !== before.pk)
    refuseTakenName(others, after)
    tx.afterCommit(() => ctx.bus.wake(before.structureId))
    if (after.personal < before.personal) endPrivate(tx, caller.workspacePk, id)
    const shown = rowViewKind.update(tx, caller, before, columns, { position: patch.position })
    if (after.personal > before.personal) beginPrivate(tx, id, caller.userId, nextKey(tx, caller.workspacePk))
    return shown
  })

/** Refuses what only its maker may change, and what a lock forbids. */
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

export const deleteRowView = (ctx: AppContext, caller: Caller, id: string): Promise<void> =>
  ctx.db.write((tx): void => {
    const row = getRowView(tx, caller, id)
    getStructure(tx, caller, row.structureId, abilityFor(row.personal))
    if (row.locked === 1) throw refused(`The view "${row.name}" is locked: unlock it before you delete it.`)
    deleteRow(tx, caller, row)
    tx.afterCommit(() => ctx.bus.wake(row.structureId))
  })

/** The views of a structure that name a field, in words for who asks. */
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

/** The views of a structure that is deleted go along, the last one first, so that none moves. */
export function deleteRowViewsOf(tx: Tx, author: ChangeAuthor, structure: number): void {
  for (const row of rowsOf(tx, structure)) deleteRow(tx, author, row)
}
