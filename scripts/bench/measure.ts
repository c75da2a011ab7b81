/** Times of one variant, in milliseconds. */
export interface Times {
  median: number
  p99: number
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export function timesOf(samples: readonly number[]): Times {
  const sorted = [...samples].sort((left, right) => left - right)
  return { median: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
}

export const median = (samples: readonly number[]): number => timesOf(samples).median

export const p95 = (samples: readonly number[]): number =>
  quantile(
    samples.toSorted((left, right) => left - right),
    0.95,
  )

export type Action = () => unknown | Promise<unknown>

/**
 * Runs the variants alternately, so that a change in the machine's speed affects all of them, and returns the times of
 * each. One round in ten runs first as a warm-up and does not count.
 */
export async function interleaved<Name extends string>(
  variants: Record<Name, Action>,
  rounds: number,
): Promise<Record<Name, Times>> {
  const names = Object.keys(variants) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  const warmUp = Math.ceil(rounds / 10)
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of names) {
      const started = performance.now()
      await variants[name]()
      if (round >= 0) samples[name].push(performance.now() - started)
    }
  }
  return Object.fromEntries(names.map((name) => [name, timesOf(samples[name])])) as Record<Name, Times>
}
