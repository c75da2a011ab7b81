import { type ChangeSet, Text } from '@codemirror/state'
import { diffLines, linesOf } from '../../../data/line-diff.ts'

/**
 * The text that changes make of another one, whose line breaks are single characters; to put a long document together
 * from its lines takes far longer.
 */
export function changedText(text: string, changes: ChangeSet): string {
  let changed = ''
  let kept = 0
  changes.iterChanges((from, to, _from, _to, inserted) => {
    changed += text.slice(kept, from) + inserted.toString()
    kept = to
  })
  return changed + text.slice(kept)
}

/**
 * The changes that make one text of another, both with single characters as line breaks. What they have in common is
 * left alone, line by line, so that a cursor between two changes stays where it is.
 */
export function changesBetween(before: string, after: string) {
  const [old, young] = [linesOf(before), linesOf(after)]
  let [at, line] = [0, 0]
  return diffLines(old, young).map(({ from, to, newFrom, newTo }) => {
    for (; line < from; line++) at += old[line]?.length ?? 0
    const removed = old.slice(from, to).join('')
    const inserted = young.slice(newFrom, newTo).join('')
    const { start, end } = commonEnds(removed, inserted)
    const insert = Text.of(inserted.slice(start, inserted.length - end).split('\n'))
    return { from: at + start, to: at + removed.length - end, insert }
  })
}

/** How many characters two texts have in common at their start, and at their end. */
function commonEnds(one: string, other: string): { start: number; end: number } {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++
  return { start, end }
}
