import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The truth about every row of every structure. The live ones stand once more, typed, in the structure's own
 * table (`db/row-tables.ts`), which finds and orders them. No foreign key: it would need an index by
 * structure over all rows, and only live rows' table and `records_deleted` are ever asked for that.
 */
export const records = sqliteTable(
  'records',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    structure: integer().notNull(),
    /** JSON exactly as it is answered, keys in the order of the fields. */
    data: text().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    deletedAt: integer('deleted_at'),
  },
  (table) => [index('records_deleted').on(table.structure).where(sql`deleted_at IS NOT NULL`)],
)
