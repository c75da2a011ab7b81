/** Whether the full counts of kills and random cases are wanted (`bun run test:cases`). */
export const hasManyCases = Bun.env.DAYBOOK_TEST_CASES === 'many'

/** How many rounds a test runs: few unless the full counts are wanted. */
export const runs = (few: number, many: number): number => (hasManyCases ? many : few)

/** Ends a test of random cases that hangs; the full counts are very many of them. */
export const RANDOM_CASES_MS = runs(120_000, 3_600_000)
