import type { Signal } from '@preact/signals'
import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact'
import { Icon } from '../../../components/icon.tsx'
import type { Field } from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { search } from '../../../router.ts'
import { toggleSort } from '../view.ts'
import { startDrag } from '../views/drag.ts'
import { showColumns } from '../views/model.ts'
import { COLUMN_MENU } from './column-menu.tsx'
import type { Columns } from './columns.ts'
import { type FrozenStarts, frozenAt } from './frozen.ts'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

interface HeadProps {
  readonly grid: GridState
  readonly starts: FrozenStarts
  /** The key of the column whose menu is open. */
  readonly menuOf: Signal<string>
  /** Adds a field. */
  readonly onAdd: () => void
}

/** The column headings: click to sort, drag to move, drag the edge to resize. */
export function Head({ grid, starts, menuOf, onAdd }: HeadProps) {
  const { mayWrite } = useRowRights(grid.structure.id)
  const sort = search.value.get('sort')
  const isAscending = search.value.get('direction') === 'asc'
  return (
    <thead {...ROLES.group}>
      <tr {...ROLES.row} aria-rowindex={1}>
        <th {...ROLES.heading} class="margin" scope="col">
          Row
        </th>
        {grid.fields.map(({ key, type, label, unit }, index) => (
          <th
            key={key}
            {...ROLES.heading}
            {...frozenAt(starts, index, type === 'number' || type === 'rollup' ? 'number' : '')}
            scope="col"
            data-drop={key}
            aria-sort={sort === key ? (isAscending ? 'ascending' : 'descending') : undefined}
          >
            <button
              type="button"
              title={label}
              onClick={() => type !== 'rollup' && toggleSort(key)}
              onKeyDown={openMenu}
              onPointerDown={(event) => startDrag(event, (target) => move(grid, key, target))}
            >
              <span class="cut">{unit === null ? label : `${label}, ${unit}`}</span>
              {sort === key && <Icon name={isAscending ? 'up' : 'down'} />}
            </button>
            <button
              type="button"
              class="column-button"
              tabIndex={-1}
              popovertarget={COLUMN_MENU}
              aria-label={`Column ${label}`}
              onClick={() => (menuOf.value = key)}
            >
              <Icon name="down" />
            </button>
            <Resizer field={grid.fields[index] as Field} columns={grid.columns} />
          </th>
        ))}
        {mayWrite && (
          <td {...ROLES.heading} class="add-field">
            <button type="button" aria-label="New field" title="New field" onClick={onAdd}>
              <Icon name="plus" />
            </button>
          </td>
        )}
      </tr>
    </thead>
  )
}

/** Alt and Arrow Down open the menu of the column, as in a select. */
function openMenu(event: TargetedKeyboardEvent<HTMLElement>): void {
  if (!event.altKey || event.key !== 'ArrowDown') return
  event.preventDefault()
  event.currentTarget.parentElement?.querySelector<HTMLElement>('.column-button')?.click()
}

/** Moves a column to the position of another. */
function move({ structure, fields }: GridState, key: string, target: string): void {
  const keys = fields.map((field) => field.key)
  const to = keys.indexOf(target)
  if (to < 0 || key === target) return
  showColumns(structure, keys.toSpliced(keys.indexOf(key), 1).toSpliced(to, 0, key))
}

const STEP_PX = 16

/** Sets the width of a column by dragging or with the arrow keys. A double click resets it. */
function Resizer({ field, columns }: { field: Field; columns: Columns }) {
  const drag = (event: TargetedPointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    const handle = event.currentTarget
    const from = event.clientX
    const width = handle.parentElement?.getBoundingClientRect().width ?? columns.widthOf(field)
    const sign = getComputedStyle(handle).direction === 'rtl' ? -1 : 1
    handle.setPointerCapture(event.pointerId)
    handle.onpointermove = ({ clientX }) => columns.setWidth(field, width + sign * (clientX - from))
    handle.onlostpointercapture = () => {
      handle.onpointermove = null
    }
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: <hr> cannot have a value.
    <span
      class="resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${field.label}`}
      aria-valuenow={columns.widthOf(field)}
      tabIndex={0}
      onPointerDown={drag}
      onDblClick={() => columns.resetWidth(field)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX }[event.key]
        if (by === undefined) return
        event.preventDefault()
        columns.setWidth(field, columns.widthOf(field) + by)
      }}
    />
  )
}
