import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'
import { notes } from './notes.ts'

/** Active notes pinned to the sidebar; `position` has no gaps within a workspace (`log/objects/positions.ts`). */
export const quickAccess = sqliteTable(
  'quick_access',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    note: integer()
      .notNull()
      .unique()
      .references(() => notes.pk, { onDelete: 'cascade' }),
    icon: text(),
    color: text(),
    iconFilled: integer('icon_filled').notNull(),
    position: integer().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('quick_access_position').on(table.workspace, table.position)],
)
