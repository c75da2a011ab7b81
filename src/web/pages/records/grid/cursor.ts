/** A position in the grid. Column 0 is the margin with the row number. */
export interface CellPosition {
  readonly row: number
  readonly column: number
}

/** The focused cell, and the cell where the selected block began. */
export interface Cursor extends CellPosition {
  readonly anchor: CellPosition
}

export const cursorAt = (row: number, column: number): Cursor => ({ row, column, anchor: { row, column } })

/** The selected block, both ends included. */
export interface Block {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

export function blockOf({ row, column, anchor }: Cursor): Block {
  return {
    top: Math.min(row, anchor.row),
    bottom: Math.max(row, anchor.row),
    left: Math.max(1, Math.min(column, anchor.column)),
    right: Math.max(column, anchor.column),
  }
}

export const isInBlock = ({ top, bottom, left, right }: Block, row: number, column: number): boolean =>
  row >= top && row <= bottom && column >= left && column <= right

export interface Extent {
  readonly rows: number
  readonly columns: number
  readonly page: number
}

const STEPS: Readonly<
  Record<string, (position: CellPosition, extent: Extent, isWhole: boolean) => Partial<CellPosition>>
> = {
  ArrowUp: ({ row }, _, isWhole) => ({ row: isWhole ? 0 : row - 1 }),
  ArrowDown: ({ row }, { rows }, isWhole) => ({ row: isWhole ? rows - 1 : row + 1 }),
  ArrowLeft: ({ column }, _, isWhole) => ({ column: isWhole ? 0 : column - 1 }),
  ArrowRight: ({ column }, { columns }, isWhole) => ({ column: isWhole ? columns : column + 1 }),
  PageUp: ({ row }, { page }) => ({ row: row - page }),
  PageDown: ({ row }, { page }) => ({ row: row + page }),
  Home: (_, __, isWhole) => ({ column: 0, ...(isWhole && { row: 0 }) }),
  End: (_, { rows, columns }, isWhole) => ({ column: columns, ...(isWhole && { row: rows - 1 }) }),
}

/** The cursor after a key, or undefined if the key moves nothing. With `extends` the selected block grows. */
export function moveCursor(
  cursor: Cursor,
  { key, isWhole, extends: grows }: { key: string; isWhole: boolean; extends: boolean },
  extent: Extent,
): Cursor | undefined {
  const step = STEPS[key]
  if (!step) return undefined
  const to = { row: cursor.row, column: cursor.column, ...step(cursor, extent, isWhole) }
  const row = Math.max(0, Math.min(extent.rows - 1, to.row))
  const column = Math.max(0, Math.min(extent.columns, to.column))
  return grows ? { row, column, anchor: cursor.anchor } : cursorAt(row, column)
}
