import { expect, test } from 'bun:test'
import { hasManyCases, RANDOM_CASES_MS, RANDOM_SEED, runs } from '../support/counts.ts'
import { POINTS, type RunOptions, simulate } from './run.ts'

const FIRST_SEED = hasManyCases ? RANDOM_SEED : 1
const SEEDS = runs(8, 10_000)
const STEPS = runs(200, 2_000)
const DAYS = 40

const optionsOf = (seed: number): RunOptions => ({ seed, steps: STEPS, days: DAYS })
/** The digests of the runs so far, by seed. */
const digests = new Map<number, string>()

async function simulateSeed(seed: number) {
  const result = await simulate(optionsOf(seed))
  digests.set(seed, result.digest)
  return result
}

/* Each failure point of a serving process ends it in some seed, between every two effects of a write. */
test(
  'no promise breaks while requests, faults, restarts and days interleave',
  async () => {
    const crashedAt = new Set<string>()
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      const { failure, trace, crashedAt: own } = await simulateSeed(seed)
      const reproduce = `bun run simulate --seed ${seed} --days ${DAYS} --steps ${STEPS}`
      expect(failure && [failure, ...trace.slice(-20), reproduce].join('\n')).toBeUndefined()
      for (const point of own) crashedAt.add(point)
    }
    expect([...crashedAt].toSorted()).toEqual(POINTS.toSorted())
  },
  RANDOM_CASES_MS * 10,
)

test(
  'the same seed gives the same trace',
  async () => {
    const known = async (seed: number) => digests.get(seed) ?? (await simulateSeed(seed)).digest
    const first = await known(FIRST_SEED)
    expect(await known(FIRST_SEED + 1)).not.toBe(first)
    expect((await simulate(optionsOf(FIRST_SEED))).digest).toBe(first)
  },
  RANDOM_CASES_MS * 10,
)
