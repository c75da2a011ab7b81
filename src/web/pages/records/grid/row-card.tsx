import type { TargetedMouseEvent, TargetedPointerEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { valueText } from '../../../data/records/labels.ts'
import { type Field, type Row, rowLabel, titleKey, type Value } from '../../../data/records/model.ts'
import { ChoiceChip } from '../value-view.tsx'
import { openRow, rowAddress } from '../view.ts'
import { ROLES } from './roles.ts'
import { selectRows } from './selection.ts'
import { type GridState, levelOfRows } from './state.ts'

const MAX_VALUES = 3
const LONG_PRESS_MS = 500
/** A finger that moves further scrolls. */
const MAX_MOVE_PX = 10

interface RowCardProps {
  readonly grid: GridState
  readonly index: number
  readonly row: Row
  readonly classes: string
}

/** A row on a phone: its title and its first values with their labels. A tap opens it, a long press selects it. */
export function RowCard({ grid, index, row, classes }: RowCardProps) {
  const isPicked = grid.picked.value.has(row.id)
  const toggle = () => {
    if (grid.isEditable) selectRows(grid, index, index, !grid.picked.peek().has(row.id))
  }
  const { wasLong, handlers } = useLongPress(toggle)
  const onClick = (event: TargetedMouseEvent<HTMLElement>) => {
    if (wasLong()) event.preventDefault()
    else if (grid.picked.peek().size > 0) {
      event.preventDefault()
      toggle()
    }
  }
  return (
    <tr
      {...ROLES.row}
      aria-rowindex={index + 2}
      aria-selected={openRow() === row.id || isPicked}
      aria-level={levelOfRows(grid)}
      class={classes}
    >
      <td {...ROLES.cell}>
        <a
          class="row-card"
          href={rowAddress(row.id)}
          draggable={false}
          onClick={onClick}
          onKeyDown={(event) => {
            if (event.key !== ' ' || !event.shiftKey) return
            event.preventDefault()
            toggle()
          }}
          {...handlers}
        >
          <b class="cut" dir="auto">
            {rowLabel(grid.structure, row)}
          </b>
          <span class="cut">
            {valuesOf(grid, row).map(([field, value]) => (
              <CardValue key={field.key} field={field} value={value} />
            ))}
          </span>
        </a>
      </td>
    </tr>
  )
}

const CardValue = ({ field, value }: { field: Field; value: Value }) =>
  field.type === 'select' ? (
    <span>
      {[value].flat().map((choice) => (
        <ChoiceChip key={choice} field={field} value={String(choice)} />
      ))}
    </span>
  ) : (
    <span>
      <small>{field.label}</small> {valueText(field, value)}
    </span>
  )

/** The first fields with a value, besides the title; edits that are not saved yet included. */
function valuesOf({ structure, fields, edits }: GridState, row: Row): [Field, Value][] {
  const title = titleKey(structure, row)
  return fields
    .filter(({ key }) => key !== title)
    .map((field): [Field, Value] => {
      const state = edits.of(row.id, field.key)
      const edited = state?.kind === 'saving' ? state.value : state?.text
      return [field, state ? edited : row.data[field.key]]
    })
    .filter(([, value]) => value !== undefined && value !== '')
    .slice(0, MAX_VALUES)
}

function useLongPress(onLongPress: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const start = useRef({ x: 0, y: 0, isLong: false })
  const stop = () => clearTimeout(timer.current)
  useEffect(() => stop, [])
  return {
    wasLong: () => start.current.isLong,
    handlers: {
      onPointerDown: ({ clientX, clientY, pointerType }: TargetedPointerEvent<HTMLElement>) => {
        start.current = { x: clientX, y: clientY, isLong: false }
        if (pointerType !== 'touch') return
        timer.current = setTimeout(() => {
          start.current.isLong = true
          onLongPress()
        }, LONG_PRESS_MS)
      },
      onPointerMove: ({ clientX, clientY }: TargetedPointerEvent<HTMLElement>) => {
        const { x, y } = start.current
        if (Math.hypot(clientX - x, clientY - y) > MAX_MOVE_PX) stop()
      },
      onPointerUp: stop,
      onPointerCancel: stop,
      // The menu of the link would cover the selected card.
      onContextMenu: (event: Event) => start.current.isLong && event.preventDefault(),
    },
  }
}
