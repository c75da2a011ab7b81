import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

/** Makes a workspace a copy of a remote one: a row in a mirror, none in any other database. */
export const mirrors = sqliteTable('mirrors', {
  workspace: integer()
    .primaryKey()
    .references(() => workspaces.pk, { onDelete: 'cascade' }),
  /** The address of the remote daybook. */
  remote: text().notNull(),
  /** What is left out of the copy, as JSON (`mirror/selection.ts`). */
  selection: text().notNull(),
  /** The change of the remote up to which everything is in the copy. */
  cursor: text().notNull(),
  /** How long the last changes took from the commit of the remote to that of the copy. */
  delayMs: integer('delay_ms').notNull(),
  /** When the remote last said that the copy has everything, or sent what was missing. */
  lastContactAt: integer('last_contact_at').notNull(),
  /** Whether notes and records may be changed in the copy (`mirror_overlay`). */
  isWritable: integer('is_writable').notNull().default(0),
  /** Whether changes of records are posted (`mirror_events`). */
  isForwarding: integer('is_forwarding').notNull().default(0),
  /** Why the copy cannot follow; null while it does. */
  problem: text(),
})

/** The objects of the remote that the copy leaves out, because the program does not know their kind or a word in them. */
export const mirrorLeftOut = sqliteTable(
  'mirror_left_out',
  { kind: text().notNull(), id: text().notNull() },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)

/**
 * What was changed in a writable mirror and is not the same on the remote: the tables hold it as it is here, and these
 * rows what the remote has. Objects are JSON as responses show them, null where there is none.
 */
export const mirrorOverlay = sqliteTable(
  'mirror_overlay',
  {
    /** Of notes and records, and of the tags and items of Quick Access that came or went with them. */
    kind: text().notNull(),
    id: text().notNull(),
    structure: text(),
    /** What the remote had when the change was made. */
    base: text(),
    /** What the remote has now. */
    remote: text(),
    /** What was sent to the remote last. */
    pushed: text(),
    /** The object as it was changed, while the tables cannot hold it, and why: they hold that of the remote. */
    held: text(),
    problem: text(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)

/** Record events of a mirror that still have to be posted, in order. */
export const mirrorEvents = sqliteTable('mirror_events', {
  pk: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  type: text().notNull(),
  /** Which record changed, for the message about it. */
  record: text().notNull(),
  body: text().notNull(),
})
