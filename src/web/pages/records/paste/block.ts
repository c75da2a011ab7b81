import { pastedCells } from '../grid/clipboard.ts'
import { blockOf } from '../grid/cursor.ts'
import type { GridState } from '../grid/state.ts'
import type { Field } from '../model.ts'
import { parseValue } from '../values.ts'

/** Values of a row by their keys; null is none. */
export type Data = Record<string, string | number | boolean | null>

/** A block is one transaction, in which the API takes this many rows. */
const MOST_ROWS = 1_000

/** A block from the clipboard, before it is written. */
export interface Pasted {
  readonly cells: readonly (readonly string[])[]
  /** The row and the column of its first cell. */
  readonly row: number
  readonly column: number
  /** The id of that row, unless it was not known yet. */
  readonly id: string | undefined
  /** Which paste it is: they are counted. */
  readonly number: number
}

let count = 0

/** What was pasted. A single cell is written at once; a block asks first where it goes. */
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

/** Why a block is not written; `row` and `field` say where in it the fault is. */
export class BlockRefused extends Error {
  constructor(
    /** The sentence without the row. */
    readonly detail: string,
    readonly row?: number,
    readonly field?: Field,
  ) {
    super(row === undefined ? detail : `Row ${row + 1}: ${detail}`)
  }
}

/** The cells of the block as data of rows; throws where one does not fit its field. */
export function dataOf(
  fields: readonly Field[],
  { cells, column }: Pick<Pasted, 'cells' | 'column'>,
): Data[] {
  const targets = fields.slice(column - 1)
  if (cells.length > MOST_ROWS)
    throw new BlockRefused(`A block has up to ${MOST_ROWS} rows; import a csv file for more.`)
  return cells.map((line, row) => {
    if (line.length > targets.length)
      throw new BlockRefused(
        `The block has ${line.length} columns, but only ${targets.length} fields begin here.`,
      )
    const values = targets.slice(0, line.length).map((field, place) => {
      const parsed = parseValue(field, line[place] ?? '')
      if ('error' in parsed) throw new BlockRefused(parsed.error, row, field)
      return [field.key, parsed.value] as const
    })
    return Object.fromEntries(values)
  })
}
