import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { inChunks } from '../db/writes/chunks.ts'
import type { Kind } from '../delivery/formats.ts'
import { publishTest } from '../delivery/outbox.ts'
import { wakeDeliveries } from '../delivery/wakes.ts'
import { fail, notFound } from '../refusal.ts'
import * as store from './delivery-store.ts'
import { getRow, getWebhook } from './service.ts'
import { kindOf, type WebhookRow } from './store.ts'

/** A delivery with the id and the kind of its subscription. */
export interface DescribedDelivery {
  row: store.DeliveryRow
  webhookId: string
  kind: Kind
}

/** A delivery with what was sent, and what came of each attempt, oldest first. */
export interface DeliveryLog extends DescribedDelivery {
  body: string
  attempts: store.AttemptRow[]
}

function getDelivery(reader: Reader, webhook: WebhookRow, id: string): DescribedDelivery {
  return describe(webhook, store.findDelivery(reader, webhook.pk, id) ?? fail(notFound('delivery')))
}

const describe = (webhook: WebhookRow, row: store.DeliveryRow): DescribedDelivery => ({
  row,
  webhookId: webhook.id,
  kind: kindOf(webhook),
})

/** Sends a `webhook.test` event at once, even while the subscription is disabled or paused. */
export const testWebhook = (
  ctx: Pick<AppContext, 'db'>,
  caller: Caller,
  id: string,
): Promise<DescribedDelivery> =>
  ctx.db.write((tx) => {
    const { row, structure } = getWebhook(tx, caller, id, 'change')
    const source = { surface: caller.surface, keyId: caller.keyId }
    const receiver = { ...row, kind: kindOf(row), format: row.format ?? 'json' }
    const delivery = publishTest(tx, receiver, { workspaceId: caller.workspaceId, structure, source })
    return getDelivery(tx, row, delivery)
  })

interface ListRequest {
  status?: store.DeliveryStatus
  before?: string
  limit: number
}

/** Newest first; with `before`, those that are older than that delivery. */
export function listDeliveries(
  reader: Reader,
  caller: Caller,
  id: string,
  { status, before, limit }: ListRequest,
): DescribedDelivery[] {
  const webhook = getRow(reader, caller, id, 'read')
  if (before !== undefined) getDelivery(reader, webhook, before)
  const rows = store.listDeliveryRows(reader, webhook.pk, { status, before, limit })
  return rows.map((row) => describe(webhook, row))
}

export function getDeliveryLog(reader: Reader, caller: Caller, id: string, deliveryId: string): DeliveryLog {
  const webhook = getRow(reader, caller, id, 'read')
  const delivery = getDelivery(reader, webhook, deliveryId)
  return {
    ...delivery,
    body: store.bodyOf(reader, delivery.row),
    attempts: store.listAttempts(reader, webhook.pk, delivery.row),
  }
}

/** Sends a delivery's event again at once, whatever its status; its attempts count from 0 again. */
export const redeliver = (
  ctx: AppContext,
  caller: Caller,
  id: string,
  deliveryId: string,
): Promise<DescribedDelivery> =>
  ctx.db.write((tx) => {
    const webhook = getRow(tx, caller, id, 'change')
    store.restartDelivery(tx, webhook.pk, getDelivery(tx, webhook, deliveryId).row, tx.now)
    wakeDeliveries(tx, [webhook.pk])
    return getDelivery(tx, webhook, deliveryId)
  })

/** Few enough that each transaction holds the write lock for only some milliseconds. */
const RECOVERED_PER_CHUNK = 500

/**
 * Sends again, as `redeliver` does, every delivery that failed at an instant or later; returns how many. A crash in the
 * middle leaves the others failed: the same call continues.
 */
export async function recoverDeliveries(
  ctx: AppContext,
  caller: Caller,
  id: string,
  since: number,
): Promise<number> {
  const { pk } = getRow(ctx.db, caller, id, 'change')
  let after = ''
  let redelivered = 0
  await inChunks(ctx.db, (tx): boolean => {
    const upTo = store.endOfFailed(tx, pk, after, RECOVERED_PER_CHUNK)
    if (upTo === undefined) return false
    redelivered += store.restartFailed(tx, pk, { after, upTo, since })
    after = upTo
    wakeDeliveries(tx, [pk])
    return true
  })
  return redelivered
}
