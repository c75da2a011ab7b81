import type { AttemptOutcome } from '../client/attempt.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The delays after the first failed attempt, the second, and so on; there is no retry after the last. */
export const RETRY_AFTER_MS: readonly number[] = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS]

/** How many failed deliveries in a row pause a subscription. */
export const FAILURES_TO_PAUSE = 10

export type NextStep =
  | { readonly status: 'delivered' }
  | { readonly status: 'pending'; readonly afterMs: number }
  | { readonly status: 'failed' }

/** The state of a delivery after an attempt; `attempts` includes this one. */
export function nextStep({ error }: AttemptOutcome, attempts: number): NextStep {
  if (error === null) return { status: 'delivered' }
  const afterMs = RETRY_AFTER_MS[attempts - 1]
  return afterMs === undefined ? { status: 'failed' } : { status: 'pending', afterMs }
}
