import type { Signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ErrorText, useAction } from '../../../components/form.tsx'
import { lazy } from '../../../components/lazy.tsx'
import { groupingOf, isGroupable, MAX_LEVELS } from '../../../data/records/grouping.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { setParameters } from '../../../router.ts'
import { orderWords } from '../orders.ts'
import { filterBy } from '../view.ts'
import { groupRows, showColumns } from '../views/model.ts'
import type { FieldChange } from './field-dialog.tsx'
import type { GridState } from './state.ts'
import { selectedSummary, summariesOf } from './summaries.ts'

const FieldDialog = lazy(async () => (await import('./field-dialog.tsx')).FieldDialog)

export const COLUMN_MENU = 'column-menu'

type Entry = readonly [isShown: boolean, label: string, act: () => void]

interface ColumnMenuProps {
  readonly grid: GridState
  readonly of: string
  /** The open dialog of a field. */
  readonly dialog: Signal<FieldChange | undefined>
}

/** Actions on a column. Order, width and visibility affect only this user until they are saved in a view. */
export function ColumnMenu({ grid, of, dialog }: ColumnMenuProps) {
  const menu = useRef<HTMLDivElement>(null)
  const { structure, fields, columns } = grid
  const keys = fields.map(({ key }) => key)
  const index = keys.indexOf(of)
  const swap = (by: number) => showColumns(structure, keys.toSpliced(index, 1).toSpliced(index + by, 0, of))
  const sort = (direction: 'asc' | 'desc') => setParameters({ sort: of, direction })
  const isFrozen = index < columns.frozen
  const { groupings } = grid
  const field = fields[index]
  const [up, down] = orderWords(field?.type ?? '')
  const isGrouped = groupings.some((grouping) => grouping.field.key === of)
  const isSortable = field?.type !== 'rollup' && !field?.multiple
  const { mayWrite } = useRowRights(structure.id)
  const isUsed = structure.record_count !== 0
  const remove = useAction(async () => {
    const { deleteField, hideField } = await import('../structure/change-fields.ts')
    await (isUsed ? hideField : deleteField)(structure.id, of)
  })
  const entries: readonly Entry[] = [
    [mayWrite, 'Rename…', () => (dialog.value = { kind: 'rename', key: of })],
    [mayWrite, 'Type and options…', () => (dialog.value = { kind: 'edit', key: of })],
    [field?.type !== 'rollup', 'Filter by this field', () => filterBy(of)],
    [isSortable, `Sort ${up}`, () => sort('asc')],
    [isSortable, `Sort ${down}`, () => sort('desc')],
    [
      field !== undefined && isGroupable(field) && !isGrouped,
      groupings.length === 1 ? 'Group by this field, too' : 'Group by this field',
      () => field && groupRows(structure, [...groupings.slice(0, MAX_LEVELS - 1), groupingOf(field)]),
    ],
    [
      isGrouped,
      'Ungroup',
      () =>
        groupRows(
          structure,
          groupings.filter((grouping) => grouping.field.key !== of),
        ),
    ],
    [index > 0, 'Move left', () => swap(-1)],
    [index < keys.length - 1, 'Move right', () => swap(1)],
    [mayWrite, 'Insert left…', () => (dialog.value = { kind: 'add', index })],
    [mayWrite, 'Insert right…', () => (dialog.value = { kind: 'add', index: index + 1 })],
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
    [
      mayWrite && structure.fields.length > 1,
      isUsed ? 'Hide for everyone' : 'Delete field',
      () => void remove.run(),
    ],
  ]
  return (
    <>
      {dialog.value && (
        <FieldDialog structure={structure} change={dialog.value} onClose={() => (dialog.value = undefined)} />
      )}
      {remove.refusal.value !== undefined && <ErrorText>{remove.refusal.value}</ErrorText>}
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
        {field && field.type !== 'rollup' && (
          <label class="field menu-field">
            <span>Summary</span>
            <select
              class="input"
              value={selectedSummary(grid, field)}
              onChange={({ currentTarget }) => columns.setSummary(field, currentTarget.value)}
            >
              <option value="">None</option>
              {Object.entries(summariesOf(field)).map(([name, { label }]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
    </>
  )
}
