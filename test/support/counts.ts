/** Whether to run the full counts of kills and random cases (`bun run test:cases`). */
export const hasManyCases = Bun.env.DAYBOOK_TEST_CASES === 'many'

/**
 * The seed of all random cases. It is fixed, so that a run fails only where the code changed. Full counts draw a new
 * seed each time; `DAYBOOK_TEST_SEED` reproduces a failure.
 */
export const RANDOM_SEED = Number(
  Bun.env.DAYBOOK_TEST_SEED ?? (hasManyCases ? Date.now() % 2 ** 31 : 20261121),
)

/** The number of rounds of a test: `few` unless the full counts are requested. */
export const runs = (few: number, many: number): number => (hasManyCases ? many : few)

/** The same for cases that take long each, whose number `--cases=COUNT` sets. */
export const caseCount = (few: number, many: number): number =>
  Number(Bun.env.DAYBOOK_TEST_COUNT ?? runs(few, many))

/** The timeout of random cases, in milliseconds. The full counts take far longer. */
export const RANDOM_CASES_MS = runs(120_000, 3_600_000)
