/** Whether the full counts of kills and random cases are wanted (`bun run test:cases`). */
export const hasManyCases = Bun.env.DAYBOOK_TEST_CASES === 'many'

/**
 * The seed of all random cases. The same ones are drawn in every run, so that it fails only where something changed;
 * where many are wanted, others are drawn each time. `DAYBOOK_TEST_SEED` draws those of a failure again.
 */
export const RANDOM_SEED = Number(
  Bun.env.DAYBOOK_TEST_SEED ?? (hasManyCases ? Date.now() % 2 ** 31 : 20261121),
)

/** How many rounds a test runs: few unless the full counts are wanted. */
export const runs = (few: number, many: number): number => (hasManyCases ? many : few)

/** Ends a test of random cases that hangs; the full counts are very many of them. */
export const RANDOM_CASES_MS = runs(120_000, 3_600_000)
