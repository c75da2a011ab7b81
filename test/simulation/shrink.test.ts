import { expect, test } from 'bun:test'
import type { RunOptions, RunResult } from './run.ts'
import { shrink } from './shrink.ts'

const STEPS = 100

/** A run that breaks one promise if it takes the steps 17 and 60, and otherwise another one at step 80. */
async function run({ only }: RunOptions): Promise<RunResult> {
  const takes = (step: number): boolean => only?.has(step) ?? true
  const steps = [...Array(STEPS).keys()].filter(takes)
  const end = { digest: '', trace: [], logged: [], counts: {}, crashedAt: new Set<never>() }
  if (takes(17) && takes(60)) return { ...end, failure: `row ${steps.length} is lost`, steps: 61 }
  return { ...end, failure: takes(80) ? 'the feed ends' : undefined, steps: STEPS }
}

test('a failing run is shortened to the steps that make it fail in the same way', async () => {
  const options = { seed: 1, steps: STEPS, days: 1 }
  const { options: least, result } = await shrink(options, await run(options), run)
  expect([[...(least.only ?? [])], result.failure]).toEqual([[17, 60], 'row 2 is lost'])
  expect(await run(least)).toEqual(result)
})
