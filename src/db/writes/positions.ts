import type { Reader } from '../reader.ts'

/** The tables whose rows have a `position`, which counts from 0 within a workspace without gaps. */
export type OrderedTable = 'properties' | 'quick_access'

/** The position of a row that is being deleted; it is not part of the order. */
export const NO_POSITION = -1

/** A row that another one moved, with its position before. */
export interface Shifted {
  readonly id: string
  readonly before: number
}

interface Placed {
  pk: number
  position: number
}

/** How many rows the order has, which is also the position of the next one. */
export const endOf = ({ sql }: Reader, table: OrderedTable, workspace: number): number =>
  sql.scalar(`SELECT count(*) FROM ${table} WHERE workspace = ? AND position <> ${NO_POSITION}`, workspace)

/**
 * Moves a row to a position; a position beyond the end means the end. The rows between the old and the new position
 * shift by one, and are returned; undefined when the row is there already.
 */
export function moveTo(
  reader: Reader,
  table: OrderedTable,
  workspace: number,
  row: Placed,
  wanted: number,
): Shifted[] | undefined {
  const position = Math.min(wanted, endOf(reader, table, workspace) - 1)
  if (position === row.position) return undefined
  const shifted =
    position < row.position
      ? shift(reader, table, workspace, position, row.position - 1, 1)
      : shift(reader, table, workspace, row.position + 1, position, -1)
  reader.sql.run(`UPDATE ${table} SET position = ? WHERE pk = ?`, position, row.pk)
  return shifted
}

/** Closes the gap of a deleted row; returns the rows after it. */
export const closeGap = (
  reader: Reader,
  table: OrderedTable,
  workspace: number,
  position: number,
): Shifted[] => shift(reader, table, workspace, position + 1, Number.MAX_SAFE_INTEGER, -1)

/** Shifts by one the rows from `from` to `to`, both included. */
function shift(
  { sql }: Reader,
  table: OrderedTable,
  workspace: number,
  from: number,
  to: number,
  step: 1 | -1,
): Shifted[] {
  const rows = sql.rows<[id: string, position: number]>(
    `UPDATE ${table} SET position = position + ? WHERE workspace = ? AND position BETWEEN ? AND ?
     RETURNING id, position`,
    step,
    workspace,
    from,
    to,
  )
  return rows.map(([id, position]) => ({ id, before: position - step }))
}
