import { sql } from 'drizzle-orm'
import {
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { workspaces } from './account.ts'
import { notes } from './notes.ts'
import { structures } from './structures.ts'

/*
 * Every delivery satisfies exactly one of these conditions, and each index of deliveries covers one of them: a
 * statement must repeat the condition for SQLite to use the index.
 */

/** Waits until every earlier event of the same object has ended (`webhookSequences`). */
export const IS_BLOCKED = 'is_urgent = 2'

/** Never attempted, and due since its creation. */
export const IS_NEW = "status = 'pending' AND attempts = 0 AND is_urgent = 0"
export const IS_NOT_NEW = "(status <> 'pending' OR attempts > 0 OR is_urgent = 1)"

export const webhooks = sqliteTable(
  'webhooks',
  {
    pk: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    workspace: integer()
      .notNull()
      .references(() => workspaces.pk, { onDelete: 'cascade' }),
    /** Null for a subscription to notes or files. */
    structure: integer().references(() => structures.pk, { onDelete: 'cascade' }),
    /** The kind of its events; like the columns below, null unless it was given. */
    kind: text({ enum: ['record', 'note', 'file'] }),
    format: text({ enum: ['json', 'slack', 'discord', 'ntfy', 'text'] }),
    template: text(),
    quietSeconds: integer('quiet_seconds'),
    includeContent: integer('include_content'),
    /** 1: the events of one object are delivered one at a time, in commit order. */
    ordered: integer(),
    /** JSON object that defines the due time of a row. */
    due: text(),
    /** `pull`: its events are kept until they are acknowledged, and `url` is empty. */
    delivery: text({ enum: ['pull'] }),
    url: text().notNull(),
    /** `whsec_…`; stored in plain text, because it signs. */
    secret: text().notNull(),
    /** JSON array of `{secret, until}`, newest first: replaced secrets that also sign until that instant. */
    earlierSecrets: text('earlier_secrets'),
    /** JSON array of event types. */
    events: text().notNull(),
    /** JSON array of conditions, by field key; for notes a filter tree, null for every note. */
    filter: text(),
    /** JSON array of field keys; null for every field. */
    fields: text(),
    ignoreOwnKey: integer('ignore_own_key').notNull(),
    ignoreKeyId: text('ignore_key_id'),
    description: text(),
    /** JSON object of the subscriber's own headers, which may hold credentials; null without any. */
    headers: text(),
    enabled: integer().notNull(),
    pausedAt: integer('paused_at'),
    /** A sentence, if failed deliveries are not the reason for the pause. */
    pauseReason: text('pause_reason'),
    consecutiveFailures: integer('consecutive_failures').notNull().default(0),
    /** The number of its last event, counted while it is ordered, and of every event that is pulled. */
    sequence: integer().notNull().default(0),
    /** The number up to which a reader has acknowledged events; null before the first acknowledgement. */
    acknowledged: integer(),
    /** The number up to which pulled events are acknowledged or dropped. A job deletes them. */
    doneTo: integer('done_to').notNull().default(0),
    /** The number of pulled events that their age or the limit removed. */
    dropped: integer().notNull().default(0),
    /** Null if created without a key. */
    createdByKeyId: text('created_by_key_id'),
    /**
     * The user whose right it depends on: the creator, or the user who last resumed it; null for the command line and
     * for a copy.
     */
    user: integer(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('webhooks_workspace').on(table.workspace, table.pk),
    index('webhooks_structure').on(table.structure),
    index('webhooks_pulled').on(table.pk).where(sql`delivery IS NOT NULL`),
    index('webhooks_beyond_rows').on(table.workspace, table.kind).where(sql`structure IS NULL`),
  ],
)

/** Events, each shared by all its deliveries and deleted with the last of them. */
export const webhookEvents = sqliteTable('webhook_events', {
  pk: integer().primaryKey(),
  id: text().notNull(),
  type: text().notNull(),
  /** The id of the row, note or file; null for a test. */
  recordId: text('record_id'),
  /** The request body, byte for byte the same in every attempt. */
  body: text().notNull(),
  /** The media type of the body; null for JSON. */
  contentType: text('content_type'),
})

/** Notes whose changes are collected during a quiet period, after which they become one event. */
export const webhookQuietNotes = sqliteTable(
  'webhook_waiting',
  {
    note: integer()
      .notNull()
      .references(() => notes.pk, { onDelete: 'cascade' }),
    webhook: integer()
      .notNull()
      .references(() => webhooks.pk, { onDelete: 'cascade' }),
    /** When the first of the changes was made. */
    firstAt: integer('first_at').notNull(),
    dueAt: integer('due_at').notNull(),
    /** When, and from which surface, the last of the changes was made. */
    changedAt: integer('changed_at').notNull(),
    surface: text().notNull(),
    keyId: text('key_id'),
    /** JSON object of the note before the first of the changes. */
    before: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.note, table.webhook] }),
    index('webhook_waiting_due').on(table.dueAt),
    index('webhook_waiting_webhook').on(table.webhook),
  ],
)

/**
 * The start of a due-time subscription. A new schedule begins when the rule changes or the subscription is enabled
 * again, so that the due times of the old one can be removed in small steps.
 */
