import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'
import { structures } from './structures.ts'

export const ROW_VIEW_KINDS = ['table', 'board', 'calendar'] as const

/** Row views: which rows and columns of a structure are shown, and how. */
export const rowViews = sqliteTable(
  'row_views',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    structure: integer()
      .notNull()
      .references(() => structures.pk, { onDelete: 'cascade' }),
    name: text().notNull(),
    kind: text({ enum: ROW_VIEW_KINDS }).notNull(),
    /** JSON array of conditions as sent. */
    filter: text().notNull(),
    search: text(),
    sort: text(),
    direction: text({ enum: ['asc', 'desc'] }),
    /** JSON array of `{key, width?}`; null for all fields. */
    columns: text(),
    groupBy: text('group_by'),
    dateField: text('date_field'),
    endField: text('end_field'),
    personal: integer().notNull(),
    locked: integer().notNull(),
    /** The id of the creator; null after that user has left the workspace. */
    owner: text(),
    /** In a mirror, the remote name of the owner, who is no user here. */
    ownerName: text('owner_name'),
    /** The position among the views of the structure. */
    position: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('row_views_workspace').on(table.workspace, table.structure, table.position),
    index('row_views_structure').on(table.structure, table.position),
  ],
)
