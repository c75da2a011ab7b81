import type { RowData } from '../../../data/pending-actions.ts'
import type { Field } from '../../../data/records/model.ts'
import { parseValue } from '../../../data/records/values.ts'
import { pastedCells } from '../grid/clipboard.ts'
import { blockOf } from '../grid/cursor.ts'
import type { GridState } from '../grid/state.ts'

/** A block is written as one transaction, which the API limits to this many rows. */
const MAX_ROWS = 1_000

/** A pasted block that is not written yet. */
export interface Pasted {
  readonly cells: readonly (readonly string[])[]
  /** Position of its first cell. */
  readonly row: number
  readonly column: number
  /** Id of that row; undefined if it was not loaded. */
  readonly id: string | undefined
  /** Increases with every paste. */
  readonly number: number
}

let count = 0

/** Reads pasted text. A single cell is saved at once; a block is returned, to ask where it goes. */
export function readPasted(grid: GridState, text: string): Pasted | undefined {
  const cells = pastedCells(text)
  const { top, left } = blockOf(grid.cursor.peek())
  const [only] = cells
  const row = grid.source.row(top)
  const field = grid.fields[left - 1]
  if (cells.length === 1 && only?.length === 1 && row && field) {
    void grid.edits.save(row, field, only[0] ?? '')
    return undefined
  }
  return { cells, row: top, column: left, id: row?.id, number: ++count }
}

/** The refusal of a block; `row` and `field` locate the faulty cell. */
export class BlockRefused extends Error {
  constructor(
    /** The message without the row number. */
    readonly detail: string,
    readonly row?: number,
    readonly field?: Field,
  ) {
    super(row === undefined ? detail : `Row ${row + 1}: ${detail}`)
  }
}

/** Parses the cells of a block into row data; throws BlockRefused for an invalid cell. */
export function dataOf(
  fields: readonly Field[],
  { cells, column }: Pick<Pasted, 'cells' | 'column'>,
): RowData[] {
  const targets = fields.slice(column - 1)
  if (cells.length > MAX_ROWS)
    throw new BlockRefused(`You can paste up to ${MAX_ROWS} rows. Import a CSV file for more.`)
  return cells.map((line, row) => {
    if (line.length > targets.length)
      throw new BlockRefused(
        `The block has ${line.length} columns, but there are only ${targets.length} fields from here on.`,
      )
    const values = targets.slice(0, line.length).map((field, index) => {
      const parsed = parseValue(field, line[index] ?? '')
      if ('error' in parsed) throw new BlockRefused(parsed.error, row, field)
      return [field.key, parsed.value] as const
    })
    return Object.fromEntries(values)
  })
}
