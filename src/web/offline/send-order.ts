import { tabOrder } from '../data/sending.ts'
import { syncCells } from './pending-cells.ts'

/* Sends pending edits in one tab at a time: the one that holds a lock. All tabs know all edits and send them in order. */

const LOCK = 'daybook-outbox'
/** The maximum time to wait for another tab. Sending twice is harmless: the server executes a request once. */
const PATIENCE_MS = 5_000

/** Sends once no other tab sends, or after the maximum time to wait. */
async function take<Result>(send: () => Promise<Result>): Promise<Result> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    return await navigator.locks.request(LOCK, { signal }, send)
  } catch (error) {
    if (error === signal.reason) return send()
    throw error
  }
}

if (navigator.locks) tabOrder.take = take
tabOrder.gather = () => syncCells().catch(() => undefined)
