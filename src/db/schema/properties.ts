import { sql } from 'drizzle-orm'
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
    /** 1 from the deletion on, while notes still hold values: it is no longer visible, and its key is free. */
    isRemoved: integer('is_removed').notNull().default(0),
  },
  (table) => [uniqueIndex('properties_key').on(table.workspace, table.key).where(sql`is_removed = 0`)],
)

const anyColumn = customType<{ data: string | number }>({ dataType: () => 'ANY' })

/** Text, select and date as text, number as real, yes/no as 0 or 1, json as its text. */
export const noteProperties = sqliteTable(
  'note_properties',
  {
    note: integer()
      .notNull()
      .references(() => notes.pk, { onDelete: 'cascade' }),
    property: integer()
      .notNull()
      .references(() => properties.pk, { onDelete: 'cascade' }),
    value: anyColumn().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.note, table.property] }),
    index('note_properties_value').on(table.property, table.value, table.note),
  ],
)
