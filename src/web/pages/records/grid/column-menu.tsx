import { useRef } from 'preact/hooks'
import { search, setParameters } from '../../../router.ts'
import type { Field } from '../model.ts'
import { isGrouping, showColumns } from '../views/model.ts'
import type { GridState } from './state.ts'

export const COLUMN_MENU = 'column-menu'

type Entry = readonly [is: boolean, word: string, act: () => void]

/** What can be done with a column; the choices are the person's own until they are saved in a view. */
export function ColumnMenu({ grid, of }: { grid: GridState; of: string }) {
  const menu = useRef<HTMLDivElement>(null)
  const { structure, fields, columns } = grid
  const keys = fields.map(({ key }) => key)
  const place = keys.indexOf(of)
  const swap = (by: number) => showColumns(structure, keys.toSpliced(place, 1).toSpliced(place + by, 0, of))
  const sort = (direction: 'asc' | 'desc') => setParameters({ sort: of, direction })
  const isFrozen = place < columns.frozen
  const isGrouped = search.value.get('group') === of
  const mayGroup = place >= 0 && isGrouping(fields[place] as Field)
  const entries: readonly Entry[] = [
    [true, 'Sort upwards', () => sort('asc')],
    [true, 'Sort downwards', () => sort('desc')],
    [mayGroup && !isGrouped, 'Group by it', () => setParameters({ group: of })],
    [isGrouped, 'Ungroup', () => setParameters({ group: undefined })],
    [place > 0, 'Move to the left', () => swap(-1)],
    [place < keys.length - 1, 'Move to the right', () => swap(1)],
    [!isFrozen, 'Freeze up to here', () => columns.freeze(place + 1)],
    [isFrozen, 'Unfreeze', () => columns.freeze(place)],
    [
      keys.length > 1,
      'Hide the column',
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
      {place >= 0 &&
        entries
          .filter(([is]) => is)
          .map(([, word, act]) => (
            <button
              key={word}
              type="button"
              onClick={() => {
                menu.current?.hidePopover()
                act()
              }}
            >
              {word}
            </button>
          ))}
    </div>
  )
}
