interface Zoned {
  readonly offsetNanoseconds: number
  getTimeZoneTransition(direction: 'next' | 'previous'): { readonly epochMilliseconds: number } | null
}

/** What we use of `Temporal`, which the runtime has and TypeScript's library does not describe yet. */
declare const Temporal: {
  Instant: { fromEpochMilliseconds(instant: number): { toZonedDateTimeISO(zone: string): Zoned } }
}

/** Tells how far local time in one zone is ahead of UTC, in milliseconds, at any instant. */
export interface TimeZone {
  offsetAt(instant: number): number
}

/** A stretch of time between two clock changes: from `start` on, before `end`. */
interface Stretch {
  start: number
  end: number
  offset: number
}

const NANOSECONDS_PER_MS = 1_000_000

function stretchAt(name: string, instant: number): Stretch {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name)
  // A transition exactly at the instant is only "previous" as seen from after it.
  const justAfter = Temporal.Instant.fromEpochMilliseconds(instant + 1).toZonedDateTimeISO(name)
  return {
    start: justAfter.getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    end: zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: zoned.offsetNanoseconds / NANOSECONDS_PER_MS,
  }
}

const covers = ({ start, end }: Stretch, instant: number) => start <= instant && instant < end

/** Looks stretches up once and keeps them: a million instants ask the runtime a few hundred times. */
class KnownZone implements TimeZone {
  /** In the order of time. */
  readonly #stretches: Stretch[] = []
  #last: Stretch | undefined

  constructor(readonly name: string) {}

  offsetAt(instant: number): number {
    if (this.#last && covers(this.#last, instant)) return this.#last.offset
    this.#last = this.#find(instant)
    return this.#last.offset
  }

  #find(instant: number): Stretch {
    let low = 0
    let high = this.#stretches.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const stretch = this.#stretches[middle]
      if (stretch && covers(stretch, instant)) return stretch
      if (stretch && stretch.start > instant) high = middle
      else low = middle + 1
    }
    const found = stretchAt(this.name, instant)
    this.#stretches.splice(low, 0, found)
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
