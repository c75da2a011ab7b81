import { and, eq, getTableColumns, isNotNull } from 'drizzle-orm'
import { from, insertInto, rowsBy, updateOf } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { webhooks } from '../db/schema/webhooks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import type { Due } from '../delivery/due.ts'
import { fieldsInTemplate, type Kind } from '../delivery/formats.ts'
import type { SubscribedEvent } from '../delivery/payload.ts'
import type { RawCondition } from '../filter/record/parse.ts'
import type { FilterTree } from '../filter/tree/parse.ts'
import { storedObjects } from '../objects/statements.ts'

export type WebhookRow = typeof webhooks.$inferSelect

/** The columns that a caller sets. */
export type WebhookColumns = Pick<
  WebhookRow,
  | 'kind'
  | 'format'
  | 'template'
  | 'quietSeconds'
  | 'includeContent'
  | 'due'
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

export const kindOf = ({ kind }: Pick<WebhookRow, 'kind'>): Kind => kind ?? 'record'

export const eventsOf = ({ events }: Pick<WebhookRow, 'events'>): SubscribedEvent[] => JSON.parse(events)

/** Conditions on rows, or a filter tree over notes; null for every one. */
export const filterOf = ({ filter }: Pick<WebhookRow, 'filter'>): RawCondition[] | FilterTree | null =>
  filter === null ? null : JSON.parse(filter)

export const dueOf = ({ due }: Pick<WebhookRow, 'due'>): Due | null => (due === null ? null : JSON.parse(due))

export const headersOf = ({ headers }: Pick<WebhookRow, 'headers'>): Record<string, string> | null =>
  headers === null ? null : JSON.parse(headers)

export const fieldsOf = ({ fields }: Pick<WebhookRow, 'fields'>): string[] | null =>
  fields === null ? null : JSON.parse(fields)

/** A subscription that is being removed is found and counted by none of these. */
export const {
  rows: listWebhookRows,
  findById: findWebhook,
  count: countWebhooks,
} = storedObjects({
  table: webhooks,
  read: getTableColumns(webhooks),
  order: [webhooks.pk],
})

/** The subscriptions of a structure by creation. */
export const listWebhooksOf = rowsBy((structure: number) =>
  from(webhooks, getTableColumns(webhooks))
    .where(and(eq(webhooks.structure, structure), eq(webhooks.isRemoved, 0)))
    .orderBy(webhooks.pk),
)

const insert = insertInto(webhooks)

/** Returns the pk of the new subscription. */
export const insertWebhook = (
  tx: Tx,
  row: WebhookColumns &
    Pick<WebhookRow, 'id' | 'workspace' | 'structure' | 'secret' | 'createdByKeyId' | 'user'>,
): number => insert(tx, { ...row, createdAt: tx.now, updatedAt: tx.now })

const update = updateOf(webhooks, webhooks.pk)

export const updateWebhook = (tx: Tx, key: number, columns: WebhookColumns) =>
  update(tx, key, columns, tx.now)

/** Sets the current secret, and those that sign beside it. */
export const setSecrets = (
  tx: Tx,
  key: number,
  secrets: Pick<WebhookRow, 'secret' | 'earlierSecrets'>,
): void => update(tx, key, secrets, tx.now)

/** Subscriptions with replaced secrets that still sign, or did until lately. */
export const listWithEarlierSecrets = rowsBy(() =>
  from(webhooks, { pk: webhooks.pk, earlierSecrets: webhooks.earlierSecrets }).where(
    isNotNull(webhooks.earlierSecrets),
  ),
)

/** `updated_at` stays: nothing that is shown changes. */
export const setEarlierSecrets = (reader: Reader, key: number, secrets: string | null): void =>
  update(reader, key, { earlierSecrets: secrets })

/** Ends the pause and resets the failures that led to it; from now on the subscription rests on the right of `user`. */
export const clearPause = (tx: Tx, key: number, user: number | null): void =>
  update(tx, key, { pausedAt: null, pauseReason: null, consecutiveFailures: 0, user }, tx.now)

/** The keys of fields that a subscription to rows names. */
const fieldsNamedBy = (row: WebhookRow): string[] => {
  const filter = filterOf(row)
  return [
    ...(Array.isArray(filter) ? filter.map(({ field }) => field) : []),
    ...(fieldsOf(row) ?? []),
    dueOf(row)?.field ?? '',
    ...fieldsInTemplate(row.template),
  ]
}

/** The ids of a structure's subscriptions that name a field. */
export const webhooksNamingField = (reader: Reader, structurePk: number, key: string): string[] =>
  listWebhooksOf(reader, structurePk)
    .filter((row) => fieldsNamedBy(row).includes(key))
    .map((row) => row.id)

/** The subscriptions to notes whose filter trees these tests find to name an object. */
export const webhooksNaming = (
  reader: Reader,
  workspace: number,
  names: (filter: string | null) => boolean,
): { id: string; name: string }[] =>
  listWebhookRows(reader, workspace)
    .filter((row) => row.kind === 'note' && names(row.filter))
    .map(({ id, url }) => ({ id, name: url }))
