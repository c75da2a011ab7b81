import { batch, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type OperatorName, takesValue } from '../../../filter/operators.ts'
import { operatorWords } from '../../../filter/words.ts'
import { useDebouncedSearch } from '../../components/debounced-search.ts'
import { Button } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { lazy } from '../../components/lazy.tsx'
import { type Column, type Condition, columnsOf, isTime } from '../../data/records/conditions.ts'
import { textsOf } from '../../data/records/filter-values.ts'
import type { Structure } from '../../data/records/model.ts'
import { search, setParameters } from '../../router.ts'
import type { GridState } from './grid/state.ts'
import { GroupChoice } from './group-choice.tsx'
import { currentOrder, ordersOf } from './orders.ts'
import { conditions, filteredField, searchColumn, searchText, setConditions } from './view.ts'

const ConditionEditor = lazy(async () => (await import('./filter-editor.tsx')).ConditionEditor)

const TYPING_MS = 250

interface FiltersProps {
  readonly structure: Structure
  /** Undefined where rows cannot be grouped, such as on a board. */
  readonly grid: GridState | undefined
}

/** The conditions as chips, which act while they are edited; the grouping, the order, and a search. */
export function Filters({ structure, grid }: FiltersProps) {
  const list = conditions()
  const columns = columnsOf(structure)
  // A filter without a value is a chip, and becomes a condition with its first value.
  const draft = useSignal<Filter | undefined>(undefined)
  const wanted = filteredField.value
  const begin = (field: string) => {
    draft.value = { field, index: conditions().length, condition: undefined }
  }
  useEffect(() => {
    if (wanted === undefined) return
    filteredField.value = undefined
    begin(wanted)
  }, [wanted])
  const filters = list.map((condition, index): Filter => ({ field: condition.field, index, condition }))
  if (draft.value) filters.splice(draft.value.index, 0, draft.value)
  const replace = ({ index, condition }: Filter, ...by: readonly Condition[]) =>
    batch(() => {
      draft.value = undefined
      setConditions(conditions().toSpliced(index, condition ? 1 : 0, ...by))
    })
  return (
    <fieldset class="tools wraps" aria-label="Filters">
      {filters.map((filter, at) => (
        <Chip
          // By field, so that the chip of a removed filter does not become the editor of the next one.
          key={`${filter.field} ${filters.slice(0, at).filter(({ field }) => field === filter.field).length}`}
          structure={structure}
          columns={columns}
          id={`filter-${at}`}
          filter={filter}
          onChange={(changed) => replace(filter, changed)}
          onEmpty={() =>
            batch(() => {
              replace(filter)
              draft.value = { ...filter, condition: undefined }
            })
          }
          onRemove={() => {
            replace(filter)
            focusNewFilter()
          }}
          onCancel={() => {
            if (draft.value === filter) draft.value = undefined
          }}
        />
      ))}
      <NewFilter columns={columns} onChoose={begin} />
      <Button
        kind="quiet"
        aria-pressed={search.value.get('chart') !== null}
        onClick={() => setParameters({ chart: search.value.get('chart') === null ? 'count' : undefined })}
      >
        <Icon name="chart" />
        Chart
      </Button>
      {grid && <GroupChoice grid={grid} />}
      <OrderChoice structure={structure} />
      <SearchField structure={structure} />
    </fieldset>
  )
}

interface Filter {
  readonly field: string
  /** Of its condition among all, or where it is inserted. */
  readonly index: number
  /** Undefined without a value. */
  readonly condition: Condition | undefined
}

const focusNewFilter = () => document.querySelector<HTMLElement>('[popovertarget=new-filter]')?.focus()

/** A menu of the fields to filter by. */
function NewFilter({ columns, onChoose }: { columns: readonly Column[]; onChoose: (key: string) => void }) {
  const menu = useRef<HTMLDivElement>(null)
  return (
    <>
      <Button kind="quiet" popovertarget="new-filter">
        <Icon name="plus" />
        Filter
      </Button>
      <div
        ref={menu}
        popover="auto"
        id="new-filter"
        class="menu scrolls"
        onToggle={({ newState }) => newState === 'open' && menu.current?.querySelector('button')?.focus()}
      >
        {columns.map(({ key, label }) => (
          <button
            key={key}
            type="button"
            onClick={() => {
              menu.current?.hidePopover()
              onChoose(key)
            }}
          >
            {label}
          </button>
        ))}
      </div>
    </>
  )
}

