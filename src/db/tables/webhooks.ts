import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'
import { structures } from './structures.ts'

/** Subscriptions. A pk is never used again: deliveries of a deleted subscription may still stand for a while. */
export const webhooks = sqliteTable(
  'webhooks',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    structure: integer()
      .notNull()
      .references(() => structures.pk, { onDelete: 'cascade' }),
    url: text().notNull(),
    /** JSON array of event types. */
    events: text().notNull(),
    /** JSON array of conditions, as they were sent. */
    filter: text().notNull(),
    /** JSON array of the keys of fields; null for any. */
    fields: text(),
    ignoreOwnKey: integer('ignore_own_key').notNull(),
    ignoreKeyId: text('ignore_key_id'),
    description: text(),
    enabled: integer().notNull(),
    pausedAt: integer('paused_at'),
    /** Deliveries of record events that ended failed, since the last that was delivered. */
    consecutiveFailures: integer('consecutive_failures').notNull(),
    createdByKeyId: text('created_by_key_id'),
    secret: text().notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('webhooks_workspace').on(table.workspace, table.pk),
    index('webhooks_structure').on(table.structure),
  ],
)

/** What happened, once for all subscriptions that are told: every attempt sends these very bytes. */
export const webhookEvents = sqliteTable('webhook_events', {
  pk: integer().primaryKey({ autoIncrement: true }),
  id: text().notNull().unique(),
  type: text().notNull(),
  recordId: text('record_id'),
  body: text().notNull(),
  createdAt: integer('created_at').notNull(),
})

/** One event on its way to one subscription. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    webhook: integer().notNull(),
    event: integer().notNull(),
    status: text({ enum: ['pending', 'delivered', 'failed'] }).notNull(),
    /** 1 when it is attempted at once, whatever the state of the subscription. */
    urgent: integer().notNull(),
    /** When it is due; 0 at once, so that a clock set back holds nothing up. */
    dueAt: integer('due_at').notNull(),
    /** Grows when it is sent again on demand: what an attempt begun before then finds counts no more. */
    round: integer().notNull(),
    attempts: integer().notNull(),
    responseStatus: integer('response_status'),
    error: text(),
    nextAttemptAt: integer('next_attempt_at'),
    createdAt: integer('created_at').notNull(),
    lastAttemptAt: integer('last_attempt_at'),
    /** When it was delivered or given up. */
    endedAt: integer('ended_at'),
  },
  (table) => [
    index('deliveries_due').on(table.webhook, table.urgent, table.dueAt).where(sql`status = 'pending'`),
    index('deliveries_webhook').on(table.webhook),
    index('deliveries_event').on(table.event),
    index('deliveries_ended').on(table.endedAt).where(sql`ended_at IS NOT NULL`),
  ],
)
