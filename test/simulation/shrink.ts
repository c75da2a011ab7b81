import { type RunOptions, type RunResult, simulate } from './run.ts'

interface FailingRun {
  readonly options: RunOptions
  readonly result: RunResult
}

/** The first line of a failure, without numbers, ids and names. */
const kindOf = ({ failure = '' }: RunResult): string =>
  (failure.split('\n')[0] ?? '').replaceAll(/["{[].*/g, '').replaceAll(/\b\w*\d[\w.:-]*/g, '·')

const MOST_RUNS = 120

/**
 * Leaves out steps of a failing run as long as `run` fails in the same way: halves first, then ever smaller parts. Each
 * step keeps its own choices.
 */
export async function shrink(
  options: RunOptions,
  result: RunResult,
  run: (options: RunOptions) => Promise<RunResult> = simulate,
): Promise<FailingRun> {
  const kind = kindOf(result)
  const all = [...(options.only ?? Array(result.steps).keys())].filter((step) => step < result.steps)
  let least: FailingRun = { options: { ...options, only: new Set(all) }, result }
  let steps = all
  let runs = 0
  const failsWith = async (kept: readonly number[]): Promise<boolean> => {
    runs += 1
    const tried = { ...options, only: new Set(kept) }
    const outcome = await run(tried)
    if (outcome.failure === undefined || kindOf(outcome) !== kind) return false
    least = { options: tried, result: outcome }
    return true
  }
  for (
    let length = Math.ceil(steps.length / 2);
    length >= 1 && runs < MOST_RUNS;
    length = Math.floor(length / 2)
  )
    for (let at = 0; at < steps.length && runs < MOST_RUNS; ) {
      const kept = [...steps.slice(0, at), ...steps.slice(at + length)]
      if (await failsWith(kept)) steps = kept
      else at += length
    }
  return least
}
