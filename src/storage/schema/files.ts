import { sql } from 'drizzle-orm'
import { blob, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'
import { notes } from './notes.ts'

export const files = sqliteTable(
  'files',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    /** Kept while the note is in the trash; null after its permanent deletion. */
    note: integer().references(() => notes.pk, { onDelete: 'set null' }),
    fileName: text('file_name').notNull(),
    mimeType: text('mime_type').notNull(),
    size: integer().notNull(),
    /** A file that is `arriving` is not visible: its parts are added in several transactions. */
    status: text({ enum: ['arriving', 'processing', 'ready', 'failed'] }).notNull(),
    pages: integer(),
    error: text(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** The number of times the text extraction was started. */
    attempts: integer().notNull().default(0),
    /** The claim of the process that extracts the text; results of earlier claims are ignored. */
    claim: text(),
    /** JSON array of `{title, level, page}`, once the text is extracted. */
    outline: text(),
    /**
     * JSON object with the content of the webhook events that are sent once the text is extracted: the actor and the
     * previously shown state.
     */
    announcement: text(),
  },
  (table) => [
    index('files_created').on(table.workspace, table.createdAt, table.id),
    index('files_note').on(table.note).where(sql`note IS NOT NULL`),
    index('files_unfinished').on(table.status, table.pk).where(sql`status NOT IN ('ready', 'failed')`),
  ],
)

/**
 * Original files, in parts so small that writing one delays no other write. The key holds the file and the number
 * (`partKey`).
 */
export const fileParts = sqliteTable('file_parts', {
  pk: integer().primaryKey(),
  bytes: blob({ mode: 'buffer' }).notNull(),
})

/** The extracted text of a file, page by page. The key holds the file and the number (`partKey`). */
export const filePages = sqliteTable('file_pages', {
  pk: integer().primaryKey(),
  text: text().notNull(),
})
