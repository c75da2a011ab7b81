import { type Field, isComputed, type Row } from '../../../data/records/model.ts'
import { editText } from '../../../data/records/values.ts'
import { savingText } from '../saving.ts'
import { ValueView } from '../value-view.tsx'
import { blockOf, isInBlock } from './cursor.ts'
import { type Closing, Editor } from './editor.tsx'
import { type FrozenStarts, frozenAt } from './frozen.ts'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

interface CellProps {
  readonly grid: GridState
  readonly row: Row
  readonly index: number
  readonly field: Field
  readonly column: number
  /** True if this row has the tab stop. */
  readonly isTabRow: boolean
  readonly starts: FrozenStarts
  readonly onClose: (row: Row, field: Field, closing: Closing, text: string) => void
}

/** A cell: its value, its unsaved text, or the editor. */
export function Cell({ grid, row, index, field, column, isTabRow, starts, onClose }: CellProps) {
  const state = grid.edits.of(row.id, field.key)
  const editing = grid.editing.value
  const isEdited = editing?.row.id === row.id && editing.key === field.key
  const cursor = grid.cursor.value
  const isTabStop = isTabRow && cursor.column === column
  const isChangedByOthers = grid.source.changedCells.value.get(row.id)?.has(field.key)
  const value = row.data[field.key]
  const isRange = cursor.anchor.row !== cursor.row || cursor.anchor.column !== cursor.column
  const block = blockOf(cursor)
  const isCorner = grid.isEditable && !editing && index === block.bottom && column === block.right
  const classes = [
    (field.type === 'number' || field.type === 'rollup') && 'number',
    value === undefined && !state && 'none',
    isChangedByOthers && !state && 'moved',
    isEdited && 'edited',
    isRange && isInBlock(block, index, column) && 'picked',
    isCorner && 'corner',
  ]
  return (
    <td
      {...ROLES.cell}
      {...frozenAt(starts, column - 1, classes.filter(Boolean).join(' '))}
      tabIndex={isTabStop ? 0 : -1}
      data-row={index}
      data-column={column}
      aria-busy={state?.kind === 'saving' ? true : undefined}
      aria-invalid={state && state.kind !== 'saving' ? true : undefined}
      aria-describedby={state && state.kind !== 'saving' ? `no-${row.id}` : undefined}
    >
      {isEdited ? (
        <Editor
          field={field}
          text={editing.text ?? state?.text ?? editText(editing.row.data[field.key])}
          isTyped={editing.text !== undefined}
          onClose={(closing, text) => onClose(editing.row, field, closing, text)}
        />
      ) : state && (state.kind !== 'saving' || state.value === undefined) ? (
        state.text
      ) : (
        <ValueView
          field={field}
          value={state?.kind === 'saving' ? state.value : value}
          onTick={
            grid.isEditable && !isComputed(field)
              ? (ticked) => void grid.edits.write(row, field, ticked)
              : undefined
          }
        />
      )}
      {state?.kind === 'saving' && <span class="visually-hidden">, {savingText()}</span>}
      {isCorner && <span class="fill-handle" aria-hidden="true" title="Drag to fill" />}
    </td>
  )
}
