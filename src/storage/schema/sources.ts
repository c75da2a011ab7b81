import { sql } from 'drizzle-orm'
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'
import { structures } from './structures.ts'

export const sources = sqliteTable(
  'sources',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    structure: integer()
      .notNull()
      .references(() => structures.pk, { onDelete: 'cascade' }),
    name: text().notNull(),
    nameFold: text('name_fold').notNull(),
    provider: text().notNull(),
    /** JSON object. */
    options: text().notNull(),
    /**
     * Stored in plain text, because it verifies signatures; null if the provider has none, and until an imported
     * source gets one.
     */
    secret: text(),
    /** The number of the current secret. Events sealed with an earlier one can no longer be opened. */
    secretVersion: integer('secret_version').notNull().default(0),
    /**
     * The end of its URL. Stored in plain text, because the URL is shown again; null until an imported source gets
     * one.
     */
    token: text(),
    /** JSON object of paths, by field key. */
    map: text().notNull(),
    /** The paths of the id and the type of an event, if they differ from those of the provider. */
    externalId: text('external_id'),
    event: text(),
    /** JSON array of conditions. */
    when: text('when').notNull(),
    /** JSON array of `{target, url, when?}`, the URLs that its events are passed on to; null until it is given. */
    forwards: text(),
    onConflict: text('on_conflict', { enum: ['refuse', 'update'] }).notNull(),
    newerBy: text('newer_by'),
    enabled: integer().notNull(),
    description: text(),
    /** JSON object: the number of calls by outcome. */
    counts: text().notNull(),
    lastEventAt: integer('last_event_at'),
    /** The total size of its stored events, in bytes. */
    keptBytes: integer('kept_bytes').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('sources_name').on(table.workspace, table.nameFold),
    uniqueIndex('sources_token').on(table.token).where(sql`token IS NOT NULL`),
    index('sources_structure').on(table.structure),
  ],
)

/** The verified and stored part of each call. A replayed event keeps its id. */
export const sourceEvents = sqliteTable(
  'source_events',
  {
    pk: integer().primaryKey(),
    id: text().notNull().unique(),
    /** The pk of its source; a job deletes the events of a deleted source. */
    source: integer().notNull(),
    externalId: text('external_id'),
    event: text(),
    status: text().notNull(),
    recordId: text('record_id'),
    error: text(),
    receivedAt: integer('received_at').notNull(),
    /** JSON array of pairs, without headers that hold credentials. */
    headers: text().notNull(),
    body: blob({ mode: 'buffer' }).notNull(),
    /** The original size of the body, if it was truncated. */
    size: integer(),
    /** The size of headers and body, or of the sealed call if that is larger; null after they were evicted. */
    kept: integer(),
  },
  (table) => [
    index('source_events_listed').on(table.source, table.id),
    index('source_events_status').on(table.source, table.status, table.id),
    index('source_events_external').on(table.source, table.externalId).where(sql`external_id IS NOT NULL`),
    index('source_events_received').on(table.receivedAt),
    index('source_events_kept').on(table.source, table.receivedAt).where(sql`kept IS NOT NULL`),
  ],
)

/** Calls as received, including signature headers, encrypted with a key derived from the source's secret. */
export const sourceSealed = sqliteTable('source_sealed', {
  /** The pk of the event. */
  event: integer().primaryKey(),
  secretVersion: integer('secret_version').notNull(),
  sealed: blob({ mode: 'buffer' }).notNull(),
})

/**
 * The URLs that a source passes its events on to. Their deliveries are stored with those of webhooks, under the
 * negative pk. A removed target stays until its deliveries are gone.
 */
export const sourceTargets = sqliteTable(
  'source_targets',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    source: integer().notNull(),
    workspace: integer().notNull(),
    url: text().notNull(),
    pausedAt: integer('paused_at'),
    consecutiveFailures: integer('consecutive_failures').notNull().default(0),
    removedAt: integer('removed_at'),
  },
  (table) => [index('source_targets_source').on(table.source)],
)
