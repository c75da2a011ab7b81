import type { Row } from '../model.ts'
import { pickRows } from './picks.ts'
import type { GridState } from './state.ts'

interface PickBoxProps {
  readonly grid: GridState
  readonly row: Row
  readonly index: number
}

/** The box beside the number of a row; with Shift all rows from the cursor to here. */
export const PickBox = ({ grid, row, index }: PickBoxProps) => (
  <input
    type="checkbox"
    tabIndex={-1}
    aria-label={`Choose row ${index + 1}`}
    checked={grid.picked.value.has(row.id)}
    onClick={({ shiftKey, currentTarget }) => {
      pickRows(grid, shiftKey ? grid.cursor.peek().row : index, index, currentTarget.checked)
    }}
  />
)
