import { targetOf } from '../labels.ts'
import type { Field, Row, Value } from '../model.ts'
import { isReference } from '../references.ts'
import { editText, showValue } from '../values.ts'
import { blockOf, isInBlock } from './cursor.ts'
import { type Closing, Editor } from './editor.tsx'
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
  readonly onClose: (row: Row, field: Field, closing: Closing, text: string) => void
}

/** A cell: its value, what was typed and is not saved yet, or the control that edits it. */
export function Cell({ grid, row, index, field, column, isTabRow, place, onClose }: CellProps) {
  const state = grid.edits.of(row.id, field.key)
  const editing = grid.editing.value
  const isEdited = editing?.row.id === row.id && editing.key === field.key
  const cursor = grid.cursor.value
  const isHere = isTabRow && cursor.column === column
  const isMoved = grid.source.moved.value.get(row.id)?.has(field.key)
  const value = row.data[field.key]
  const isMany = cursor.anchor.row !== cursor.row || cursor.anchor.column !== cursor.column
  const classes = [
    place,
    field.type === 'number' && 'number',
    value === undefined && !state && 'none',
    isMoved && !state && 'moved',
    isEdited && 'edited',
    isMany && isInBlock(blockOf(cursor), index, column) && 'picked',
  ]
  return (
    <td
      {...ROLES.cell}
      class={classes.filter(Boolean).join(' ')}
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
      ) : state ? (
        <Shown field={field} value={state.kind === 'saving' ? state.value : undefined} text={state.text} />
      ) : (
        <Shown field={field} value={value} text="" />
      )}
      {state?.kind === 'saving' && <span class="visually-hidden">, being saved</span>}
    </td>
  )
}

function Shown({ field, value, text }: { field: Field; value: Value; text: string }) {
  if (value === undefined) return <>{text}</>
  if (isReference(field)) return <Reference field={field} id={String(value)} />
  return <>{showValue(field, value)}</>
}

/** A reference opens what it names. */
export function Reference({ field, id }: { field: Field; id: string }) {
  const target = targetOf(field, id)
  if (!target) return <span class="dim">…</span>
  if (target.href === undefined) return <span class="dim">{target.label}</span>
  return (
    <a href={target.href} tabIndex={-1}>
      {target.label}
    </a>
  )
}
