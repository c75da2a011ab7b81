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

export type Action = () => unknown | Promise<unknown>

/**
 * Runs the variants in turn, so that a change in the machine's speed meets all of them, and answers the
 * times of each. The first tenth of the rounds warms up and is not counted.
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

/** One line of the table a bench prints. */
export interface Line {
  what: string
  ours: string
  floor: string
  ratio: string
  goal: string
  met: boolean | undefined
}

export const milliseconds = (value: number): string =>
  value < 1 ? `${(value * 1000).toFixed(0)} µs` : `${value.toFixed(2)} ms`

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-US')}/s`

const verdict = (met: boolean | undefined): string => (met === undefined ? '' : met ? 'yes' : '**no**')

/** The lines as a Markdown table. */
export function markdown(title: string, lines: readonly Line[]): string {
  const rows = lines.map(
    ({ what, ours, floor, ratio, goal, met }) =>
      `| ${what} | ${ours} | ${floor} | ${ratio} | ${goal} | ${verdict(met)} |`,
  )
  return [
    `### ${title}`,
    '',
    '| what | daybook | floor | ratio | goal | met |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
