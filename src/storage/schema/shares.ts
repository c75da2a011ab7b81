import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users, workspaces } from './account.ts'

/** Content that is shown, or requested by a form, without an account, each under a URL of its own. */
export const shares = sqliteTable(
  'shares',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    kind: text({ enum: ['note', 'view', 'row_view', 'form'] }).notNull(),
    /** The id of the note, view or row view; for a form, of the structure. */
    target: text().notNull(),
    /** The id of the structure whose rows it shows or accepts; null for notes. */
    structure: text(),
    name: text(),
    /** The token in the URL. Stored in plain text, because it is shown again to members with write access. */
    token: text().notNull().unique(),
    passwordHash: text('password_hash'),
    /** JSON object. */
    options: text().notNull(),
    expiresAt: integer('expires_at'),
    /** The user whose right the share depends on. */
    createdBy: integer('created_by')
      .notNull()
      .references(() => users.pk, { onDelete: 'cascade' }),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
    /** The number of pages served. */
    uses: integer().notNull().default(0),
    /** The number of rows written through a form. */
    written: integer().notNull().default(0),
  },
  (table) => [
    index('shares_workspace').on(table.workspace, table.pk),
    index('shares_created_by').on(table.createdBy),
  ],
)
