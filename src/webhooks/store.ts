import { and, asc, eq, sql } from 'drizzle-orm'
import { prepared, type Reader } from '../db/reader.ts'
import { webhooks } from '../db/schema/webhooks.ts'
import type { RecordEvent } from '../delivery/outbox/payload.ts'
import type { RawCondition } from '../filter/record/parse.ts'

const placeholder = sql.placeholder

export type WebhookRow = typeof webhooks.$inferSelect

/** The columns that a caller sets. */
export type WebhookColumns = Pick<
  WebhookRow,
  'url' | 'events' | 'filter' | 'fields' | 'ignoreOwnKey' | 'ignoreKeyId' | 'description' | 'enabled'
>

export const eventsOf = ({ events }: Pick<WebhookRow, 'events'>): RecordEvent[] => JSON.parse(events)

export const filterOf = ({ filter }: Pick<WebhookRow, 'filter'>): RawCondition[] => JSON.parse(filter)

export const fieldsOf = ({ fields }: Pick<WebhookRow, 'fields'>): string[] | null =>
  fields === null ? null : JSON.parse(fields)

const isNotRemoved = eq(webhooks.isRemoved, 0)

const webhooksOfWorkspace = prepared((orm) =>
  orm
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.workspace, placeholder('workspace')), isNotRemoved))
    .orderBy(asc(webhooks.pk))
    .prepare(),
)
/** The subscriptions of a workspace by creation. */
export const listWebhookRows = (reader: Reader, workspace: number): WebhookRow[] =>
  webhooksOfWorkspace(reader).all({ workspace })

const webhooksOfStructure = prepared((orm) =>
  orm
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.structure, placeholder('structure')), isNotRemoved))
    .orderBy(asc(webhooks.pk))
    .prepare(),
)
/** The subscriptions of a structure by creation. */
export const listWebhooksOf = (reader: Reader, structure: number): WebhookRow[] =>
  webhooksOfStructure(reader).all({ structure })

const webhookById = prepared((orm) =>
  orm
    .select()
    .from(webhooks)
    .where(
      and(eq(webhooks.id, placeholder('id')), eq(webhooks.workspace, placeholder('workspace')), isNotRemoved),
    )
    .prepare(),
)
export const findWebhook = (reader: Reader, workspace: number, id: string): WebhookRow | undefined =>
  webhookById(reader).get({ id, workspace })

export const countWebhooks = (reader: Reader, workspace: number): number =>
  reader.sql.scalar('SELECT count(*) FROM webhooks WHERE workspace = ? AND is_removed = 0', workspace)

/** drizzle's `update` accepts no bare placeholder. */
const bound = (name: keyof WebhookColumns) => sql`${placeholder(name)}`

const columns = {
  url: bound('url'),
  events: bound('events'),
  filter: bound('filter'),
  fields: bound('fields'),
  ignoreOwnKey: bound('ignoreOwnKey'),
  ignoreKeyId: bound('ignoreKeyId'),
  description: bound('description'),
  enabled: bound('enabled'),
}

const insertWebhookRow = prepared((orm) =>
  orm
    .insert(webhooks)
    .values({
      ...columns,
      id: placeholder('id'),
      workspace: placeholder('workspace'),
      structure: placeholder('structure'),
      secret: placeholder('secret'),
      createdByKeyId: placeholder('createdByKeyId'),
      createdAt: placeholder('now'),
      updatedAt: placeholder('now'),
    })
    .returning()
    .prepare(),
)
export const insertWebhook = (
  reader: Reader,
  row: WebhookColumns &
    Pick<WebhookRow, 'id' | 'workspace' | 'structure' | 'secret' | 'createdByKeyId'> & { now: number },
): WebhookRow => insertWebhookRow(reader).get(row)

/** `updated_at` grows with every update, even within a millisecond. */
const touched = sql`max(${placeholder('now')}, ${webhooks.updatedAt} + 1)`

