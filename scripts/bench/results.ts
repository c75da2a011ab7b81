import { cpus, loadavg, totalmem } from 'node:os'
import { buildVersion } from '../lib/version.ts'
import { median, p95, type Times } from './measure.ts'
import { reasonFor } from './missed-goals.ts'

/** One row of the results. */
export interface Row {
  what: string
  daybook: string
  /** The baseline, measured in the same run. */
  floor: string
  ratio: string
  goal: string
  /** Undefined if there is no goal. */
  met: boolean | undefined
  /** The figure of daybook. */
  value: number
}

/** The measurements of one part at one size. */
export interface Section {
  title: string
  rows: readonly Row[]
  remark?: string
}

/** All measurements of one part of the bench. */
export interface Part {
  title: string
  /** The date, the machine, and the versions, with the commit. */
  conditions: string
  sections: readonly Section[]
}

/** Limits of the value, and of its ratio to the floor. */
export interface Goal {
  readonly maxRatio?: number
  readonly minRatio?: number
  readonly max?: number
  readonly min?: number
}

/** Figures of one row, in the unit that `show` formats. */
export interface Figures {
  readonly what: string
  readonly show: (value: number) => string
  readonly daybook: number
  readonly floor?: number | undefined
  readonly goal?: Goal
  /** Text that replaces the plain number in a column. */
  readonly text?: Partial<Pick<Row, 'daybook' | 'floor' | 'ratio'>>
}

/** Returns the row of one figure. Without a goal, `met` is undefined. */
export function rowOf({ what, show, daybook, floor, goal = {}, text = {} }: Figures): Row {
  const ratio = floor === undefined ? Number.NaN : daybook / floor
  const limits: [
    limit: number | undefined,
    text: (limit: number) => string,
    isMet: (limit: number) => boolean,
  ][] = [
    [goal.maxRatio, (limit) => `≤ ${limit} ×`, (limit) => ratio <= limit],
    [goal.minRatio, (limit) => `≥ ${limit} ×`, (limit) => ratio >= limit],
    [goal.max, (limit) => `≤ ${show(limit)}`, (limit) => daybook <= limit],
    [goal.min, (limit) => `≥ ${show(limit)}`, (limit) => daybook >= limit],
  ]
  const set = limits.filter(([limit]) => limit !== undefined && Number.isFinite(limit))
  return {
    what,
    daybook: show(daybook),
    floor: floor === undefined ? '' : show(floor),
    ratio: Number.isNaN(ratio) ? '' : ratio.toFixed(2),
    ...text,
    goal: set.map(([limit = 0, textOf]) => textOf(limit)).join(', '),
    met: set.length === 0 ? undefined : set.every(([limit = 0, , isMet]) => isMet(limit)),
    value: daybook,
  }
}

export const milliseconds = (value: number): string =>
  value < 1 ? `${(value * 1000).toFixed(0)} µs` : `${value.toFixed(2)} ms`

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-US')}/s`

/** For example `1 receiver` or `5,000 streams`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`

const timesText = ({ median, p99 }: Times) => `${milliseconds(median)} (p99 ${milliseconds(p99)})`

/** Compares two times by their medians. */
export const timesRow = (what: string, daybook: Times, floor: Times, goal: Goal = {}): Row =>
  rowOf({
    what,
    show: milliseconds,
    daybook: daybook.median,
    floor: floor.median,
    goal,
    text: { daybook: timesText(daybook), floor: timesText(floor) },
  })

const p95Text = (samples: readonly number[]): string =>
  `${milliseconds(p95(samples))} (median ${milliseconds(median(samples))})`

/** Returns the row of the 95th percentile of samples in milliseconds. */
export const p95Row = (
  what: string,
  samples: readonly number[],
  max: number,
  floor?: readonly number[],
): Row =>
  rowOf({
    what: `${what}, p95`,
    show: milliseconds,
    daybook: p95(samples),
    floor: floor && p95(floor),
    goal: { max },
    text: { daybook: p95Text(samples), ...(floor && { floor: p95Text(floor) }) },
  })

/** Compares the time in a large database with the time in a small one. */
export const growthRow = (what: string, smallMs: number, largeMs: number, maxRatio: number): Row =>
  rowOf({ what, show: milliseconds, daybook: largeMs, floor: smallMs, goal: { maxRatio } })

/** The date, the machine and its other load, and the versions; that of daybook names the commit. */
export function conditionsNow(): string {
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const day = new Date().toISOString().slice(0, 10)
  const load = loadavg()[0]?.toFixed(1)
  return `${day}, ${model}, ${counted(processors.length, 'core')}, ${memory}, load ${load}, ${process.platform} ${process.arch}, Bun ${Bun.version}, daybook ${buildVersion()}`
}

