import { useId, useState } from 'preact/hooks'
import { useDebouncedSearch } from '../../components/debounced-search.ts'
import { Button, ErrorText } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
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
import type { Structure, Value } from './model.ts'
import { currentOrder, ordersOf } from './orders.ts'
import { editText, inputKind, parseValue } from './values.ts'
import { conditions, searchText, setConditions } from './view.ts'

const TYPING_MS = 250

/** The conditions as chips, the form that adds one, and the search in every field. */
export function Filters({ structure }: { structure: Structure }) {
  const list = conditions()
  const columns = columnsOf(structure)
  return (
    <fieldset class="tools wraps" aria-label="Filters">
      {list.map((condition, place) => (
        <Chip
          key={`${place} ${JSON.stringify(condition)}`}
          id={`filter-${place}`}
          condition={condition}
          columns={columns}
          onChange={(changed) => setConditions(list.with(place, changed))}
          onRemove={() => setConditions(list.toSpliced(place, 1))}
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
      <FilterForm
        id="new-filter"
        columns={columns}
        onSave={(condition) => setConditions([...list, condition])}
      />
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
  readonly id: string
  readonly condition: Condition
  readonly columns: readonly Column[]
  readonly onChange: (condition: Condition) => void
  readonly onRemove: () => void
}

/** A condition; the chip opens what changes it. */
function Chip({ id, condition, columns, onChange, onRemove }: ChipProps) {
  const column = columns.find(({ key }) => key === condition.field)
  const label = column?.label ?? condition.field
  return (
    <>
      <span class="chip">
        <button type="button" class="what" popovertarget={id}>
          {label} {operatorWord(column?.type ?? '', condition.op)}{' '}
          {takesValue(condition.op) && <b>{showConditionValue(condition)}</b>}
          <Icon name="down" />
        </button>
        <button type="button" aria-label={`Remove filter: ${label}`} onClick={onRemove}>
          <Icon name="x" />
        </button>
      </span>
      <FilterForm id={id} columns={columns} condition={condition} onSave={onChange} />
    </>
  )
}

/** Searches while one types. */
function SearchField() {
  const field = useDebouncedSearch(searchText(), (q) => setParameters({ q }, { replace: true }), TYPING_MS)
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
  readonly id: string
  readonly columns: readonly Column[]
  /** The condition that is changed; without one a new one is made. */
  readonly condition?: Condition
  readonly onSave: (condition: Condition) => void
}

/** Makes or changes a condition; only the operators that the kind of the field allows are offered. */
function FilterForm({ id, columns, condition, onSave }: FilterFormProps) {
  const [key, setKey] = useState(condition?.field ?? columns[0]?.key ?? 'created_at')
  const [chosen, setChosen] = useState(condition?.op)
  const [error, setError] = useState<string>()
  const column = columns.find((one) => one.key === key) ?? columns[0]
  if (!column) return null
  const operators = operatorsOf(column.type)
  const op = chosen && operators.includes(chosen) ? chosen : (operators[0] ?? 'eq')
  const save = (form: HTMLFormElement) => {
    const texts = new FormData(form).getAll('value').map(String)
    const made = makeCondition(column, op, texts)
    setError('error' in made ? made.error : undefined)
    if ('error' in made) return
    form.hidePopover()
    form.reset()
    onSave(made)
  }
  return (
    <form
      popover="auto"
      id={id}
      class="menu filter-form"
      aria-label={condition ? 'Change the filter' : 'New filter'}
      onSubmit={(event) => {
        event.preventDefault()
        save(event.currentTarget)
      }}
    >
      <label class="field">
        <span>Field</span>
        <select
          class="input"
          name="field"
          value={column.key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        >
          {columns.map((one) => (
            <option key={one.key} value={one.key}>
              {one.label}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Condition</span>
        <select
          class="input"
          name="op"
          value={op}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          {operators.map((one) => (
            <option key={one} value={one}>
              {operatorWord(column.type, one)}
            </option>
          ))}
        </select>
      </label>
      {takesValue(op) && (
        <ValueField
          key={`${column.key} ${takesList(op)}`}
          column={column}
          isList={takesList(op)}
          held={column.key === condition?.field ? textsOf(condition.value) : []}
        />
      )}
      {error !== undefined && <ErrorText>{error}</ErrorText>}
      <Button kind="main" type="submit">
        {condition ? 'Save the filter' : 'Add filter'}
      </Button>
    </form>
  )
}

/** The values of a condition as they are edited. */
const textsOf = (value: unknown): readonly string[] =>
  [value].flat().flatMap((one) => (one === undefined ? [] : editText(one as Value)))

interface ValueFieldProps {
  readonly column: Column
  readonly isList: boolean
  /** What the condition has now. */
  readonly held: readonly string[]
}

function ValueField({ column, isList, held }: ValueFieldProps) {
  const id = useId()
  const options = column.type === 'bool' ? ['yes', 'no'] : column.options
  if (options && isList)
    return (
      <fieldset class="field checks">
        <legend>Values</legend>
        {options.map((option) => (
          <label key={option}>
            <input type="checkbox" name="value" value={option} defaultChecked={held.includes(option)} />{' '}
            {option}
          </label>
        ))}
      </fieldset>
    )
  return (
    <div class="field">
      <label for={id}>{isList ? 'Values, one a line' : 'Value'}</label>
      {options ? (
        <select class="input" id={id} name="value">
          {options.map((option) => (
            <option key={option} selected={held.includes(option)}>
              {option}
            </option>
          ))}
        </select>
      ) : isList ? (
        <textarea class="input" id={id} name="value" rows={4} required>
          {held.join('\n')}
        </textarea>
      ) : (
        <input
          class="input"
          id={id}
          name="value"
          {...inputKind(dayType(column.type))}
          defaultValue={held[0]}
          required
        />
      )}
    </div>
  )
}

/** Instants are compared by their day. */
const dayType = (type: string) => (type === 'instant' || type === 'datetime' ? 'date' : type)

type Made = Condition | { readonly error: string }

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
    if ('error' in parsed) return parsed
    if (parsed.value !== null) values.push(parsed.value)
  }
  if (values.length === 0) return { error: 'Give a value.' }
  return { field: column.key, op, value: takesList(op) ? values : values[0] }
}
