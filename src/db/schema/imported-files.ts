import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

/** What imports of folders have made of which file, so that a folder can be imported again. */
export const importedFiles = sqliteTable(
  'imported_files',
  {
    pk: integer().primaryKey(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    /** The whole path of the imported folder; of one that came through a browser the id of the user, a slash and its name. */
    folder: text().notNull(),
    /** The path of the file in that folder. */
    path: text().notNull(),
    kind: text({ enum: ['note', 'file'] }).notNull(),
    /** The id of the note or file; it may be deleted. */
    object: text().notNull(),
    /**
     * SHA-256 of the file as it was imported; its size and time if it comes through a browser, and nothing while the id of
     * what is to be made of it is only reserved.
     */
    digest: text().notNull(),
    /** SHA-256 of the body that the import wrote; null for a file. */
    written: text(),
    /** What else the import wrote, as JSON (`WrittenFields`); null for a file. */
    fields: text(),
  },
  (table) => [
    uniqueIndex('imported_files_path').on(table.workspace, table.folder, table.path),
    index('imported_files_object').on(table.object),
  ],
)
