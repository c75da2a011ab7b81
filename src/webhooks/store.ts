import { and, asc, eq, sql } from 'drizzle-orm'
import { prepared, type Reader } from '../db/reader.ts'
import { webhooks } from '../db/schema/webhooks.ts'
import type { RecordEvent } from '../delivery/outbox/payload.ts'
import type { RawCondition } from '../filter/record/parse.ts'

const placeholder = sql.placeholder

export type WebhookRow = typeof webhooks.$inferSelect

/** What a caller decides of a subscription. */
export type WebhookColumns = Pick<
  WebhookRow,
  'url' | 'events' | 'filter' | 'fields' | 'ignoreOwnKey' | 'ignoreKeyId' | 'description' | 'enabled'
>

export const eventsOf = ({ events }: Pick<WebhookRow, 'events'>): RecordEvent[] => JSON.parse(events)

export const filterOf = ({ filter }: Pick<WebhookRow, 'filter'>): RawCondition[] => JSON.parse(filter)

export const fieldsOf = ({ fields }: Pick<WebhookRow, 'fields'>): string[] | null =>
  fields === null ? null : JSON.parse(fields)

const isThere = eq(webhooks.isRemoved, 0)

const webhooksOfWorkspace = prepared((orm) =>
  orm
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.workspace, placeholder('workspace')), isThere))
    .orderBy(asc(webhooks.pk))
    .prepare(),
)
/** Subscriptions by creation. */
export const listWebhookRows = (reader: Reader, workspace: number): WebhookRow[] =>
  webhooksOfWorkspace(reader).all({ workspace })

const webhooksOfStructure = prepared((orm) =>
  orm
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.structure, placeholder('structure')), isThere))
    .orderBy(asc(webhooks.pk))
    .prepare(),
)
/** Those of one structure, by creation. */
export const listWebhooksOf = (reader: Reader, structure: number): WebhookRow[] =>
  webhooksOfStructure(reader).all({ structure })

const webhookById = prepared((orm) =>
  orm
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, placeholder('id')), eq(webhooks.workspace, placeholder('workspace')), isThere))
    .prepare(),
)
export const findWebhook = (reader: Reader, workspace: number, id: string): WebhookRow | undefined =>
  webhookById(reader).get({ id, workspace })

export const countWebhooks = (reader: Reader, workspace: number): number =>
  reader.sql.scalar('SELECT count(*) FROM webhooks WHERE workspace = ? AND is_removed = 0', workspace)

/** An update takes no bare placeholder. */
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

/** Moves `updated_at` strictly. */
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

/** Ends the pause and forgets the failures that led to it. */
export const clearPause = ({ sql }: Reader, pk: number, now: number) =>
  sql.run(
    `UPDATE webhooks SET paused_at = NULL, consecutive_failures = 0, updated_at = max(?, updated_at + 1)
     WHERE pk = ?`,
    now,
    pk,
  )