const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const COLUMNS = ['setting', 'what', 'daybook', 'floor', 'ratio', 'goal', 'met']
const verdict = (met: boolean | undefined): string => (met === undefined ? '' : met ? 'yes' : '**no**')

/** The reasons for missed goals, with the rows that each explains. */
function reasonsOf(sections: readonly Section[]): string[] {
  const missed = sections.flatMap(({ title, rows }) =>
    rows.filter(({ met }) => met === false).map(({ what }) => ({ title, what })),
  )
  const byReason = Map.groupBy(missed, ({ title, what }) => reasonFor(title, what))
  return [...byReason].map(
    ([reason, ofReason]) => `- ${[...new Set(ofReason.map(({ what }) => what))].join('; ')}: ${reason}`,
  )
}

/** One table of all sections; the setting is the title of a section. */
export function partText({ title, conditions, sections }: Part): string {
  const table = [
    tableRow(COLUMNS),
    tableRow(COLUMNS.map(() => '---')),
    ...sections.flatMap((section) =>
      section.rows.map(({ what, daybook, floor, ratio, goal, met }) =>
        tableRow([section.title, what, daybook, floor, ratio, goal, verdict(met)]),
      ),
    ),
  ]
  const reasons = reasonsOf(sections)
  return [
    `## ${title}`,
    `Measured: ${conditions}.`,
    table.join('\n'),
    ...(reasons.length === 0 ? [] : [`Goals that are not met, and why:\n\n${reasons.join('\n')}`]),
    ...sections.flatMap(({ remark }) => remark ?? []),
  ].join('\n\n')
}

/** Keeps only the rows with a goal. */
const goalsOf = ({ sections, ...part }: Part): Part => ({
  ...part,
  sections: sections.flatMap(({ title, rows }) => {
    const withGoal = rows.filter(({ met }) => met !== undefined)
    return withGoal.length === 0 ? [] : [{ title, rows: withGoal }]
  }),
})

/** Replaces the part with the same title in the table of goals, or appends the part. */
export function withGoals(results: string, part: Part): string {
  const [head = '', ...parts] = results.trimEnd().split(/\n\n(?=## )/)
  const isSame = (text: string) => text.startsWith(`## ${part.title}\n`)
  const text = partText(goalsOf(part))
  const updated = parts.some(isSame) ? parts.map((old) => (isSame(old) ? text : old)) : [...parts, text]
  return `${[head, ...updated].join('\n\n')}\n`
}

/** The rows shown in the README: their setting and name in the results, and their label for users. */
const HIGHLIGHTS: readonly { section: string; what: string; label: string }[] = [
  { section: 'Notes, 100,000 of about 2 KB', what: 'create, alone', label: 'Create a note (100,000 notes)' },
  { section: 'Notes, 100,000 of about 2 KB', what: 'list newest 50', label: 'List the newest 50 notes' },
  { section: 'Notes, 100,000 of about 2 KB', what: 'search a common word', label: 'Search a common word' },
  {
    section: 'Filter trees and views, 100,000 notes',
    what: '5: all, broad',
    label: 'Filter notes by five conditions',
  },
  {
    section: 'Records, 1,000,000 of about 340 bytes',
    what: 'page status eq (index)',
    label: 'Filter records, first page (1,000,000 records)',
  },
  {
    section: 'Records, 1,000,000 of about 340 bytes',
    what: 'page by amount desc (index)',
    label: 'Sort records, first page (1,000,000 records)',
  },
  {
    section: 'Webhooks',
    what: 'deliveries to 1 receiver',
    label: 'Deliver events to one receiver over https',
  },
  {
    section: 'Imports',
    what: '1,000,000 rows of eight fields from a file, types inferred from all rows',
    label: 'Import 1,000,000 rows from a CSV file',
  },
]

/** Returns the README's table, built from the results. */
export function highlights(results: string): string {
  const rows = HIGHLIGHTS.map(({ section, what, label }) => {
    const found = results.split('\n').find((line) => line.startsWith(`| ${section} | ${what} |`))
    if (!found) throw new Error(`the results have no row "${what}" in the setting "${section}"`)
    const [, , , daybook = '', floor = '', ratio = ''] = found.split('|').map((cell) => cell.trim())
    return tableRow([label, daybook, floor, ratio])
  })
  return [tableRow(['', 'daybook', 'floor', 'ratio']), tableRow(Array(4).fill('---')), ...rows].join('\n')
}

const README_TABLE = /(<!-- performance -->\n)[\s\S]*?(<!-- end of performance -->)/

export const withHighlights = (readme: string, results: string): string =>
  readme.replace(README_TABLE, (_, before, after) => `${before}${highlights(results)}\n${after}`)
