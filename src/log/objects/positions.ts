import { and, between, count, eq, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { from, rowsBy, update, updateOf, valueBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Shifted } from '../log.ts'

interface Placed {
  readonly pk: number
  readonly position: number
}

export type OrderedTable = SQLiteTable & Record<'pk' | 'id' | 'workspace' | 'position', SQLiteColumn>

/**
 * The order of the rows of a table. `position` counts from 0 without gaps within a workspace, or within the value of
 * another column.
 */
export class Positions {
  /** The number of ordered rows, which is also the position of the next row. */
  readonly endOf
  readonly #place
  readonly #shift

  constructor(table: OrderedTable, within: SQLiteColumn = table.workspace) {
    const { pk, position } = table
    const isIn = (key: number) => eq(within, key)
    this.endOf = valueBy((key: number) => from(table, { value: count() }).where(isIn(key)))
    this.#place = updateOf<SQLiteTable>(table, pk)
    this.#shift = rowsBy((step: number, key: number, first: number, last: number) =>
      update(
        table,
        { position: sql`${position} + ${step}` },
        and(isIn(key), between(position, first, last)),
      ).returning({ id: table.id, position }),
    )
  }

  /**
   * Moves a row to a position; a position beyond the end means the end. The rows between the old and the new position
   * shift by one and are returned. Undefined if the row is already there.
   */
  move(reader: Reader, within: number, row: Placed, wanted: number): Shifted[] | undefined {
    const position = Math.min(wanted, this.endOf(reader, within) - 1)
    if (position === row.position) return undefined
    const shifted =
      position < row.position
        ? this.#shifted(reader, within, position, row.position - 1, 1)
        : this.#shifted(reader, within, row.position + 1, position, -1)
    this.#place(reader, row.pk, { position })
    return shifted
  }

  /** Closes the gap of a deleted row; returns the rows after it. */
  closeGap = (reader: Reader, within: number, position: number): Shifted[] =>
    this.#shifted(reader, within, position + 1, Number.MAX_SAFE_INTEGER, -1)

  /** Shifts the rows from `first` to `last`, both included, by one. */
  #shifted(reader: Reader, within: number, first: number, last: number, step: 1 | -1): Shifted[] {
    const rows = this.#shift(reader, step, within, first, last) as { id: string; position: number }[]
    return rows.map(({ id, position }) => ({ id, before: position - step }))
  }
}
