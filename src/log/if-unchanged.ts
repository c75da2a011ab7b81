import { parseInstant } from '../lib/dates.ts'
import { atPlace, invalid, Refusal } from '../lib/refusal.ts'

/** Parses `if_unchanged`; undefined if it was not sent. Refuses a text that is not a timestamp. */
export function expectedInstant(ifUnchanged: string | undefined): number | undefined {
  if (ifUnchanged === undefined) return undefined
  const instant = parseInstant(ifUnchanged)
  if (instant !== undefined) return instant
  throw invalid(
    '"if_unchanged" must be the "updated_at" that was read, such as 2026-11-21T09:30:00.000Z.',
    atPlace('if_unchanged'),
  )
}

/** Refuses a change if the object has changed since the expected instant. Without an instant it checks nothing. */
export function refuseStale(noun: string, expected: number | undefined, updatedAt: number): void {
  if (expected === undefined || expected === updatedAt) return
  throw new Refusal(
    'stale',
    `The ${noun} was changed after that "updated_at"; read it again and repeat the change on its current version.`,
  )
}
