import { DAY_MS, HOUR_MS } from './dates.ts'
import type { TimeZone } from './time-zones.ts'

/** Offsets lie between -12 and +14 hours. */
const BEFORE_MS = 15 * HOUR_MS
const AFTER_MS = 13 * HOUR_MS

/**
 * The instant of a local time, which is given as if it were UTC. A time that does not exist is read with the offset before
 * the change of the clock, and of one that comes twice it is the first.
 */
export function instantOfLocal(zone: TimeZone, local: number): number {
  const before = zone.offsetAt(local - BEFORE_MS)
  const after = zone.offsetAt(local + AFTER_MS)
  const exists = (offset: number) => zone.offsetAt(local - offset) === offset
  const offsets = [before, after].filter(exists)
  return local - (offsets.length === 0 ? before : Math.max(...offsets))
}

/** The local time, as if it were UTC, of a day `YYYY-MM-DD`, some days later, at `HH:MM`. */
export const localTime = (day: string, days: number, time: string): number =>
  Date.parse(`${day}T${time}:00Z`) + days * DAY_MS
