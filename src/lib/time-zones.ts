import { memoize } from './bounded-cache.ts'
import { DAY_MS, HOUR_MS } from './dates.ts'

interface Zoned {
  readonly offsetNanoseconds: number
  getTimeZoneTransition(direction: 'next' | 'previous'): { readonly epochMilliseconds: number } | null
}

/** The part of `Temporal` that is used here. The runtime has it; TypeScript's library does not declare it yet. */
declare const Temporal: {
  Instant: { fromEpochMilliseconds(instant: number): { toZonedDateTimeISO(zone: string): Zoned } }
}

export interface TimeZone {
  /** The offset of local time from UTC at an instant, in milliseconds. */
  offsetAt(instant: number): number
}

/** A period between two clock changes with a constant offset; `end` is exclusive. */
interface OffsetPeriod {
  start: number
  end: number
  offset: number
}

const NANOSECONDS_PER_MS = 1_000_000

function periodAt(name: string, instant: number): OffsetPeriod {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name)
  // `previous` excludes a transition exactly at the instant.
  const justAfter = Temporal.Instant.fromEpochMilliseconds(instant + 1).toZonedDateTimeISO(name)
  return {
    start: justAfter.getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    end: zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: zoned.offsetNanoseconds / NANOSECONDS_PER_MS,
  }
}

const covers = ({ start, end }: OffsetPeriod, instant: number) => start <= instant && instant < end

/** Caches the periods of a zone: a million instants need only a few hundred lookups in the runtime. */
class KnownZone implements TimeZone {
  /** Sorted by time. */
  readonly #periods: OffsetPeriod[] = []
  #last: OffsetPeriod | undefined

  constructor(readonly name: string) {}

  offsetAt(instant: number): number {
    if (this.#last && covers(this.#last, instant)) return this.#last.offset
    this.#last = this.#find(instant)
    return this.#last.offset
  }

  #find(instant: number): OffsetPeriod {
    let low = 0
    let high = this.#periods.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const period = this.#periods[middle]
      if (period && covers(period, instant)) return period
      if (period && period.start > instant) high = middle
      else low = middle + 1
    }
    const found = periodAt(this.name, instant)
    this.#periods.splice(low, 0, found)
    return found
  }
}

/**
 * The zone of an IANA name such as `Europe/Berlin`, ignoring case; undefined for an unknown name. Cached, because the
 * runtime takes 40 µs to look a name up.
 */
export const findTimeZone = memoize((name: string): TimeZone | undefined => {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return new KnownZone(name)
  } catch {
    return undefined
  }
})

/** Offsets lie between -12 and +14 hours. */
const BEFORE_MS = 15 * HOUR_MS
const AFTER_MS = 13 * HOUR_MS

/**
 * The instant of a local time, which is passed as if it were UTC. A skipped local time is read with the offset before
 * the clock change; a repeated one is the first.
 */
export function instantOfLocal(zone: TimeZone, local: number): number {
  const before = zone.offsetAt(local - BEFORE_MS)
  const after = zone.offsetAt(local + AFTER_MS)
  const exists = (offset: number) => zone.offsetAt(local - offset) === offset
  const offsets = [before, after].filter(exists)
  return local - (offsets.length === 0 ? before : Math.max(...offsets))
}

/** The local time, as if it were UTC, some days after `YYYY-MM-DD`, at `HH:MM`. */
export const localTime = (day: string, days: number, time: string): number =>
  Date.parse(`${day}T${time}:00Z`) + days * DAY_MS