export const webhookSchedules = sqliteTable('webhook_schedules', {
  pk: integer().primaryKey({ autoIncrement: true }),
  webhook: integer().notNull(),
  /** Earlier due times send nothing. */
  since: integer().notNull(),
  /** The due times of rows up to this pk are computed. */
  done: integer().notNull().default(0),
  /** The last row that existed at the beginning; null once all due times are computed. */
  last: integer(),
  /** 1 while its due times are being removed. */
  isEnded: integer('is_ended').notNull().default(0),
})

/** Future due times of rows. */
export const webhookDueTimes = sqliteTable(
  'webhook_moments',
  {
    schedule: integer().notNull(),
    /** The pk of the row. */
    record: integer().notNull(),
    dueAt: integer('due_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.schedule, table.record] }),
    index('webhook_moments_due').on(table.dueAt),
  ],
)

/**
 * Deliveries. A batch of rows creates thousands of them in one transaction, for which other writes wait. Hence there
 * are no foreign keys, for which SQLite would copy pages before each statement, and few indexes cover new deliveries.
 */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    /** The pk of its event, which is deleted after it. */
    event: integer().notNull(),
    /** The pk of its subscription; a job deletes the deliveries of a deleted one. */
    webhook: integer().notNull(),
    id: text().notNull(),
    status: text({ enum: ['pending', 'delivered', 'failed'] }).notNull(),
    /** Counted since the delivery was created or last redelivered. */
    attempts: integer().notNull().default(0),
    /** The number of redeliveries: the outcome of an attempt that began before the last of them is ignored. */
    redeliveries: integer().notNull().default(0),
    /**
     * 1 while its first attempt is due whatever the state of the subscription: for tests and redeliveries. 2 while it
     * waits for an earlier event of its object.
     */
    isUrgent: integer('is_urgent').notNull().default(0),
    responseStatus: integer('response_status'),
    error: text(),
    /** Null once the delivery has ended. */
    nextAttemptAt: integer('next_attempt_at'),
    createdAt: integer('created_at').notNull(),
    lastAttemptAt: integer('last_attempt_at'),
    /** When it was delivered or failed permanently; null while it is pending. */
    endedAt: integer('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.event, table.webhook] }),
    index('webhook_deliveries_new').on(table.webhook, table.id).where(sql.raw(IS_NEW)),
    index('webhook_deliveries_listed').on(table.webhook, table.status, table.id).where(sql.raw(IS_NOT_NEW)),
    index('webhook_deliveries_due')
      .on(table.webhook, table.isUrgent, table.nextAttemptAt)
      .where(sql.raw(`status = 'pending' AND (attempts > 0 OR is_urgent = 1)`)),
    index('webhook_deliveries_ended').on(table.endedAt).where(sql`ended_at IS NOT NULL`),
    index('webhook_deliveries_blocked').on(table.webhook, table.id).where(sql.raw(IS_BLOCKED)),
  ],
)

/** The events of ordered subscriptions; each has its own event, because its body holds the number. */
export const webhookSequences = sqliteTable(
  'webhook_sequences',
  {
    /** The pk of its event, deleted with it. */
    event: integer().primaryKey(),
    webhook: integer().notNull(),
    sequence: integer().notNull(),
    /** The id of the row, note or file; null for a test, which is outside the order. */
    object: text(),
    /** 1 until the delivery first ends: later redeliveries are outside the order. */
    isPending: integer('is_pending'),
  },
  (table) => [
    index('webhook_sequences_pending')
      .on(table.webhook, table.object, table.sequence)
      .where(sql`is_pending = 1`),
  ],
)

/** The events of pull subscriptions, until they are acknowledged or dropped. */
export const webhookPulled = sqliteTable(
  'webhook_pulled',
  {
    pk: integer().primaryKey(),
    webhook: integer().notNull(),
    /** Without gaps, so that subtraction counts the pending events. */
    sequence: integer().notNull(),
    createdAt: integer('created_at').notNull(),
    body: text().notNull(),
  },
  (table) => [uniqueIndex('webhook_pulled_order').on(table.webhook, table.sequence)],
)

/** The stored attempts of each delivery; deliveries of older versions have none. */
export const webhookAttempts = sqliteTable(
  'webhook_attempts',
  {
    event: integer().notNull(),
    webhook: integer().notNull(),
    /** Grows with each attempt, also across redeliveries. */
    number: integer().notNull(),
    at: integer().notNull(),
    responseStatus: integer('response_status'),
    error: text(),
    ms: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.event, table.webhook, table.number] }),
    foreignKey({
      columns: [table.event, table.webhook],
      foreignColumns: [webhookDeliveries.event, webhookDeliveries.webhook],
    }).onDelete('cascade'),
  ],
)

/** The responses to stored attempts, cut to 4 KiB. A table of its own, so that attempts stay narrow. */
export const webhookResponses = sqliteTable(
  'webhook_responses',
  {
    event: integer().notNull(),
    webhook: integer().notNull(),
    number: integer().notNull(),
    /** JSON array of pairs of a name and a value. */
    headers: text().notNull(),
    body: text().notNull(),
    /** 1: headers or body were longer. */
    isCut: integer('is_cut').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.event, table.webhook, table.number] }),
    foreignKey({
      columns: [table.event, table.webhook, table.number],
      foreignColumns: [webhookAttempts.event, webhookAttempts.webhook, webhookAttempts.number],
    }).onDelete('cascade'),
  ],
)
