import type { Row } from '../../../data/records/model.ts'
import { selectRows } from './selection.ts'
import type { GridState } from './state.ts'

interface SelectBoxProps {
  readonly grid: GridState
  readonly row: Row
  readonly index: number
}

/** The checkbox beside a row number. With Shift it applies to all rows from the cursor to here. */
export const SelectBox = ({ grid, row, index }: SelectBoxProps) => (
  <input
    type="checkbox"
    tabIndex={-1}
    aria-label={`Select row ${index + 1}`}
    checked={grid.picked.value.has(row.id)}
    onClick={({ shiftKey, currentTarget }) => {
      selectRows(grid, shiftKey ? grid.cursor.peek().row : index, index, currentTarget.checked)
    }}
  />
)
