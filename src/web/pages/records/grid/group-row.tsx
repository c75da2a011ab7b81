import { Icon } from '../../../components/icon.tsx'
import { counted, formatNumber } from '../../../data/formats.ts'
import { groupKey } from '../../../data/records/grouped-rows.ts'
import type { Group } from '../../../data/records/rows.ts'
import { ChoiceChip } from '../value-view.tsx'
import { valueLabel } from '../views/columns.ts'
import { ROLES } from './roles.ts'
import type { GridState } from './state.ts'

/** Collapses or expands a group. */
export function toggleGroup({ columns }: GridState, { value, isOpen }: Group): void {
  const name = groupKey(value)
  const others = columns.collapsed.filter((other) => other !== name)
  columns.collapse(isOpen ? [...others, name] : others)
}

interface GroupRowProps {
  readonly grid: GridState
  readonly group: Group
  readonly index: number
  readonly isTabRow: boolean
}

/** The heading of a group: its value and number of rows. */
export function GroupRow({ grid, group, index, isTabRow }: GroupRowProps) {
  const { column } = grid.cursor.value
  const { value, count, isOpen } = group
  const field = grid.structure.fields.find(({ key }) => key === grid.groupBy)
  const label = valueLabel(field, value)
  return (
    <tr {...ROLES.row} class="group" aria-rowindex={index + 2} aria-level={1} aria-expanded={isOpen}>
      <td
        {...ROLES.cell}
        class="margin"
        data-row={index}
        data-column={0}
        tabIndex={isTabRow && column === 0 ? 0 : -1}
      >
        {formatNumber(count)}
      </td>
      <td
        {...ROLES.cell}
        class="group-name"
        colSpan={grid.fields.length}
        data-row={index}
        data-column={Math.max(1, column)}
        tabIndex={isTabRow && column > 0 ? 0 : -1}
      >
        <span>
          <Icon name="down" />
          {field?.type === 'select' && typeof value === 'string' ? (
            <ChoiceChip field={field} value={value} />
          ) : (
            <b>{field?.type === 'bool' ? `${field.label}: ${label}` : label}</b>
          )}
          <span class="visually-hidden">{`, ${counted(count, 'row')}`}</span>
        </span>
      </td>
    </tr>
  )
}
