import type { GridState } from './state.ts'

/** Where the columns begin that stay in sight, in pixels. */
export type FrozenStarts = readonly number[]

/** Frozen columns leave this part of the width to the others. */
const MOST_PART = 0.6

/** The places of the frozen columns: as many as the person chose, while they leave room for the others. */
export function frozenStarts(
  { columns, fields }: Pick<GridState, 'columns' | 'fields'>,
  marginPx: number,
  viewPx: number,
): FrozenStarts {
  const starts: number[] = []
  let start = marginPx
  for (const field of fields.slice(0, columns.frozen)) {
    if (start + columns.widthOf(field) > viewPx * MOST_PART) break
    starts.push(start)
    start += columns.widthOf(field)
  }
  return starts
}

/** The class and the place of a cell, given its column from 0 and its other classes. */
export function frozenAt(starts: FrozenStarts, column: number, classes: string) {
  const start = starts[column]
  if (start === undefined) return { class: classes }
  const edge = column === starts.length - 1 ? ' frozen-edge' : ''
  return { class: `${classes} frozen${edge}`.trim(), style: { '--start': `${start}px` } }
}