const updateWebhookRow = prepared((orm) =>
  orm
    .update(webhooks)
    .set({ ...columns, updatedAt: touched })
    .where(eq(webhooks.pk, placeholder('pk')))
    .prepare(),
)
export const updateWebhook = (reader: Reader, row: WebhookColumns & { pk: number; now: number }): void =>
  void updateWebhookRow(reader).run(row)

export const setSecret = ({ sql }: Reader, pk: number, secret: string, now: number) =>
  sql.run('UPDATE webhooks SET secret = ?, updated_at = max(?, updated_at + 1) WHERE pk = ?', secret, now, pk)

/** Ends the pause and resets the failures that led to it. */
export const clearPause = ({ sql }: Reader, pk: number, now: number) =>
  sql.run(
    `UPDATE webhooks SET paused_at = NULL, consecutive_failures = 0, updated_at = max(?, updated_at + 1)
     WHERE pk = ?`,
    now,
    pk,
  )

/** The ids of a structure's subscriptions whose filter or `fields` name a field. */
export const webhooksNamingField = (reader: Reader, structurePk: number, key: string): string[] =>
  listWebhooksOf(reader, structurePk)
    .filter((row) => filterOf(row).some(({ field }) => field === key) || fieldsOf(row)?.includes(key))
    .map(({ id }) => id)

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** A delivery joined with its event. */
export interface DeliveryRow {
  id: string
  eventId: string
  event: string
  recordId: string | null
  status: DeliveryStatus
  attempts: number
  responseStatus: number | null
  error: string | null
  nextAttemptAt: number | null
  createdAt: number
  lastAttemptAt: number | null
  endedAt: number | null
}

const ofEvent = (column: string) => `(SELECT ${column} FROM webhook_events e WHERE e.pk = d.event)`

const COLUMNS = `d.id, ${ofEvent('id')} AS eventId, ${ofEvent('type')} AS event,
  ${ofEvent('record_id')} AS recordId, d.status, d.attempts, d.response_status AS responseStatus, d.error,
  d.next_attempt_at AS nextAttemptAt, d.created_at AS createdAt, d.last_attempt_at AS lastAttemptAt,
  d.ended_at AS endedAt`

const newestOf = ({ sql }: Reader, webhook: number, status: DeliveryStatus, limit: number): DeliveryRow[] =>
  sql.all(
    `SELECT ${COLUMNS} FROM webhook_deliveries d WHERE d.webhook = ? AND d.status = ?
     ORDER BY d.id DESC LIMIT ?`,
    webhook,
    status,
    limit,
  )

/** Newest first, of one status or of all; each status is read by index. */
export function listDeliveryRows(
  reader: Reader,
  webhook: number,
  { status, limit }: { status: DeliveryStatus | undefined; limit: number },
): DeliveryRow[] {
  const statuses = status === undefined ? DELIVERY_STATUSES : [status]
  return statuses
    .flatMap((each) => newestOf(reader, webhook, each, limit))
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, limit)
}

export function findDelivery({ sql }: Reader, webhook: number, id: string): DeliveryRow | undefined {
  return sql.get(
    `SELECT ${COLUMNS} FROM webhook_deliveries d
     WHERE d.webhook = ? AND d.status IN ('pending', 'delivered', 'failed') AND d.id = ?`,
    webhook,
    id,
  )
}

/** Makes a delivery pending as if it were new, with its first attempt due at once. An attempt in flight no longer counts. */
export const restartDelivery = ({ sql }: Reader, webhook: number, { id, status }: DeliveryRow, now: number) =>
  sql.run(
    `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, redeliveries = redeliveries + 1, is_urgent = 1,
       response_status = NULL, error = NULL, next_attempt_at = ?, last_attempt_at = NULL, ended_at = NULL
     WHERE webhook = ? AND status = ? AND id = ?`,
    now,
    webhook,
    status,
    id,
  )
