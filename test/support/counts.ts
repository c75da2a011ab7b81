/** Whether the full counts of kills and random cases are wanted (`bun run test:long`). */
export const isLong = Bun.env.DAYBOOK_TEST_LONG === '1'

/** How many rounds a test runs: few in the everyday suite, many in the long one. */
export const runs = (short: number, long: number): number => (isLong ? long : short)

/** Ends a test of random cases that hangs; the long suite draws very many of them. */
export const RANDOM_CASES_MS = runs(120_000, 3_600_000)
