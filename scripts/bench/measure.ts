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
  /** Milliseconds that ours takes, where its growth is of interest. */
  cost?: number
}

export const milliseconds = (value: number): string =>
  value < 1 ? `${(value * 1000).toFixed(0)} µs` : `${value.toFixed(2)} ms`

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-US')}/s`

/** `1 receiver`, `5,000 streams`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

/** What something costs in a large database beside what it costs in a small one. */
export function growthLine(what: string, small: number, large: number, most: number): Line {
  const times = large / small
  return {
    what,
    ours: milliseconds(large),
    floor: milliseconds(small),
    ratio: times.toFixed(2),
    goal: `≤ ${most} ×`,
    met: times <= most,
  }
}

const verdict = (met: boolean | undefined): string => (met === undefined ? '' : met ? 'yes' : '**no**')

/** What one bench has measured at one size. */
export interface Section {
  title: string
  lines: readonly Line[]
  /** What is worth knowing and has no line. */
  remark?: string
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const headOf = ({ title }: Section): string => row([`**${title}**`, '', '', '', '', ''])

const rowsOf = (section: Section): string[] => [
  headOf(section),
  ...section.lines.map(({ what, ours, floor, ratio, goal, met }) =>
    row([what, ours, floor, ratio, goal, verdict(met)]),
  ),
  ...(section.remark === undefined ? [] : [row([section.remark, '', '', '', '', ''])]),
]

const HEADING = [row(['what', 'daybook', 'floor', 'ratio', 'goal', 'met']), row(Array(6).fill('---'))]

/** Everything as one Markdown table. */
export const markdown = (sections: readonly Section[]): string =>
  [...HEADING, ...sections.flatMap(rowsOf)].join('\n')

/** The table with these sections in the place of those of the same titles, or at its end. */
export function markdownWith(table: string, sections: readonly Section[]): string {
  const kept = new Map<string, string[]>()
  for (const line of table.split('\n').filter((text) => text !== '' && !HEADING.includes(text))) {
    const isHead = line.startsWith('| **')
    if (isHead) kept.set(line, [])
    ;[...kept.values()].at(-1)?.push(line)
  }
  for (const section of sections) kept.set(headOf(section), rowsOf(section))
  return [...HEADING, ...[...kept.values()].flat()].join('\n')
}
