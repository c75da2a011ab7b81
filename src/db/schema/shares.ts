import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users, workspaces } from './account.ts'

/** What is shown, or asked, without an account, under a URL of its own. */
export const shares = sqliteTable(
  'shares',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    kind: text({ enum: ['note', 'view', 'row_view', 'form'] }).notNull(),
    /** The id of the note, the view or the row view; of a form that of the structure. */
    target: text().notNull(),
    /** The id of the structure whose rows it shows or takes; null for notes. */
    structure: text(),
    name: text(),
    /** In the URL; stored as it is, because it is shown again to those who may write. */
    token: text().notNull().unique(),
    passwordHash: text('password_hash'),
    /** JSON object. */
    options: text().notNull(),
    expiresAt: integer('expires_at'),
    /** On whose right it rests. */
    createdBy: integer('created_by')
      .notNull()
      .references(() => users.pk, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    /** How many pages were shown. */
    uses: integer().notNull().default(0),
    /** How many rows were written through a form. */
    written: integer().notNull().default(0),
  },
  (table) => [
    index('shares_workspace').on(table.workspace, table.pk),
    index('shares_created_by').on(table.createdBy),
  ],
)
