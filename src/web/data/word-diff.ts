import { diffLines, linesOf } from './line-diff.ts'

/** A piece of a changed passage. */
export interface Piece {
  readonly kind: 'kept' | 'removed' | 'added'
  readonly text: string
}

/** The words of a text and the spaces between them. */
const wordsOf = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+/gu) ?? []

/** The pieces of two texts, in order: common, removed or added. */
export function wordDiff(before: string, after: string): Piece[] {
  const [old, recent] = [wordsOf(before), wordsOf(after)]
  const pieces: Piece[] = []
  const add = (kind: Piece['kind'], words: readonly string[]) => {
    if (words.length > 0) pieces.push({ kind, text: words.join('') })
  }
  let at = 0
  for (const { from, to, newFrom, newTo } of diffLines(old, recent)) {
    add('kept', old.slice(at, from))
    add('removed', old.slice(from, to))
    add('added', recent.slice(newFrom, newTo))
    at = to
  }
  add('kept', old.slice(at))
  return pieces
}

/** The number of characters shown around a change in a line. */
const AROUND = 80

const startOf = (text: string): string => (text.length <= AROUND ? text : `${text.slice(0, AROUND)}…`)
const endOf = (text: string): string => (text.length <= AROUND ? text : `…${text.slice(-AROUND)}`)

function shortened({ kind, text }: Piece, at: number, all: readonly Piece[]): Piece {
  if (kind !== 'kept') return { kind, text }
  if (at === 0) return { kind, text: endOf(text) }
  if (at === all.length - 1) return { kind, text: startOf(text) }
  return { kind, text: text.length <= 2 * AROUND ? text : `${startOf(text)} ${endOf(text)}` }
}

/** The passages in which two texts differ, each from the start of a line, with some context. */
export function changedPassages(before: string, after: string): Piece[][] {
  const [old, recent] = [linesOf(before), linesOf(after)]
  return diffLines(old, recent).map(({ from, to, newFrom, newTo }) =>
    wordDiff(old.slice(from, to).join(''), recent.slice(newFrom, newTo).join('')).map(shortened),
  )
}
