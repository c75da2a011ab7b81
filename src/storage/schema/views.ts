import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

export const views = sqliteTable(
  'views',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** A filter tree as JSON; null for every note. Like the columns below, it refers to tags and properties by id. */
    filter: text(),
    sortField: text('sort_field', {
      enum: ['created_at', 'updated_at', 'edited_at', 'title', 'property'],
    }).notNull(),
    sortDirection: text('sort_direction', { enum: ['asc', 'desc'] }).notNull(),
    /** The id of a property, only if sorted by `property`. */
    sortProperty: text('sort_property'),
    /** JSON array of the ids of properties. */
    displayProperties: text('display_properties').notNull(),
    showTags: integer('show_tags').notNull(),
    isPinned: integer('is_pinned').notNull(),
    isDefault: integer('is_default').notNull(),
    icon: text(),
    color: text(),
    coverUrl: text('cover_url'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('views_workspace').on(table.workspace, table.pk),
    uniqueIndex('views_default').on(table.workspace).where(sql`is_default = 1`),
  ],
)
