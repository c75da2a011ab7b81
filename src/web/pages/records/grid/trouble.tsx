import { Button } from '../../../components/form.tsx'
import type { CellState } from '../edits.ts'
import type { Field, Row } from '../model.ts'
import { RefusalText } from '../refusal-text.tsx'
import { editText, showValue } from '../values.ts'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

interface TroubleProps {
  readonly grid: GridState
  readonly row: Row
  readonly field: Field
  readonly state: CellState
}

const shown = (field: Field, value: Row['data'][string]) =>
  value === undefined ? 'no value' : showValue(field, value)

/** The row below a cell that was not saved: why, what the row holds, and the ways on. */
export function TroubleRow({ grid, row, field, state }: TroubleProps) {
  const held = row.data[field.key]
  const back = () => {
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
                <RefusalText sentence={state.error} /> The row still holds {shown(field, held)}.
              </span>
              <Button onClick={back}>
                {held === undefined ? 'Leave it empty' : `Put ${editText(held)} back`}
              </Button>
              <kbd>Esc</kbd>
            </>
          )}
          {state.kind === 'conflict' && (
            <>
              <span class="why" id={`no-${row.id}`} role="alert">
                Somebody else set {field.label} to <b>{shown(field, state.theirs)}</b> meanwhile; you wrote{' '}
                <b>{shown(field, state.value)}</b>.
              </span>
              <Button onClick={back}>Keep {shown(field, state.theirs)}</Button>
              <Button
                onClick={() => {
                  back()
                  void grid.edits.write(row, field, state.value)
                }}
              >
                Write {shown(field, state.value)}
              </Button>
            </>
          )}
        </div>
      </td>
    </tr>
  )
}
