import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * All rows of all structures, from which everything else about rows is derived. Live rows are also in the typed table
 * of their structure (`storage/row-table-names.ts`), which serves filters and sorting. There is no foreign key to the
 * structure, because it would need an index by structure over all rows; the typed tables and `records_deleted` serve
 * such lookups.
 */
export const records = sqliteTable(
  'records',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    structure: integer().notNull(),
    /** JSON exactly as in responses, with keys in the order of the fields. */
    data: text().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    deletedAt: integer('deleted_at'),
  },
  (table) => [
    index('records_deleted').on(table.structure, table.deletedAt).where(sql`deleted_at IS NOT NULL`),
  ],
)
