import type { GridState } from './state.ts'

/** Start positions of the frozen columns, in pixels. */
export type FrozenStarts = readonly number[]

/** Frozen columns take at most this fraction of the width. */
const MAX_SHARE = 0.6

/** The start positions of the frozen columns, as far as they leave room for the others. */
export function frozenStarts(
  { columns, fields }: Pick<GridState, 'columns' | 'fields'>,
  marginPx: number,
  viewPx: number,
): FrozenStarts {
  const starts: number[] = []
  let start = marginPx
  for (const field of fields.slice(0, columns.frozen)) {
    if (start + columns.widthOf(field) > viewPx * MAX_SHARE) break
    starts.push(start)
    start += columns.widthOf(field)
  }
  return starts
}

/** Class and style of a cell, given its 0-based column and its other classes. */
export function frozenAt(starts: FrozenStarts, column: number, classes: string) {
  const start = starts[column]
  if (start === undefined) return { class: classes }
  const edge = column === starts.length - 1 ? ' frozen-edge' : ''
  return { class: `${classes} frozen${edge}`.trim(), style: { '--start': `${start}px` } }
}
