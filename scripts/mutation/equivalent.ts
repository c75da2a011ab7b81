/**
 * Mutants that no test can notice, by path and change, each with its reason in a comment. Delays, limits of time and
 * sizes of caches change how fast the service is, not what it does.
 */
export const EQUIVALENT: readonly (readonly [path: string, change: string])[] = []
