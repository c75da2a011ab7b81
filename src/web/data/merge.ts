import { diffLines, type Hunk, linesOf } from './line-diff.ts'

/** A part of a merged text: either common to both sides, or a conflict that both changed differently. */
export type Part =
  | { readonly kind: 'agreed'; readonly text: string }
  | { readonly kind: 'passage'; readonly base: string; readonly mine: string; readonly theirs: string }

/**
 * Merges two versions of a text by lines. A change on one side is applied; different changes of the same or adjacent
 * lines become a conflict with both versions.
 */
export function mergeTexts(base: string, mine: string, theirs: string): Part[] {
  if (mine === theirs || theirs === base) return agreed(mine)
  if (mine === base) return agreed(theirs)
  const sides = { base: linesOf(base), mine: linesOf(mine), theirs: linesOf(theirs) }
  return join(partsOf(sides, diffLines(sides.base, sides.mine), diffLines(sides.base, sides.theirs)))
}

/** The merged text, or undefined if there are conflicts. */
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

/** The offset of a side's line numbers from those of the base after a hunk. */
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

/** Joins adjacent common parts and removes empty ones. */
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
