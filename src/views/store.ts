import { and, asc, eq, sql } from 'drizzle-orm'
import { prepared, type Reader } from '../db/reader.ts'
import { views } from '../db/schema/views.ts'

const placeholder = sql.placeholder

export type ViewRow = typeof views.$inferSelect
/** What a caller decides of a view. */
export type ViewColumns = Omit<ViewRow, 'pk' | 'id' | 'workspace' | 'createdAt' | 'updatedAt'>

const viewsOfWorkspace = prepared((orm) =>
  orm
    .select()
    .from(views)
    .where(eq(views.workspace, placeholder('workspace')))
    .orderBy(asc(views.pk))
    .prepare(),
)
/** Views by creation. */
export const listViewRows = (reader: Reader, workspace: number): ViewRow[] =>
  viewsOfWorkspace(reader).all({ workspace })

const viewById = prepared((orm) =>
  orm
    .select()
    .from(views)
    .where(and(eq(views.id, placeholder('id')), eq(views.workspace, placeholder('workspace'))))
    .prepare(),
)
export const findView = (reader: Reader, workspace: number, id: string): ViewRow | undefined =>
  viewById(reader).get({ id, workspace })

export const countViews = (reader: Reader, workspace: number): number =>
  reader.sql.scalar('SELECT count(*) FROM views WHERE workspace = ?', workspace)

/** An update takes no bare placeholder. */
const bound = (name: keyof ViewColumns) => sql`${placeholder(name)}`

const columns = {
  name: bound('name'),
  filter: bound('filter'),
  sortField: bound('sortField'),
  sortDirection: bound('sortDirection'),
  sortProperty: bound('sortProperty'),
  displayProperties: bound('displayProperties'),
  showTags: bound('showTags'),
  isPinned: bound('isPinned'),
  isDefault: bound('isDefault'),
  icon: bound('icon'),
  color: bound('color'),
  coverUrl: bound('coverUrl'),
}

const insertViewRow = prepared((orm) =>
  orm
    .insert(views)
    .values({
      ...columns,
      id: placeholder('id'),
      workspace: placeholder('workspace'),
      createdAt: placeholder('now'),
      updatedAt: placeholder('now'),
    })
    .returning()
    .prepare(),
)
export const insertView = (
  reader: Reader,
  row: ViewColumns & { id: string; workspace: number; now: number },
): ViewRow => insertViewRow(reader).get(row)

/** Moves `updated_at` strictly. */
const touched = sql`max(${placeholder('now')}, ${views.updatedAt} + 1)`

const updateViewRow = prepared((orm) =>
  orm
    .update(views)
    .set({ ...columns, updatedAt: touched })
    .where(eq(views.pk, placeholder('pk')))
    .returning()
    .prepare(),
)
export const updateView = (
  reader: Reader,
  row: ViewColumns & { pk: number; now: number },
): ViewRow | undefined => updateViewRow(reader).get(row)

export const deleteViewRow = (reader: Reader, pk: number) =>
  reader.sql.run('DELETE FROM views WHERE pk = ?', pk)

/** Leaves the workspace without a default view. */
export const clearDefault = (reader: Reader, workspace: number, now: number) =>
  reader.sql.run(
    'UPDATE views SET is_default = 0, updated_at = max(?, updated_at + 1) WHERE workspace = ? AND is_default = 1',
    now,
    workspace,
  )
