interface Zoned {
  readonly offsetNanoseconds: number
  getTimeZoneTransition(direction: 'next' | 'previous'): { readonly epochMilliseconds: number } | null
}

/** The part of `Temporal` that is used here, which the runtime has and TypeScript's library does not describe yet. */
declare const Temporal: {
  Instant: { fromEpochMilliseconds(instant: number): { toZonedDateTimeISO(zone: string): Zoned } }
}

export interface TimeZone {
  /** How far local time is ahead of UTC at an instant, in milliseconds. */
  offsetAt(instant: number): number
}

/** A period between two clock changes, in which the offset is constant; `end` is exclusive. */
interface OffsetPeriod {
  start: number
  end: number
  offset: number
}

const NANOSECONDS_PER_MS = 1_000_000

function periodAt(name: string, instant: number): OffsetPeriod {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name)
  // A transition exactly at the instant is only "previous" as seen from after it.
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

/** The zone of an IANA name such as `Europe/Berlin`, ignoring case; undefined for any other text. */
export function findTimeZone(name: string): TimeZone | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return new KnownZone(name)
  } catch {
    return undefined
  }
}
