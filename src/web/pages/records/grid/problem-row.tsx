import { Button } from '../../../components/form.tsx'
import type { CellState } from '../../../data/records/cell-drafts.ts'
import { valueText } from '../../../data/records/labels.ts'
import type { Field, Row } from '../../../data/records/model.ts'
import { RefusalText } from '../refusal-text.tsx'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

interface ProblemRowProps {
  readonly grid: GridState
  readonly row: Row
  readonly field: Field
  readonly state: CellState
}

/** Shown below a row with an unsaved cell: the error, the stored value, and buttons to resolve it. */
export function ProblemRow({ grid, row, field, state }: ProblemRowProps) {
  const stored = row.data[field.key]
  const discard = () => {
    grid.edits.drop(row.id, field.key)
    grid.isFocused.value = true
    grid.cursor.value = { ...grid.cursor.peek() }
  }
  return (
    <tr {...ROLES.row} class="note-row">
      <td {...ROLES.cell} colSpan={grid.fields.length + 1}>
        <div class="line">
          {state.kind === 'refused' && (
            <>
              <span class="why" id={`no-${row.id}`} role="alert">
                <RefusalText message={state.error} /> The stored value is {valueText(field, stored)}.
              </span>
              <Button onClick={discard}>
                {stored === undefined ? 'Clear' : `Restore ${valueText(field, stored)}`}
              </Button>
              <kbd>Esc</kbd>
            </>
          )}
          {state.kind === 'conflict' && (
            <>
              <span class="why" id={`no-${row.id}`} role="alert">
                Someone else changed {field.label} to <b>{valueText(field, state.theirs)}</b>. You entered{' '}
                <b>{valueText(field, state.value)}</b>.
              </span>
              <Button onClick={discard}>Keep {valueText(field, state.theirs)}</Button>
              <Button
                onClick={() => {
                  discard()
                  void grid.edits.write(row, field, state.value)
                }}
              >
                Use {valueText(field, state.value)}
              </Button>
            </>
          )}
        </div>
      </td>
    </tr>
  )
}
