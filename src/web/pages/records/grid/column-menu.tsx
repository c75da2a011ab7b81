import { useRef } from 'preact/hooks'
import type { Field } from '../../../data/records/model.ts'
import { search, setParameters } from '../../../router.ts'
import { isGrouping, showColumns } from '../views/model.ts'
import type { GridState } from './state.ts'

export const COLUMN_MENU = 'column-menu'

type Entry = readonly [isShown: boolean, label: string, act: () => void]

/** Actions on a column. They affect only this browser until they are saved in a view. */
export function ColumnMenu({ grid, of }: { grid: GridState; of: string }) {
  const menu = useRef<HTMLDivElement>(null)
  const { structure, fields, columns } = grid
  const keys = fields.map(({ key }) => key)
  const index = keys.indexOf(of)
  const swap = (by: number) => showColumns(structure, keys.toSpliced(index, 1).toSpliced(index + by, 0, of))
  const sort = (direction: 'asc' | 'desc') => setParameters({ sort: of, direction })
  const isFrozen = index < columns.frozen
  const isGrouped = search.value.get('group') === of
  const isSortable = fields[index]?.type !== 'rollup'
  const mayGroup = index >= 0 && isGrouping(fields[index] as Field)
  const entries: readonly Entry[] = [
    [isSortable, 'Sort A to Z', () => sort('asc')],
    [isSortable, 'Sort Z to A', () => sort('desc')],
    [mayGroup && !isGrouped, 'Group by this field', () => setParameters({ group: of })],
    [isGrouped, 'Ungroup', () => setParameters({ group: undefined })],
    [index > 0, 'Move left', () => swap(-1)],
    [index < keys.length - 1, 'Move right', () => swap(1)],
    [!isFrozen, 'Freeze up to here', () => columns.freeze(index + 1)],
    [isFrozen, 'Unfreeze', () => columns.freeze(index)],
    [
      keys.length > 1,
      'Hide column',
      () =>
        showColumns(
          structure,
          keys.filter((key) => key !== of),
        ),
    ],
  ]
  return (
    <div
      ref={menu}
      popover="auto"
      id={COLUMN_MENU}
      class="menu"
      onToggle={({ newState }) =>
        newState === 'open' && menu.current?.querySelector('button')?.focus({ preventScroll: true })
      }
    >
      {index >= 0 &&
        entries
          .filter(([isShown]) => isShown)
          .map(([, label, act]) => (
            <button
              key={label}
              type="button"
              onClick={() => {
                menu.current?.hidePopover()
                act()
              }}
            >
              {label}
            </button>
          ))}
    </div>
  )
}
