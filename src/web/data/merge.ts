import { diffLines, type Hunk, linesOf } from './line-diff.ts'

/** A part of a merged text: what both sides agree on, or a passage that both changed, each in another way. */
export type Part =
  | { readonly kind: 'agreed'; readonly text: string }
  | { readonly kind: 'passage'; readonly base: string; readonly mine: string; readonly theirs: string }

/**
 * Merges what two sides made of one text, by lines. A change that only one side made is taken over; where both changed
 * the same or touching lines differently, the result has a passage with both.
 */
export function mergeTexts(base: string, mine: string, theirs: string): Part[] {
  if (mine === theirs || theirs === base) return agreed(mine)
  if (mine === base) return agreed(theirs)
  const sides = { base: linesOf(base), mine: linesOf(mine), theirs: linesOf(theirs) }
  return join(partsOf(sides, diffLines(sides.base, sides.mine), diffLines(sides.base, sides.theirs)))
}

/** The merged text, or undefined when there is a passage to settle. */
export const mergedText = (parts: readonly Part[]): string | undefined =>
  parts.every(({ kind }) => kind === 'agreed')
    ? parts.map((part) => (part.kind === 'agreed' ? part.text : '')).join('')
    : undefined

interface Sides {
  readonly base: readonly string[]
  readonly mine: readonly string[]
  readonly theirs: readonly string[]
}

const agreed = (text: string): Part[] => (text === '' ? [] : [{ kind: 'agreed', text }])

const textOf = (lines: readonly string[], from: number, to: number) => lines.slice(from, to).join('')

/** How the line numbers of a side differ from those of the base after the hunks so far. */
const shiftAfter = (hunk: Hunk | undefined) => (hunk ? hunk.newTo - hunk.to : 0)

function* partsOf(sides: Sides, mine: readonly Hunk[], theirs: readonly Hunk[]): Generator<Part> {
  let [m, t, at] = [0, 0, 0]
  while (m < mine.length || t < theirs.length) {
    const from = Math.min(
      mine[m]?.from ?? Number.POSITIVE_INFINITY,
      theirs[t]?.from ?? Number.POSITIVE_INFINITY,
    )
    const [firstMine, firstTheirs] = [m, t]
    const [mineBefore, theirsBefore] = [shiftAfter(mine[m - 1]), shiftAfter(theirs[t - 1])]
    let to = from
    for (;;) {
      const [nextMine, nextTheirs] = [mine[m], theirs[t]]
      if (nextMine && nextMine.from <= to) {
        to = Math.max(to, nextMine.to)
        m++
      } else if (nextTheirs && nextTheirs.from <= to) {
        to = Math.max(to, nextTheirs.to)
        t++
      } else break
    }
    yield { kind: 'agreed', text: textOf(sides.base, at, from) }
    const ours = textOf(sides.mine, from + mineBefore, to + shiftAfter(mine[m - 1]))
    const others = textOf(sides.theirs, from + theirsBefore, to + shiftAfter(theirs[t - 1]))
    if (firstTheirs === t || ours === others) yield { kind: 'agreed', text: ours }
    else if (firstMine === m) yield { kind: 'agreed', text: others }
    else yield { kind: 'passage', base: textOf(sides.base, from, to), mine: ours, theirs: others }
    at = to
  }
  yield { kind: 'agreed', text: textOf(sides.base, at, sides.base.length) }
}

/** Joins neighbouring parts that are agreed on, and leaves out empty ones. */
function join(parts: Iterable<Part>): Part[] {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (part.kind === 'agreed' && part.text === '') continue
    if (part.kind === 'agreed' && last?.kind === 'agreed')
      merged[merged.length - 1] = { kind: 'agreed', text: last.text + part.text }
    else merged.push(part)
  }
  return merged
}
