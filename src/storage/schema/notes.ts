import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

/** Notes without their bodies, which lists, totals and filters never read. */
export const notes = sqliteTable(
  'notes',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    title: text().notNull(),
    titleFold: text('title_fold').notNull(),
    alias: text(),
    aliasFold: text('alias_fold'),
    /** The further aliases as a JSON array; null until some are given. */
    aliases: text(),
    pinned: integer().notNull().default(0),
    pinLabel: text('pin_label'),
    coverUrl: text('cover_url'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** The last change of title, text, alias, tags or properties by a caller; never later than `updated_at`. */
    editedAt: integer('edited_at').notNull().default(0),
    deletedAt: integer('deleted_at'),
  },
  (table) => [
    index('notes_updated').on(table.workspace, table.updatedAt, table.id).where(sql`deleted_at IS NULL`),
    index('notes_edited').on(table.workspace, table.editedAt, table.id).where(sql`deleted_at IS NULL`),
    index('notes_created').on(table.workspace, table.createdAt, table.id).where(sql`deleted_at IS NULL`),
    index('notes_title').on(table.workspace, table.titleFold, table.id).where(sql`deleted_at IS NULL`),
    uniqueIndex('notes_alias')
      .on(table.workspace, table.aliasFold)
      .where(sql`alias_fold IS NOT NULL AND deleted_at IS NULL`),
    index('notes_trash').on(table.workspace, table.deletedAt, table.id).where(sql`deleted_at IS NOT NULL`),
  ],
)

const ofNote = () =>
  integer('note')
    .notNull()
    .references(() => notes.pk, { onDelete: 'cascade' })

/** The folded further aliases of active notes. No note has one of them as its `alias`. */
export const noteAliases = sqliteTable(
  'note_aliases',
  {
    workspace: integer().notNull(),
    aliasFold: text('alias_fold').notNull(),
    note: ofNote(),
  },
  (table) => [
    primaryKey({ columns: [table.workspace, table.aliasFold] }),
    index('note_aliases_note').on(table.note),
  ],
)

export const noteBodies = sqliteTable('note_bodies', {
  note: integer()
    .primaryKey()
    .references(() => notes.pk, { onDelete: 'cascade' }),
  content: text().notNull(),
})

export const revisions = sqliteTable(
  'revisions',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    note: ofNote(),
    createdAt: integer('created_at').notNull(),
    surface: text().notNull(),
    title: text().notNull(),
    content: text().notNull(),
  },
  (table) => [
    index('revisions_note').on(table.note, table.pk),
    index('revisions_created').on(table.createdAt),
  ],
)

/** Derived from the bodies: the folded link targets of a note. Targets are resolved when they are read. */
export const noteLinks = sqliteTable(
  'note_links',
  {
    workspace: integer().notNull(),
    target: text().notNull(),
    note: ofNote(),
  },
  (table) => [
    primaryKey({ columns: [table.workspace, table.target, table.note] }),
    index('note_links_note').on(table.note),
  ],
)

/**
 * Notes whose entries in the search tables are stale. They are indexed while the server is idle, and before any
 * search.
 */
export const searchPending = sqliteTable(
  'search_pending',
  {
    workspace: integer().notNull(),
    note: integer().notNull(),
    /**
     * 1 if it changes no search result, as after the deletion of a tag, so that no search waits for it; 2 if an
     * upgrade must index the note before the database is used.
     */
    canWait: integer('can_wait').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.workspace, table.note] }),
    index('search_pending_urgent').on(table.workspace, table.note).where(sql`can_wait = 0`),
  ],
)
