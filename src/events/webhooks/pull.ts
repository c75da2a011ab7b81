import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { AppContext, Caller } from '../../context.ts'
import { read, write } from '../../kernel/operation.ts'
import { DEFAULT_LIMIT } from '../../lib/pagination.ts'
import { atPlace, invalid, Refusal, refused } from '../../lib/refusal.ts'
import { acknowledgeEvents } from '../../log/pulled.ts'
import type { Streams } from '../../people/sessions/streams.ts'
import { from, rowsBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { webhookPulled } from '../../storage/schema/webhooks.ts'
import { getWebhook } from './service.ts'
import type { WebhookRow } from './store.ts'

/* Reads and acknowledges the events that a pull subscription keeps. */

const covers = 'structures'

/** A page ends early at this size of its bodies in bytes, but has at least one event. */
const MAX_PAGE_BYTES = 8_388_608

/** The position before the oldest event. */
const START = 'start'

const cursorOf = ({ id }: WebhookRow, sequence: number): string => `${id}.${sequence}`

const CURSOR = /^([0-9a-f-]{36})\.([1-9]\d{0,14})$/

/** The number in a cursor. Refuses malformed ones, those of other subscriptions, and those of events to come. */
function sequenceIn(webhook: WebhookRow, cursor: string, name: string): number {
  const [, id, digits] = CURSOR.exec(cursor) ?? []
  if (id === undefined) throw invalid(`"${name}" must be a cursor of this webhook.`, atPlace(name))
  const sequence = Number(digits)
  if (id !== webhook.id || sequence > webhook.sequence)
    throw invalid(`"${name}" is not a cursor of this webhook; read its events again.`, atPlace(name))
  return sequence
}

/** Refuses a subscription whose events are sent to its URL. */
function getPulled(reader: Reader, caller: Caller, id: string, ability: 'read' | 'change'): WebhookRow {
  const webhook = getWebhook(reader, caller, id, ability)
  if (webhook.delivery === 'pull') return webhook
  throw refused(
    'The events of this webhook are sent to its URL; create one with "delivery": "pull" to read them.',
  )
}

/** The number after which a page begins. */
function beginningOf(webhook: WebhookRow, after: string | undefined): number {
  const sequence = after === undefined || after === START ? 0 : sequenceIn(webhook, after, 'after')
  return Math.max(sequence, webhook.doneTo)
}

const { sequence } = webhookPulled
const isOf = (webhook: number) => eq(webhookPulled.webhook, webhook)

export interface PulledQuery {
  readonly id: string
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

const listHeads = rowsBy((webhook: number, after: number, limit: number) =>
  from(webhookPulled, { sequence, bytes: sql<number>`octet_length(${webhookPulled.body})` })
    .where(and(isOf(webhook), gt(sequence, after)))
    .orderBy(sequence)
    .limit(limit),
)
const listBodies = rowsBy((webhook: number, after: number, end: number) =>
  from(webhookPulled, { sequence, body: webhookPulled.body })
    .where(and(isOf(webhook), gt(sequence, after), lte(sequence, end)))
    .orderBy(sequence),
)

/** The last number of a page, and whether there are events after it. */
function endOf(
  reader: Reader,
  webhook: number,
  after: number,
  limit: number,
): [last: number, hasMore: boolean] {
  const heads = listHeads(reader, webhook, after, limit + 1)
  let total = 0
  const over = heads.findIndex(({ bytes }, index) => {
    total += bytes
    return index === limit || (index > 0 && total > MAX_PAGE_BYTES)
  })
  return over === -1 ? [heads.at(-1)?.sequence ?? after, false] : [heads[over - 1]?.sequence ?? after, true]
}

interface PulledPage {
  /** The events in commit order, as JSON text: the stored payloads are not parsed. */
  readonly events: readonly string[]
  /** The cursor of the last event; undefined on an empty page. */
  readonly last: string | undefined
  readonly acknowledged: string | null
  readonly hasMore: boolean
}

export function pulledPage(
  reader: Reader,
  caller: Caller,
  { id, after, limit = DEFAULT_LIMIT }: PulledQuery,
): PulledPage {
  const webhook = getPulled(reader, caller, id, 'read')
  const beginning = beginningOf(webhook, after)
  const [end, hasMore] = endOf(reader, webhook.pk, beginning, limit)
  const rows = listBodies(reader, webhook.pk, beginning, end)
  const events = rows.map(
    ({ sequence, body }) => `{"cursor":${JSON.stringify(cursorOf(webhook, sequence))},"payload":${body}}`,
  )
  const last = rows.length === 0 ? undefined : cursorOf(webhook, end)
  return { events, last, acknowledged: acknowledgedIn(webhook), hasMore }
}

export const readPulled = read({
  name: 'webhooks.pulled',
  covers,
  run: (snapshot, caller, query: PulledQuery): string => {
    const { events, acknowledged, hasMore } = pulledPage(snapshot, caller, query)
    return `{"events":[${events.join(',')}],"acknowledged":${JSON.stringify(acknowledged)},"has_more":${hasMore}}`
  },
})

const acknowledgedIn = (webhook: WebhookRow): string | null =>
  webhook.acknowledged === null ? null : cursorOf(webhook, webhook.acknowledged)

/** Marks every event up to a cursor as done. An earlier cursor changes nothing. */
export const acknowledge = write({
  name: 'webhooks.acknowledge',
  covers,
  run: (tx, caller, { id, body }: { readonly id: string; readonly body: { readonly cursor: string } }) => {
    const before = getPulled(tx, caller, id, 'change')
    const sequence = sequenceIn(before, body.cursor, 'cursor')
    if (sequence > (before.acknowledged ?? -1)) acknowledgeEvents(tx, before.pk, sequence)
    const after = getPulled(tx, caller, id, 'change')
    return { acknowledged: acknowledgedIn(after), pending: after.sequence - after.doneTo }
  },
})

/** Waits up to some seconds until there is an event to read. Refuses when the key or session ends meanwhile. */
export async function untilPulled(
  { db, bus }: Pick<AppContext, 'db' | 'bus'>,
  streams: Streams,
  caller: Caller,
  { id, after, wait }: PulledQuery & { readonly wait: number },
): Promise<void> {
  const hasEvent = () => {
    const webhook = getPulled(db, caller, id, 'read')
    return webhook.sequence > beginningOf(webhook, after)
  }
  if (hasEvent()) return
  await streams.waitUntil(caller, wait, {
    listen: (notify) => bus.onChange(id, notify),
    isMet: hasEvent,
    refusalOf: () => new Refusal('unauthorized', 'The key or the session has ended.'),
  })
}
