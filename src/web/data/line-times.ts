import { diffLines } from './line-diff.ts'

/** A version of a text, and the instant at which an edit made it; undefined if unknown. */
export interface TextVersion {
  readonly lines: readonly string[]
  readonly at: number | undefined
}

export type LineTimes = readonly (number | undefined)[]

/** The times after an edit at `at`: unchanged lines keep theirs. */
export function timesAfter(
  times: LineTimes,
  before: readonly string[],
  after: readonly string[],
  at: number | undefined,
): LineTimes {
  const next: (number | undefined)[] = []
  let from = 0
  for (const hunk of diffLines(before, after)) {
    next.push(...times.slice(from, hunk.from), ...Array(hunk.newTo - hunk.newFrom).fill(at))
    from = hunk.to
  }
  return [...next, ...times.slice(from)]
}

/** The instant of the edit that last changed each line of the newest version; `versions` begins with the oldest. */
export function lineTimes(versions: readonly TextVersion[]): LineTimes {
  let before: readonly string[] = []
  let times: LineTimes = []
  for (const { lines, at } of versions) {
    times = timesAfter(times, before, lines, at)
    before = lines
  }
  return times
}

/**
 * The passages to mark with a time: blocks of lines without a blank one between them, each with its last edit. A passage
 * that was edited in the same minute as the one before has no mark.
 */
export function passageTimes(
  lines: Iterable<string>,
  times: LineTimes,
): { readonly line: number; readonly at: number }[] {
  const marks: { line: number; at: number }[] = []
  let start: number | undefined
  let latest: number | undefined
  let line = 0
  const end = () => {
    const isOther = latest !== undefined && minuteOf(latest) !== minuteOf(marks.at(-1)?.at)
    if (start !== undefined && latest !== undefined && isOther) marks.push({ line: start, at: latest })
    start = undefined
    latest = undefined
  }
  for (const text of lines) {
    const at = times[line]
    if (text.trim() === '') end()
    else {
      start ??= line
      if (at !== undefined && at > (latest ?? 0)) latest = at
    }
    line++
  }
  end()
  return marks
}

const MINUTE_MS = 60_000

const minuteOf = (at: number | undefined): number | undefined =>
  at === undefined ? undefined : Math.floor(at / MINUTE_MS)
