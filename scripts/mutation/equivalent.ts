/** A mutant that no test can notice. */
export interface Equivalent {
  readonly path: string
  /** The line of the source, without its indentation. */
  readonly line: string
  /** The mutated text and its replacement, as the script prints them. */
  readonly change: string
  readonly reason: string
}

/** Delays, limits of time and sizes of caches change how fast the service is, not what it does. */
export const EQUIVALENT: readonly Equivalent[] = []
