import { customType, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const anyColumn = customType<{ data: string | number }>({ dataType: () => 'ANY' })

/** Pending jobs (`kernel/jobs.ts`). */
export const jobs = sqliteTable(
  'jobs',
  {
    kind: text().notNull(),
    key: anyColumn().notNull(),
    /** JSON state that the next step continues from. */
    state: text().notNull(),
    /** Milliseconds since 1970; for a job that is due at once, the number of its steps so far. */
    dueAt: integer('due_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.key] }),
    index('jobs_due').on(table.kind, table.dueAt),
  ],
)
