import { useId, useState } from 'preact/hooks'
import { useDebouncedSearch } from '../../components/debounced-search.ts'
import { Button, ErrorText } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import {
  type Column,
  type Condition,
  columnsOf,
  operatorLabel,
  operatorsOf,
  showConditionValue,
  takesList,
  takesValue,
} from '../../data/records/conditions.ts'
import type { Structure, Value } from '../../data/records/model.ts'
import { editText, inputKind, parseValue } from '../../data/records/values.ts'
import { search, setParameters } from '../../router.ts'
import { currentOrder, ordersOf } from './orders.ts'
import { conditions, searchText, setConditions } from './view.ts'

const TYPING_MS = 250

/** The conditions as chips, a form to add one, and a search over all fields. */
export function Filters({ structure }: { structure: Structure }) {
  const list = conditions()
  const columns = columnsOf(structure)
  return (
    <fieldset class="tools wraps" aria-label="Filters">
      {list.map((condition, index) => (
        <Chip
          key={`${index} ${JSON.stringify(condition)}`}
          id={`filter-${index}`}
          condition={condition}
          columns={columns}
          onChange={(changed) => setConditions(list.with(index, changed))}
          onRemove={() => setConditions(list.toSpliced(index, 1))}
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

/** The sort order, for phones, which show no column headings. */
function OrderChoice({ structure }: { structure: Structure }) {
  const orders = ordersOf(structure)
  const { words } = currentOrder(structure)
  return (
    <select
      class="input phone"
      aria-label="Sort rows"
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

/** A condition; the chip opens its form. */
function Chip({ id, condition, columns, onChange, onRemove }: ChipProps) {
  const column = columns.find(({ key }) => key === condition.field)
  const label = column?.label ?? condition.field
  return (
    <>
      <span class="chip">
        <button type="button" class="what" popovertarget={id}>
          {label} {operatorLabel(column?.type ?? '', condition.op)}{' '}
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

function SearchField() {
  const field = useDebouncedSearch(searchText(), (q) => setParameters({ q }, { replace: true }), TYPING_MS)
  return (
    <search class="search-field">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        maxLength={200}
        aria-label="Search all fields"
        placeholder="Search rows"
        {...field}
      />
    </search>
  )
}

interface FilterFormProps {
  readonly id: string
  readonly columns: readonly Column[]
  /** The condition to edit; undefined to create one. */
  readonly condition?: Condition
  readonly onSave: (condition: Condition) => void
}

/** Creates or edits a condition, with the operators that the field type allows. */
function FilterForm({ id, columns, condition, onSave }: FilterFormProps) {
  const [key, setKey] = useState(condition?.field ?? columns[0]?.key ?? 'created_at')
  const [selectedOp, setSelectedOp] = useState(condition?.op)
  const [error, setError] = useState<string>()
  const column = columns.find((known) => known.key === key) ?? columns[0]
  if (!column) return null
  const operators = operatorsOf(column.type)
  const op = selectedOp && operators.includes(selectedOp) ? selectedOp : (operators[0] ?? 'eq')
  const save = (form: HTMLFormElement) => {
    const texts = new FormData(form).getAll('value').map(String)
    const entered = parseCondition(column, op, texts)
    setError('error' in entered ? entered.error : undefined)
    if ('error' in entered) return
    form.hidePopover()
    form.reset()
    onSave(entered)
  }
  return (
    <form
      popover="auto"
      id={id}
      class="menu filter-form"
      aria-label={condition ? 'Edit filter' : 'New filter'}
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
          {columns.map((option) => (
            <option key={option.key} value={option.key}>
              {option.label}
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
          onChange={({ currentTarget }) => setSelectedOp(currentTarget.value)}
        >
          {operators.map((option) => (
            <option key={option} value={option}>
              {operatorLabel(column.type, option)}
            </option>
          ))}
        </select>
      </label>
      {takesValue(op) && (
        <ValueField
          key={`${column.key} ${takesList(op)}`}
          column={column}
          isList={takesList(op)}
          current={column.key === condition?.field ? textsOf(condition.value) : []}
        />
      )}
      {error !== undefined && <ErrorText>{error}</ErrorText>}
      <Button kind="main" type="submit">
        {condition ? 'Save filter' : 'Add filter'}
      </Button>
    </form>
  )
}

/** The values of a condition as editable text. */
const textsOf = (value: unknown): readonly string[] =>
  [value].flat().flatMap((part) => (part === undefined ? [] : editText(part as Value)))

interface ValueFieldProps {
  readonly column: Column
  readonly isList: boolean
  /** The current values. */
  readonly current: readonly string[]
}

function ValueField({ column, isList, current }: ValueFieldProps) {
  const id = useId()
  const options = column.type === 'bool' ? ['yes', 'no'] : column.options
  if (options && isList)
    return (
      <fieldset class="field checks">
        <legend>Values</legend>
        {options.map((option) => (
          <label key={option}>
            <input type="checkbox" name="value" value={option} defaultChecked={current.includes(option)} />{' '}
            {option}
          </label>
        ))}
      </fieldset>
    )
  return (
    <div class="field">
      <label for={id}>{isList ? 'Values, one per line' : 'Value'}</label>
      {options ? (
        <select class="input" id={id} name="value">
          {options.map((option) => (
            <option key={option} selected={current.includes(option)}>
              {option}
            </option>
          ))}
        </select>
      ) : isList ? (
        <textarea class="input" id={id} name="value" rows={4} required>
          {current.join('\n')}
        </textarea>
      ) : (
        <input
          class="input"
          id={id}
          name="value"
          {...inputKind(dayType(column.type))}
          defaultValue={current[0]}
          required
        />
      )}
    </div>
  )
}

const dayType = (type: string) => (type === 'instant' || type === 'datetime' ? 'date' : type)

type Parsed = Condition | { readonly error: string }

/** Builds a condition from the form, or returns the error. Instants are compared by day. */
function parseCondition(column: Column, op: string, texts: readonly string[]): Parsed {
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
  if (values.length === 0) return { error: 'Enter a value.' }
  return { field: column.key, op, value: takesList(op) ? values : values[0] }
}
