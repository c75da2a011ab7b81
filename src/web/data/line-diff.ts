/** Lines `[from, to)` of the old text are replaced by lines `[newFrom, newTo)` of the new one. */
export interface Hunk {
  readonly from: number
  readonly to: number
  readonly newFrom: number
  readonly newTo: number
}

/** The lines of a text with their line breaks. */
export const linesOf = (text: string): string[] => text.match(/[^\n]+\n?|\n/g) ?? []

/** With more edits than this, everything between the first and the last change counts as changed. */
const MAX_EDITS = 1_000

/** The differences of two lists of lines: a shortest edit script by the algorithm of Myers. */
export function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const shorter = Math.min(before.length, after.length) - start
  while (end < shorter && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const old = before.slice(start, before.length - end)
  const next = after.slice(start, after.length - end)
  if (old.length === 0 && next.length === 0) return []
  const hunks = old.length === 0 || next.length === 0 ? undefined : hunksOf(old, next, searchEdits(old, next))
  return (hunks ?? [{ from: 0, to: old.length, newFrom: 0, newTo: next.length }]).map((hunk) => ({
    from: hunk.from + start,
    to: hunk.to + start,
    newFrom: hunk.newFrom + start,
    newTo: hunk.newTo + start,
  }))
}

/** The furthest line on each diagonal for every number of edits; undefined with too many edits. */
function searchEdits(old: readonly string[], next: readonly string[]): Int32Array[] | undefined {
  const limit = Math.min(MAX_EDITS, old.length + next.length)
  const trace: Int32Array[] = []
  const reached = new Int32Array(2 * limit + 3)
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(reached.slice(limit - edits, limit + edits + 3))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = furthest(reached, limit + 1 + diagonal, diagonal, edits)
      while (x < old.length && x - diagonal < next.length && old[x] === next[x - diagonal]) x++
      reached[limit + 1 + diagonal] = x
      if (x >= old.length && x - diagonal >= next.length) return trace
    }
  }
  return undefined
}

/** The start of the path on this diagonal: an insertion from the diagonal above, or a deletion from the one below. */
function furthest(reached: Int32Array, at: number, diagonal: number, edits: number): number {
  const left = reached[at - 1] ?? 0
  const right = reached[at + 1] ?? 0
  return diagonal === -edits || (diagonal !== edits && left < right) ? right : left + 1
}

function hunksOf(
  old: readonly string[],
  next: readonly string[],
  trace: readonly Int32Array[] | undefined,
): Hunk[] | undefined {
  if (!trace) return undefined
  const hunks: Hunk[] = []
  let [x, y] = [old.length, next.length]
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const reached = trace[edits] ?? new Int32Array()
    const diagonal = x - y
    const at = edits + 1 + diagonal
    const isInsertion =
      diagonal === -edits || (diagonal !== edits && (reached[at - 1] ?? 0) < (reached[at + 1] ?? 0))
    const previous = isInsertion ? (reached[at + 1] ?? 0) : (reached[at - 1] ?? 0)
    const previousY = previous - (isInsertion ? diagonal + 1 : diagonal - 1)
    addEdit(hunks, previous, previousY, isInsertion)
    ;[x, y] = [previous, previousY]
  }
  return hunks.reverse()
}

/** Adds an edit, last ones first. An edit adjacent to the following hunk becomes part of it. */
function addEdit(hunks: Hunk[], x: number, y: number, isInsertion: boolean): void {
  const edit = { from: x, to: isInsertion ? x : x + 1, newFrom: y, newTo: isInsertion ? y + 1 : y }
  const next = hunks.at(-1)
  if (next && next.from === edit.to && next.newFrom === edit.newTo)
    hunks[hunks.length - 1] = { from: edit.from, to: next.to, newFrom: edit.newFrom, newTo: next.newTo }
  else hunks.push(edit)
}
