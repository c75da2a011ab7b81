import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
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
})

/** Record events of a mirror that still have to be posted, in order. */
export const mirrorEvents = sqliteTable('mirror_events', {
  pk: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull(),
  type: text().notNull(),
  /** Which record changed, for the message about it. */
  record: text().notNull(),
  body: text().notNull(),
})
