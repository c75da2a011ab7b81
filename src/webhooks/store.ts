import { and, asc, eq, sql } from 'drizzle-orm'
import { prepared, type Reader } from '../db/reader.ts'
import { webhooks } from '../db/schema/webhooks.ts'
import { TOUCH } from '../db/sql-part.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import type { RecordEvent } from '../delivery/outbox.ts'
import type { RawCondition } from '../filter/record/parse.ts'

const placeholder = sql.placeholder

export type WebhookRow = typeof webhooks.$inferSelect

/** The columns that a caller sets. */
export type WebhookColumns = Pick<
  WebhookRow,
  | 'url'
  | 'events'
  | 'filter'
  | 'fields'
  | 'ignoreOwnKey'
  | 'ignoreKeyId'
  | 'description'
  | 'headers'
  | 'enabled'
>

export const eventsOf = ({ events }: Pick<WebhookRow, 'events'>): RecordEvent[] => JSON.parse(events)

export const filterOf = ({ filter }: Pick<WebhookRow, 'filter'>): RawCondition[] => JSON.parse(filter)

export const headersOf = ({ headers }: Pick<WebhookRow, 'headers'>): Record<string, string> | null =>
  headers === null ? null : JSON.parse(headers)

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
  headers: bound('headers'),
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

/** Sets the current secret, and those that sign beside it. */
export const setSecrets = (
  { sql, now }: Tx,
  pk: number,
  { secret, earlierSecrets }: Pick<WebhookRow, 'secret' | 'earlierSecrets'>,
) =>
  sql.run(
    `UPDATE webhooks SET secret = ?, earlier_secrets = ?, ${TOUCH} WHERE pk = ?`,
    secret,
    earlierSecrets,
    now,
    pk,
  )

/** Subscriptions with replaced secrets that still sign, or did until lately. */
export const listWithEarlierSecrets = ({ sql }: Reader): { pk: number; earlierSecrets: string }[] =>
  sql.all('SELECT pk, earlier_secrets AS earlierSecrets FROM webhooks WHERE earlier_secrets IS NOT NULL')

/** `updated_at` stays: nothing that is shown changes. */
export const setEarlierSecrets = ({ sql }: Reader, pk: number, earlierSecrets: string | null) =>
  sql.run('UPDATE webhooks SET earlier_secrets = ? WHERE pk = ?', earlierSecrets, pk)

/** Ends the pause and resets the failures that led to it. */
export const clearPause = ({ sql }: Reader, pk: number, now: number) =>
  sql.run(
    `UPDATE webhooks SET paused_at = NULL, consecutive_failures = 0, ${TOUCH}
     WHERE pk = ?`,
    now,
    pk,
  )

/** The ids of a structure's subscriptions whose filter or `fields` name a field. */
export const webhooksNamingField = (reader: Reader, structurePk: number, key: string): string[] =>
  listWebhooksOf(reader, structurePk)
    .filter((row) => filterOf(row).some(({ field }) => field === key) || fieldsOf(row)?.includes(key))
    .map(({ id }) => id)
