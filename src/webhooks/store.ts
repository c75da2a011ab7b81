import { columnsOf, insertRow, updateRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { webhooks } from '../db/schema/webhooks.ts'
import { TOUCH } from '../db/sql-part.ts'
import type { Tx } from '../db/writes/transaction.ts'
import type { RecordEvent } from '../delivery/outbox.ts'
import type { RawCondition } from '../filter/record/parse.ts'

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

/* A subscription that is being removed is found and counted by none of these. */
const SELECT = `SELECT ${columnsOf(webhooks)} FROM webhooks`

/** The subscriptions of a workspace by creation. */
export const listWebhookRows = ({ sql }: Reader, workspace: number): WebhookRow[] =>
  sql.all(`${SELECT} WHERE workspace = ? AND is_removed = 0 ORDER BY pk`, workspace)

/** The subscriptions of a structure by creation. */
export const listWebhooksOf = ({ sql }: Reader, structure: number): WebhookRow[] =>
  sql.all(`${SELECT} WHERE structure = ? AND is_removed = 0 ORDER BY pk`, structure)

export const findWebhook = ({ sql }: Reader, workspace: number, id: string): WebhookRow | undefined =>
  sql.get(`${SELECT} WHERE id = ? AND workspace = ? AND is_removed = 0`, id, workspace)

export const countWebhooks = (reader: Reader, workspace: number): number =>
  reader.sql.scalar('SELECT count(*) FROM webhooks WHERE workspace = ? AND is_removed = 0', workspace)

/** Returns the pk of the new subscription. */
export const insertWebhook = (
  tx: Tx,
  row: WebhookColumns & Pick<WebhookRow, 'id' | 'workspace' | 'structure' | 'secret' | 'createdByKeyId'>,
): number => insertRow(tx, webhooks, { ...row, createdAt: tx.now, updatedAt: tx.now })

export const updateWebhook = (tx: Tx, pk: number, columns: WebhookColumns) =>
  updateRow(tx, webhooks, pk, columns, tx.now)

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
