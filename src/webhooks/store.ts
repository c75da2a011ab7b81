import { and, eq, getTableColumns, isNotNull, sql } from 'drizzle-orm'
import { from, insertInto, rowsBy, updateOf } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { webhooks } from '../db/schema/webhooks.ts'
import type { Due } from '../delivery/due.ts'
import { fieldsInTemplate, type Kind, type SubscribedEvent } from '../delivery/message.ts'
import type { RawCondition } from '../filter/record/parse.ts'
import type { FilterTree } from '../filter/tree/parse.ts'
import { type RowOf, storedObjects } from '../objects/statements.ts'

const ofStructure = (column: 'id' | 'name') =>
  sql<string | null>`(SELECT ${sql.raw(column)} FROM structures s WHERE s.pk = webhooks.structure)`

const read = {
  ...getTableColumns(webhooks),
  structureId: ofStructure('id'),
  structureName: ofStructure('name'),
}

export type WebhookRow = RowOf<typeof read>

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
} = storedObjects({ table: webhooks, read, order: [webhooks.pk] })

export const listWebhooksOf = rowsBy((structure: number) =>
  from(webhooks, read)
    .where(and(eq(webhooks.structure, structure), eq(webhooks.isRemoved, 0)))
    .orderBy(webhooks.pk),
)

export const insertWebhook = insertInto(webhooks)

/** Changes columns, and with an instant `updated_at`, too. */
export const updateWebhook = updateOf(webhooks, webhooks.pk)

/** Subscriptions with replaced secrets that still sign, or did until lately. */
export const listWithEarlierSecrets = rowsBy(() =>
  from(webhooks, { pk: webhooks.pk, earlierSecrets: webhooks.earlierSecrets }).where(
    isNotNull(webhooks.earlierSecrets),
  ),
)

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
