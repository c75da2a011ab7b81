import { type ChangeSet, Text } from '@codemirror/state'
import { diffLines, linesOf } from '../../../data/line-diff.ts'

/**
 * Applies changes to a text with single-character line breaks. Much faster than joining the lines of a long document.
 */
export function changedText(text: string, changes: ChangeSet): string {
  let changed = ''
  let end = 0
  changes.iterChanges((from, to, _from, _to, inserted) => {
    changed += text.slice(end, from) + inserted.toString()
    end = to
  })
  return changed + text.slice(end)
}

/**
 * The changes that turn one text into another, both with single-character line breaks. Common lines are untouched, so
 * that a cursor between two changes keeps its position.
 */
export function changesBetween(before: string, after: string) {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)]
  let [offset, line] = [0, 0]
  return diffLines(oldLines, newLines).map(({ from, to, newFrom, newTo }) => {
    for (; line < from; line++) offset += oldLines[line]?.length ?? 0
    const removed = oldLines.slice(from, to).join('')
    const inserted = newLines.slice(newFrom, newTo).join('')
    const { start, end } = commonEnds(removed, inserted)
    const insert = Text.of(inserted.slice(start, inserted.length - end).split('\n'))
    return { from: offset + start, to: offset + removed.length - end, insert }
  })
}

/** Lengths of the common prefix and suffix of two texts. */
function commonEnds(one: string, other: string): { start: number; end: number } {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++
  return { start, end }
}
