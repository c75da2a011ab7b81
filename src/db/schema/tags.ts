import { sql } from 'drizzle-orm'
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
    /** How many active notes carry the tag; maintained, and compared by `check`. */
    noteCount: integer('note_count').notNull().default(0),
    /** 1 from the deletion on, while it is still being taken off notes: it is no longer visible, and its name is free. */
    isRemoved: integer('is_removed').notNull().default(0),
  },
  (table) => [uniqueIndex('tags_name').on(table.workspace, table.nameFold).where(sql`is_removed = 0`)],
)

const ofTag = (name: string) =>
  integer(name)
    .notNull()
    .references(() => tags.id, { onDelete: 'cascade' })

/** The tags of notes, including notes in the trash. */
export const noteTags = sqliteTable(
  'note_tags',
  {
    tag: ofTag('tag'),
    note: integer()
      .notNull()
      .references(() => notes.pk, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.tag, table.note] }),
    index('note_tags_note').on(table.note, table.tag),
  ],
)

/** A note that is given `tag` is also given `linked`. */
export const tagLinks = sqliteTable('tag_links', { tag: ofTag('tag'), linked: ofTag('linked') }, (table) => [
  primaryKey({ columns: [table.tag, table.linked] }),
  index('tag_links_linked').on(table.linked),
])

/** Tags that still have to be added to notes because they were linked to a tag of these notes. */
export const tagLinkJobs = sqliteTable('tag_link_jobs', {
  pk: integer().primaryKey(),
  tag: ofTag('tag'),
  /** All tags that come along, as a JSON array of ids. */
  linked: text().notNull(),
  /** The notes that carried the tag when it was linked, as a JSON array of pks. */
  notes: text().notNull(),
  /** How many pairs of a note and a tag are done, counted note by note. */
  done: integer().notNull().default(0),
})
