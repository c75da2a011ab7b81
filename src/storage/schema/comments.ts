import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { users, workspaces } from './account.ts'
import { notes } from './notes.ts'
import { records } from './records.ts'

/** Comments on a note or on a row: exactly one of `note` and `record` is set. */
export const comments = sqliteTable(
  'comments',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    note: integer().references(() => notes.pk, { onDelete: 'cascade' }),
    record: integer().references(() => records.pk, { onDelete: 'cascade' }),
    /** The first comment of the thread; null for a first comment. */
    thread: integer().references((): AnySQLiteColumn => comments.pk, { onDelete: 'cascade' }),
    /** The id of the user; null if no user of this server has the name of an imported author. */
    author: text(),
    /** The name of the author when the comment was written. */
    authorName: text('author_name').notNull(),
    text: text().notNull(),
    /** JSON object `{text, before, after}`; null for a comment on the whole note. */
    passage: text(),
    /** JSON array of `{id, name}`. */
    mentions: text().notNull(),
    resolvedAt: integer('resolved_at'),
    /** JSON object `{id, name}`. */
    resolvedBy: text('resolved_by'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('comments_workspace').on(table.workspace, table.createdAt, table.id),
    index('comments_note').on(table.note, table.createdAt, table.id).where(sql`note IS NOT NULL`),
    index('comments_record').on(table.record, table.createdAt, table.id).where(sql`record IS NOT NULL`),
    index('comments_thread').on(table.thread).where(sql`thread IS NOT NULL`),
  ],
)

export const NOTICE_REASONS = ['mention', 'reply'] as const

/** The inboxes: comments that mention a user, or reply to a thread in which the user takes part. */
export const commentNotices = sqliteTable(
  'comment_notices',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    user: integer()
      .notNull()
      .references(() => users.pk, { onDelete: 'cascade' }),
    comment: integer()
      .notNull()
      .references(() => comments.pk, { onDelete: 'cascade' }),
    reason: text({ enum: NOTICE_REASONS }).notNull(),
    /** When the user read it; null for an unread one. */
    readAt: integer('read_at'),
  },
  (table) => [
    uniqueIndex('comment_notices_comment').on(table.comment, table.user),
    index('comment_notices_user').on(table.user, table.workspace, table.pk),
    index('comment_notices_workspace').on(table.workspace),
  ],
)
