import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { inChunks } from '../db/writes/chunks.ts'
import { publishTest } from '../delivery/outbox.ts'
import { wakeDeliveries } from '../delivery/wakes.ts'
import { fail, notFound } from '../refusal.ts'
import * as store from './delivery-store.ts'
import { presentAttempt, presentDelivery, presentStructureOf } from './present.ts'
import { getWebhook } from './service.ts'
import { kindOf, type WebhookRow } from './store.ts'

/* The deliveries of a subscription, as responses show them. */

type Shown = ReturnType<typeof presentDelivery>

const getDelivery = (reader: Reader, webhook: WebhookRow, id: string): store.DeliveryRow =>
  store.findDelivery(reader, webhook.pk, id) ?? fail(notFound('delivery'))

/** Sends a `webhook.test` event at once, even while the subscription is disabled or paused. */
export const testWebhook = (ctx: Pick<AppContext, 'db'>, caller: Caller, id: string): Promise<Shown> =>
  ctx.db.write((tx) => {
    const webhook = getWebhook(tx, caller, id, 'change')
    const { workspaceId, surface, keyId } = caller
    const receiver = { ...webhook, kind: kindOf(webhook), format: webhook.format ?? 'json' }
    const structure = presentStructureOf(webhook)
    const delivery = publishTest(tx, receiver, { workspaceId, structure, source: { surface, keyId } })
    return presentDelivery(webhook, getDelivery(tx, webhook, delivery))
  })

/** Newest first; with `before`, those that are older than that delivery. */
export function listDeliveries(
  reader: Reader,
  caller: Caller,
  id: string,
  page: store.DeliveryPage,
): Shown[] {
  const webhook = getWebhook(reader, caller, id, 'read')
  if (page.before !== undefined) getDelivery(reader, webhook, page.before)
  const rows = store.listDeliveryRows(reader, webhook.pk, page)
  return rows.map((row) => presentDelivery(webhook, row))
}

/** A delivery with what was sent, and what came of each attempt, oldest first. */
export function getDeliveryLog(reader: Reader, caller: Caller, id: string, deliveryId: string) {
  const webhook = getWebhook(reader, caller, id, 'read')
  const row = getDelivery(reader, webhook, deliveryId)
  return {
    delivery: presentDelivery(webhook, row),
    body: store.bodyOf(reader, row),
    attempts: store.listAttempts(reader, webhook.pk, row).map(presentAttempt),
  }
}

/** Sends a delivery's event again at once, whatever its status; its attempts count from 0 again. */
export const redeliver = (ctx: AppContext, caller: Caller, id: string, deliveryId: string): Promise<Shown> =>
  ctx.db.write((tx) => {
    const webhook = getWebhook(tx, caller, id, 'change')
    store.restartDelivery(tx, webhook.pk, getDelivery(tx, webhook, deliveryId), tx.now)
    wakeDeliveries(tx, [webhook.pk])
    return presentDelivery(webhook, getDelivery(tx, webhook, deliveryId))
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
  const { pk } = getWebhook(ctx.db, caller, id, 'change')
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
