import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'

/** Makes a workspace a copy of a remote one. A mirror has one row, any other database none. */
export const mirrors = sqliteTable('mirrors', {
  workspace: integer()
    .primaryKey()
    .references(() => workspaces.pk, { onDelete: 'cascade' }),
  /** The address of the remote daybook. */
  remote: text().notNull(),
  /** The selection of the copy, as JSON (`transfer/mirror/selection.ts`). */
  selection: text().notNull(),
  /** The change of the remote up to which the copy is complete. */
  cursor: text().notNull(),
  /** The time between the remote's commit of the last changes and the copy's commit. */
  delayMs: integer('delay_ms').notNull(),
  /** When the remote last confirmed that the copy is complete, or sent missing changes. */
  lastContactAt: integer('last_contact_at').notNull(),
  /** Whether the copy accepts changes of notes and records (`mirror_overlay`). */
  isWritable: integer('is_writable').notNull().default(0),
  /** Whether changes of records are posted (`mirror_events`). */
  isForwarding: integer('is_forwarding').notNull().default(0),
  /** Why the copy cannot follow; null while it does. */
  problem: text(),
})

/** Objects of the remote that the copy omits, because this version does not know their kind or a value in them. */
export const mirrorOmitted = sqliteTable(
  'mirror_left_out',
  { kind: text().notNull(), id: text().notNull() },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)

/**
 * Local changes of a writable mirror. The tables hold the local state, these rows the remote one. Objects are JSON as
 * in responses, null for no object.
 */
export const mirrorOverlay = sqliteTable(
  'mirror_overlay',
  {
    /** Notes and records, and the tags and Quick Access items that they created or removed. */
    kind: text().notNull(),
    id: text().notNull(),
    structure: text(),
    /** The remote's state when the change was made, or the pushed state that the remote has accepted. */
    base: text(),
    /** The remote's current state. */
    remote: text(),
    /** The state last pushed to the remote. */
    pushed: text(),
    /** The local state and the reason, in a conflict: the tables hold the remote state then. */
    held: text(),
    problem: text(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)

/** Record events of a mirror that are still to be posted, in order. */
export const mirrorEvents = sqliteTable('mirror_events', {
  pk: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  type: text().notNull(),
  /** The changed record, for messages about the event. */
  record: text().notNull(),
  body: text().notNull(),
})
