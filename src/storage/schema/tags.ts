import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'
import { notes } from './notes.ts'

export const tags = sqliteTable(
  'tags',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    name: text().notNull(),
    nameFold: text('name_fold').notNull(),
    color: text(),
    isPinned: integer('is_pinned').notNull().default(0),
    /** The number of active notes with the tag; maintained, and compared by `check`. */
    noteCount: integer('note_count').notNull().default(0),
  },
  (table) => [uniqueIndex('tags_name').on(table.workspace, table.nameFold)],
)

/**
 * The tags of notes, including notes in the trash. A job removes the rows of a deleted tag, hence there is no foreign
 * key.
 */
export const noteTags = sqliteTable(
  'note_tags',
  {
    tag: integer().notNull(),
    note: integer()
      .notNull()
      .references(() => notes.pk, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.tag, table.note] }),
    index('note_tags_note').on(table.note, table.tag),
  ],
)

/** A note that gets `tag` also gets `linked`. */
export const tagLinks = sqliteTable(
  'tag_links',
  { tag: integer().notNull(), linked: integer().notNull() },
  (table) => [primaryKey({ columns: [table.tag, table.linked] }), index('tag_links_linked').on(table.linked)],
)
