import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

/** The objects created from each file of an imported folder, so that the folder can be imported again. */
export const importedFiles = sqliteTable(
  'imported_files',
  {
    pk: integer().primaryKey(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    /**
     * The whole path of the imported folder; for an import from a browser, the id of the user, a slash and its name.
     */
    folder: text().notNull(),
    /** The path of the file in that folder. */
    path: text().notNull(),
    kind: text({ enum: ['note', 'file', 'structure'] }).notNull(),
    /** The id of the note, file or structure; it may be deleted. */
    object: text().notNull(),
    /**
     * SHA-256 of the imported file; for an import from a browser its size and time; empty while the id is only
     * reserved.
     */
    digest: text().notNull(),
    /** SHA-256 of the body that the import wrote; null for a file. */
    written: text(),
    /** The other fields that the import wrote, as JSON (`WrittenFields`); null for a file. */
    fields: text(),
    /** The parts of the file that the note does not hold, as JSON (`Original`); null for a file. */
    original: text(),
  },
  (table) => [
    uniqueIndex('imported_files_path').on(table.workspace, table.folder, table.path),
    index('imported_files_object').on(table.object),
  ],
)
