import {
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'
import { notes } from './notes.ts'

export const properties = sqliteTable(
  'properties',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    key: text().notNull(),
    type: text({ enum: ['text', 'number', 'date', 'bool', 'select', 'json'] }).notNull(),
    label: text(),
    /** JSON array of strings, for `select`; null otherwise. */
    options: text(),
    position: integer().notNull(),
    isPinned: integer('is_pinned').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('properties_key').on(table.workspace, table.key)],
)

const anyColumn = customType<{ data: string | number }>({ dataType: () => 'ANY' })

/**
 * The property values of notes. A job removes those of a deleted property. Text, select and date are stored as text,
 * number as real, yes/no as 0 or 1, json as its text.
 */
export const noteProperties = sqliteTable(
  'note_properties',
  {
    note: integer()
      .notNull()
      .references(() => notes.pk, { onDelete: 'cascade' }),
    property: integer().notNull(),
    value: anyColumn().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.note, table.property] }),
    index('note_properties_value').on(table.property, table.value, table.note),
  ],
)
