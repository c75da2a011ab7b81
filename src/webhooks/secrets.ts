import type { AppContext, Caller } from '../context.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { newSecret, parseEarlierSecrets } from '../delivery/sign.ts'
import { HOUR_MS } from '../lib/dates.ts'
import { type DescribedWebhook, getRow, getWebhook, logWebhookUpdate } from './service.ts'
import { listWithEarlierSecrets, setEarlierSecrets, setSecrets } from './store.ts'

/** Each signs every delivery in two headers, which receivers accept only up to some length. */
const MAX_EARLIER_SECRETS = 4

/**
 * Replaces the secret. For `overlapHours` the replaced one signs too, and so do those replaced before whose overlap has
 * not ended; with 0 the new one signs alone, at once, also older deliveries.
 */
export const rotateSecret = (
  ctx: Pick<AppContext, 'db'>,
  caller: Caller,
  id: string,
  overlapHours: number,
): Promise<DescribedWebhook & { secret: string }> =>
  ctx.db.write((tx) => {
    const { pk, secret: replaced, earlierSecrets } = getRow(tx, caller, id, 'change')
    const still = parseEarlierSecrets(earlierSecrets).filter(({ until }) => until > tx.now)
    const earlier =
      overlapHours === 0 ? [] : [{ secret: replaced, until: tx.now + overlapHours * HOUR_MS }, ...still]
    const secret = newSecret()
    const kept = earlier.slice(0, MAX_EARLIER_SECRETS)
    setSecrets(tx, pk, { secret, earlierSecrets: kept.length === 0 ? null : JSON.stringify(kept) })
    const webhook = getWebhook(tx, caller, id, 'change')
    logWebhookUpdate(tx, caller, webhook, webhook, ['secret'])
    return { ...webhook, secret }
  })

/** Deletes the replaced secrets that no longer sign. */
export function removeEndedSecrets(tx: Tx): void {
  for (const { pk, earlierSecrets } of listWithEarlierSecrets(tx)) {
    const all = parseEarlierSecrets(earlierSecrets)
    const left = all.filter(({ until }) => until > tx.now)
    if (left.length < all.length) setEarlierSecrets(tx, pk, left.length === 0 ? null : JSON.stringify(left))
  }
}