/** The sort order. */
function OrderChoice({ structure }: { structure: Structure }) {
  const orders = ordersOf(structure)
  const { words } = currentOrder(structure)
  return (
    <select
      class="input order"
      aria-label="Sort rows"
      value={words}
      onChange={({ currentTarget }) => {
        const { sort, direction } = orders[currentTarget.selectedIndex] ?? {}
        setParameters({ sort, direction: sort === undefined && direction === 'asc' ? undefined : direction })
      }}
    >
      {orders.map((order) => (
        <option key={order.words} value={order.words}>
          {order.words}
        </option>
      ))}
    </select>
  )
}

interface ChipProps {
  readonly structure: Structure
  readonly columns: readonly Column[]
  readonly id: string
  readonly filter: Filter
  readonly onChange: (condition: Condition) => void
  /** Called when the last value is removed; the filter can get another one. */
  readonly onEmpty: () => void
  readonly onRemove: () => void
  /** Called when the editor of a filter without a value is closed. */
  readonly onCancel: () => void
}

/** A condition; the chip opens its editor. */
function Chip({ structure, columns, id, filter, onChange, onEmpty, onRemove, onCancel }: ChipProps) {
  const { field, index, condition } = filter
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const column = columns.find(({ key }) => key === field)
  const label = column?.label ?? field
  useLayoutEffect(() => {
    if (!condition) button.current?.click()
  }, [])
  return (
    <>
      <span class="chip">
        <button ref={button} type="button" class="what" popovertarget={id}>
          {label} {condition && <ConditionText column={column} condition={condition} />}
          <Icon name="down" />
        </button>
        <button type="button" aria-label={`Remove filter: ${label}`} onClick={onRemove}>
          <Icon name="x" />
        </button>
      </span>
      <div
        popover="auto"
        id={id}
        class="menu filter-form"
        role="dialog"
        aria-label={`Filter: ${label}`}
        onToggle={({ newState }) => {
          setOpen(newState === 'open')
          if (newState === 'open' || condition) return
          if (document.activeElement === button.current) focusNewFilter()
          onCancel()
        }}
      >
        {isOpen && column && (
          <ConditionEditor
            structure={structure}
            column={column}
            condition={condition}
            index={index}
            onChange={onChange}
            onEmpty={onEmpty}
            onRemove={onRemove}
          />
        )}
      </div>
    </>
  )
}

function ConditionText({
  column,
  condition: { op, value },
}: {
  column: Column | undefined
  condition: Condition
}) {
  const texts = textsOf(column, value)
  const isSingle = texts.length === 1
  const words =
    isSingle && op === 'in'
      ? 'is'
      : isSingle && op === 'not_in'
        ? 'is not'
        : operatorWords(op as OperatorName, isTime(column?.type ?? ''))
  return (
    <>
      {words} {takesValue(op) && <b>{texts.join(', ')}</b>}
    </>
  )
}

/** Searches all fields, or one of the text fields. */
function SearchField({ structure }: { structure: Structure }) {
  const field = useDebouncedSearch(searchText(), (q) => setParameters({ q }, { replace: true }), TYPING_MS)
  const texts = structure.fields.filter(({ type }) => type === 'text')
  return (
    <search class="search-field">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        maxLength={200}
        aria-label={searchColumn(structure) ? 'Search one field' : 'Search all fields'}
        placeholder="Search rows"
        {...field}
      />
      {texts.length > 0 && (
        <select
          class="input in-field"
          aria-label="Search in"
          value={searchColumn(structure) ?? ''}
          onChange={({ currentTarget }) =>
            setParameters({ in: currentTarget.value || undefined }, { replace: true })
          }
        >
          <option value="">All fields</option>
          {texts.map(({ key, label }) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
      )}
    </search>
  )
}
