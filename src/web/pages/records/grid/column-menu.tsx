import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ErrorText, useAction } from '../../../components/form.tsx'
import { lazy } from '../../../components/lazy.tsx'
import type { Field } from '../../../data/records/model.ts'
import { useRowRights } from '../../../data/records/row-rights.ts'
import { address, navigate, search, setParameters } from '../../../router.ts'
import { filterBy } from '../view.ts'
import { isGrouping, showColumns } from '../views/model.ts'
import type { FieldChange } from './field-dialog.tsx'
import type { GridState } from './state.ts'

const FieldDialog = lazy(async () => (await import('./field-dialog.tsx')).FieldDialog)

export const COLUMN_MENU = 'column-menu'

type Entry = readonly [isShown: boolean, label: string, act: () => void]

/** Actions on a column. Order, width and visibility affect only this user until they are saved in a view. */
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
  const dialog = useSignal<FieldChange | undefined>(undefined)
  const { mayWrite } = useRowRights(structure.id)
  const isUsed = structure.record_count !== 0
  const remove = useAction(async () => {
    const { deleteField, hideField } = await import('../structure/change-fields.ts')
    await (isUsed ? hideField : deleteField)(structure.id, of)
  })
  const entries: readonly Entry[] = [
    [mayWrite, 'Rename…', () => (dialog.value = { kind: 'rename', key: of })],
    [mayWrite, 'Type and options…', () => navigate(address(['records', structure.id, 'structure']))],
    [isSortable, 'Filter by this field', () => filterBy(of)],
    [isSortable, 'Sort A to Z', () => sort('asc')],
    [isSortable, 'Sort Z to A', () => sort('desc')],
    [mayGroup && !isGrouped, 'Group by this field', () => setParameters({ group: of })],
    [isGrouped, 'Ungroup', () => setParameters({ group: undefined })],
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
      </div>
    </>
  )
}
