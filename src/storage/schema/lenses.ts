import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

export const lenses = sqliteTable(
  'lenses',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** A filter tree as JSON; null for the whole workspace. It refers to tags and properties by id. */
    scope: text(),
    /** JSON with every setting. */
    settings: text().notNull(),
    isDefault: integer('is_default').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('lenses_workspace').on(table.workspace, table.pk),
    uniqueIndex('lenses_default').on(table.workspace).where(sql`is_default = 1`),
  ],
)
