import { useState } from 'preact/hooks'
import { Button, Why } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { useTypedSearch } from '../../components/typed-search.ts'
import { search, setParameters } from '../../router.ts'
import {
  type Column,
  type Condition,
  columnsOf,
  operatorsOf,
  operatorWord,
  showConditionValue,
  takesList,
  takesValue,
} from './conditions.ts'
import type { Structure } from './model.ts'
import { currentOrder, ordersOf } from './orders.ts'
import { inputKind, parseValue } from './values.ts'
import { conditions, searchText, setConditions } from './view.ts'

const TYPING_MS = 250

/** The conditions as chips, the form that adds one, and the search in every field. */
export function Filters({ structure }: { structure: Structure }) {
  const list = conditions()
  const columns = columnsOf(structure)
  return (
    <fieldset class="tools" aria-label="Filters">
      {list.map((condition, place) => (
        <Chip
          key={`${condition.field} ${condition.op}`}
          condition={condition}
          column={columns.find(({ key }) => key === condition.field)}
          onRemove={() => setConditions(list.filter((_, other) => other !== place))}
        />
      ))}
      <Button kind="quiet" popovertarget="new-filter">
        <Icon name="plus" />
        Filter
      </Button>
      <Button
        kind="quiet"
        aria-pressed={search.value.get('chart') !== null}
        onClick={() => setParameters({ chart: search.value.get('chart') === null ? 'count' : undefined })}
      >
        <Icon name="chart" />
        Chart
      </Button>
      <OrderChoice structure={structure} />
      <SearchField />
      <FilterForm columns={columns} onAdd={(condition) => setConditions([...list, condition])} />
    </fieldset>
  )
}

/** The order of the rows on a phone, which shows no headings to click on. */
function OrderChoice({ structure }: { structure: Structure }) {
  const orders = ordersOf(structure)
  const { words } = currentOrder(structure)
  return (
    <select
      class="input phone"
      aria-label="Order of the rows"
      value={words}
      onChange={({ currentTarget }) => {
        const { sort, direction } = orders[currentTarget.selectedIndex] ?? {}
        setParameters({ sort, direction: sort === undefined && direction === 'desc' ? undefined : direction })
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
  readonly condition: Condition
  readonly column: Column | undefined
  readonly onRemove: () => void
}

function Chip({ condition, column, onRemove }: ChipProps) {
  const label = column?.label ?? condition.field
  return (
    <span class="chip">
      {label} {operatorWord(column?.type ?? '', condition.op)}
      {takesValue(condition.op) && <b>{showConditionValue(condition)}</b>}
      <button type="button" aria-label={`Remove filter: ${label}`} onClick={onRemove}>
        <Icon name="x" />
      </button>
    </span>
  )
}

/** Searches while one types. */
function SearchField() {
  const field = useTypedSearch(searchText(), (q) => setParameters({ q }, { replace: true }), TYPING_MS)
  return (
    <search class="search-field">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        maxLength={200}
        aria-label="Search in every field of these rows"
        placeholder="Search these rows"
        {...field}
      />
    </search>
  )
}

interface FilterFormProps {
  readonly columns: readonly Column[]
  readonly onAdd: (condition: Condition) => void
}

/** Adds a condition; only the operators that the kind of the field allows are offered. */
function FilterForm({ columns, onAdd }: FilterFormProps) {
  const [key, setKey] = useState(columns[0]?.key ?? 'created_at')
  const [chosen, setChosen] = useState<string>()
  const [why, setWhy] = useState<string>()
  const column = columns.find((one) => one.key === key) ?? columns[0]
  if (!column) return null
  const operators = operatorsOf(column.type)
  const op = chosen && operators.includes(chosen) ? chosen : (operators[0] ?? 'eq')
  const add = (form: HTMLFormElement) => {
    const texts = new FormData(form).getAll('value').map(String)
    const made = makeCondition(column, op, texts)
    setWhy('why' in made ? made.why : undefined)
    if ('why' in made) return
    document.getElementById('new-filter')?.hidePopover()
    form.reset()
    onAdd(made)
  }
  return (
    <form
      popover="auto"
      id="new-filter"
      class="menu filter-form"
      aria-label="New filter"
      onSubmit={(event) => {
        event.preventDefault()
        add(event.currentTarget)
      }}
    >
      <div class="field">
        <label for="filter-field">Field</label>
        <select
          class="input"
          id="filter-field"
          value={column.key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        >
          {columns.map((one) => (
            <option key={one.key} value={one.key}>
              {one.label}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="filter-op">Condition</label>
        <select
          class="input"
          id="filter-op"
          value={op}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          {operators.map((one) => (
            <option key={one} value={one}>
              {operatorWord(column.type, one)}
            </option>
          ))}
        </select>
      </div>
      {takesValue(op) && (
        <ValueField key={`${column.key} ${takesList(op)}`} column={column} isList={takesList(op)} />
      )}
      {why !== undefined && <Why>{why}</Why>}
      <Button kind="main" type="submit">
        Add filter
      </Button>
    </form>
  )
}

function ValueField({ column, isList }: { column: Column; isList: boolean }) {
  const options = column.type === 'bool' ? ['yes', 'no'] : column.options
  if (options && isList)
    return (
      <fieldset class="field checks">
        <legend>Values</legend>
        {options.map((option) => (
          <label key={option}>
            <input type="checkbox" name="value" value={option} /> {option}
          </label>
        ))}
      </fieldset>
    )
  return (
    <div class="field">
      <label for="filter-value">{isList ? 'Values, one a line' : 'Value'}</label>
      {options ? (
        <select class="input" id="filter-value" name="value">
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : isList ? (
        <textarea class="input" id="filter-value" name="value" rows={4} required />
      ) : (
        <input class="input" id="filter-value" name="value" {...inputKind(dayType(column.type))} required />
      )}
    </div>
  )
}

/** Instants are compared by their day. */
const dayType = (type: string) => (type === 'instant' || type === 'datetime' ? 'date' : type)

type Made = Condition | { readonly why: string }

/** A condition from what was filled in; dates are compared as days. */
function makeCondition(column: Column, op: string, texts: readonly string[]): Made {
  if (!takesValue(op)) return { field: column.key, op }
  const parts = takesList(op)
    ? texts.flatMap((text) => text.split('\n')).filter((text) => text.trim() !== '')
    : texts
  const type = dayType(column.type)
  const values = []
  for (const part of parts) {
    const parsed = parseValue({ type, label: column.label }, part)
    if ('why' in parsed) return parsed
    if (parsed.value !== null) values.push(parsed.value)
  }
  if (values.length === 0) return { why: 'Give a value.' }
  return { field: column.key, op, value: takesList(op) ? values : values[0] }
}
