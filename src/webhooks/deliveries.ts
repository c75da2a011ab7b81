import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { inChunks } from '../db/writes/chunks.ts'
import { publishTest } from '../delivery/outbox.ts'
import { fail, notFound } from '../refusal.ts'
import * as store from './delivery-store.ts'
import { getRow, getWebhook } from './service.ts'
import type { WebhookRow } from './store.ts'

/** A delivery with the id of its subscription. */
export interface DescribedDelivery {
  row: store.DeliveryRow
  webhookId: string
}

/** A delivery with what was sent, and what came of each attempt, oldest first. */
export interface DeliveryLog extends DescribedDelivery {
  body: string
  attempts: store.AttemptRow[]
}

function getDelivery(reader: Reader, { pk, id: webhookId }: WebhookRow, id: string): DescribedDelivery {
  return { row: store.findDelivery(reader, pk, id) ?? fail(notFound('delivery')), webhookId }
}

/** Sends a `webhook.test` event at once, even while the subscription is disabled or paused. */
export const testWebhook = (
  ctx: Pick<AppContext, 'db' | 'bus'>,
  caller: Caller,
  id: string,
): Promise<DescribedDelivery> =>
  ctx.db.write((tx) => {
    const { row, structure } = getWebhook(tx, caller, id)
    const source = { surface: caller.surface, keyId: caller.keyId }
    const delivery = publishTest(tx, ctx.bus, row.pk, { workspaceId: caller.workspaceId, structure, source })
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
  const webhook = getRow(reader, caller, id)
  if (before !== undefined) getDelivery(reader, webhook, before)
  const rows = store.listDeliveryRows(reader, webhook.pk, { status, before, limit })
  return rows.map((row) => ({ row, webhookId: webhook.id }))
}

export function getDeliveryLog(reader: Reader, caller: Caller, id: string, deliveryId: string): DeliveryLog {
  const webhook = getRow(reader, caller, id)
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
    const webhook = getRow(tx, caller, id)
    store.restartDelivery(tx, webhook.pk, getDelivery(tx, webhook, deliveryId).row, tx.now)
    tx.afterCommit(() => ctx.bus.wakeDeliveries([webhook.pk]))
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
  const { pk } = getRow(ctx.db, caller, id)
  let after = ''
  let redelivered = 0
  await inChunks(ctx.db, (tx): boolean => {
    const upTo = store.endOfFailed(tx, pk, after, RECOVERED_PER_CHUNK)
    if (upTo === undefined) return false
    redelivered += store.restartFailed(tx, pk, { after, upTo, since })
    after = upTo
    tx.afterCommit(() => ctx.bus.wakeDeliveries([pk]))
    return true
  })
  return redelivered
}
