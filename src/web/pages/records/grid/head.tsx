import type { TargetedPointerEvent } from 'preact'
import { Icon } from '../../../components/icon.tsx'
import { search } from '../../../router.ts'
import type { Field } from '../model.ts'
import { toggleSort } from '../view.ts'
import type { ColumnWidths } from './columns.ts'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

/** The names of the columns, which sort by a click, and at their ends what makes them wider. */
export function Head({ grid, widths }: { grid: GridState; widths: ColumnWidths }) {
  const sort = search.value.get('sort')
  const isUp = search.value.get('direction') === 'asc'
  return (
    <thead {...ROLES.group}>
      <tr {...ROLES.row} aria-rowindex={1}>
        <th {...ROLES.heading} class="margin" scope="col">
          Row
        </th>
        {grid.fields.map((field) => {
          const { key, type, label, unit } = field
          return (
            <th
              key={key}
              {...ROLES.heading}
              scope="col"
              class={type === 'number' ? 'number' : undefined}
              aria-sort={sort === key ? (isUp ? 'ascending' : 'descending') : undefined}
            >
              <button type="button" title={label} onClick={() => toggleSort(key)}>
                <span class="cut">{unit === null ? label : `${label}, ${unit}`}</span>
                {sort === key && <Icon name={isUp ? 'up' : 'down'} />}
              </button>
              <Resizer field={field} widths={widths} />
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

const STEP_PX = 16

/** Dragged, or moved with the arrow keys, it sets the width of the column; a double click takes the choice back. */
function Resizer({ field, widths }: { field: Field; widths: ColumnWidths }) {
  const drag = (event: TargetedPointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    const handle = event.currentTarget
    const from = event.clientX
    const width = handle.parentElement?.getBoundingClientRect().width ?? widths.of(field)
    const sign = getComputedStyle(handle).direction === 'rtl' ? -1 : 1
    handle.setPointerCapture(event.pointerId)
    handle.onpointermove = ({ clientX }) => widths.set(field, width + sign * (clientX - from))
    handle.onlostpointercapture = () => {
      handle.onpointermove = null
    }
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that is moved has a value, which <hr> has not.
    <span
      class="resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${field.label}`}
      aria-valuenow={widths.of(field)}
      tabIndex={0}
      onPointerDown={drag}
      onDblClick={() => widths.reset(field)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX }[event.key]
        if (by === undefined) return
        event.preventDefault()
        widths.set(field, widths.of(field) + by)
      }}
    />
  )
}
