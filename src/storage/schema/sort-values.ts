import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

/** Sort values that are too long for the cursors that name them by digest (`storage/page-cursors.ts`). */
export const sortValues = sqliteTable(
  'sort_values',
  {
    pk: integer().primaryKey(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    digest: text().notNull(),
    value: text().notNull(),
  },
  (table) => [uniqueIndex('sort_values_digest').on(table.workspace, table.digest)],
)
