import { expect, test } from 'bun:test'
import { hasManyCases, RANDOM_CASES_MS, RANDOM_SEED, runs } from '../support/counts.ts'
import { POINTS, simulate } from './run.ts'

const SEEDS = runs(10, 10_000)
const STEPS = runs(250, 2_000)
const DAYS = 40

test('the same seed gives the same trace', async () => {
  const options = { seed: RANDOM_SEED, steps: 120, days: DAYS }
  const first = await simulate(options)
  const other = await simulate({ ...options, seed: RANDOM_SEED + 1 })
  const again = await simulate(options)
  expect([again.digest, again.trace.length]).toEqual([first.digest, first.trace.length])
  expect(other.digest).not.toBe(first.digest)
})

/* Each failure point of a serving process ends it in some seed, between every two effects of a write. */
test(
  'no promise breaks while requests, faults, restarts and days interleave',
  async () => {
    const crashedAt = new Set<string>()
    for (let seed = hasManyCases ? RANDOM_SEED : 1; seed < (hasManyCases ? RANDOM_SEED : 1) + SEEDS; seed++) {
      const { failure, trace, crashedAt: own } = await simulate({ seed, steps: STEPS, days: DAYS })
      const reproduce = `bun run simulate --seed ${seed} --days ${DAYS} --steps ${STEPS}`
      expect(failure && [failure, ...trace.slice(-20), reproduce].join('\n')).toBeUndefined()
      for (const point of own) crashedAt.add(point)
    }
    expect([...crashedAt].toSorted()).toEqual(POINTS.toSorted())
  },
  RANDOM_CASES_MS * 10,
)
