import type { Field, Row } from '../model.ts'
import { savingWords } from '../saving.ts'
import { ShownValue } from '../shown-value.tsx'
import { editText } from '../values.ts'
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
  /** Whether Tab leads to this row. */
  readonly isTabRow: boolean
  readonly place: string
  readonly starts: FrozenStarts
  readonly onClose: (row: Row, field: Field, closing: Closing, text: string) => void
}

/** A cell: its value, what was typed and is not saved yet, or the control that edits it. */
export function Cell({ grid, row, index, field, column, isTabRow, place, starts, onClose }: CellProps) {
  const state = grid.edits.of(row.id, field.key)
  const editing = grid.editing.value
  const isEdited = editing?.row.id === row.id && editing.key === field.key
  const cursor = grid.cursor.value
  const isHere = isTabRow && cursor.column === column
  const isMoved = grid.source.moved.value.get(row.id)?.has(field.key)
  const value = row.data[field.key]
  const isMany = cursor.anchor.row !== cursor.row || cursor.anchor.column !== cursor.column
  const block = blockOf(cursor)
  const isCorner = grid.isEditable && !editing && index === block.bottom && column === block.right
  const classes = [
    place,
    field.type === 'number' && 'number',
    value === undefined && !state && 'none',
    isMoved && !state && 'moved',
    isEdited && 'edited',
    isMany && isInBlock(block, index, column) && 'picked',
    isCorner && 'corner',
  ]
  return (
    <td
      {...ROLES.cell}
      {...frozenAt(starts, column - 1, classes.filter(Boolean).join(' '))}
      tabIndex={isHere ? 0 : -1}
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
        <ShownValue
          field={field}
          value={state?.kind === 'saving' ? state.value : value}
          onTick={grid.isEditable ? (ticked) => void grid.edits.write(row, field, ticked) : undefined}
        />
      )}
      {state?.kind === 'saving' && <span class="visually-hidden">, {savingWords()}</span>}
      {isCorner && <span class="fill-handle" aria-hidden="true" title="Drag to fill" />}
    </td>
  )
}
