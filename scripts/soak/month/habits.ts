import type { Random } from '../../lib/random.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SATURDAY = 6

/**
 * Returns the activity of people at an instant, up to 1: high by day, highest on Mondays, low at night and on Sundays.
 */
export function activity(at: number): number {
  const date = new Date(at)
  const [hour, day] = [date.getUTCHours(), date.getUTCDay()]
  if (hour < 7 || hour >= 22) return 0.03
  if (day === 0 || day === SATURDAY) return 0.1
  if (hour < 9 || hour >= 18) return 0.3
  return day === 1 ? 1 : 0.7
}

/** Chooses one of this many teams: the first ones often, the last ones seldom. */
export const chooseTeam = (random: Random, teams: number): number =>
  Math.min(Math.floor(teams ** random.next()) - 1, teams - 1)

/** The accelerated time of a run, in which a month passes between start and end. */
export class MovedTime {
  readonly #begin = performance.now()
  readonly #origin = Date.now()
  readonly #factor: number

  constructor(
    durationMs: number,
    readonly days: number,
  ) {
    this.#factor = (days * DAY_MS) / durationMs
  }

  /** The seconds by which the simulated clock is ahead of the machine's clock. */
  get offsetS(): number {
    const passed = performance.now() - this.#begin
    return Math.round((passed * (this.#factor - 1)) / 1_000)
  }

  get now(): number {
    return this.#origin + (performance.now() - this.#begin) * this.#factor
  }

  /** The number of nights that have passed, counted at three o'clock. */
  get nights(): number {
    return Math.floor((this.now - 3 * HOUR_MS) / DAY_MS) - Math.floor((this.#origin - 3 * HOUR_MS) / DAY_MS)
  }
}
