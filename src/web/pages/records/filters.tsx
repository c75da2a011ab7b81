import { useEffect, useId, useState } from 'preact/hooks'
import { useDebouncedSearch } from '../../components/debounced-search.ts'
import { Button, ErrorText } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import {
  type Column,
  type Condition,
  columnsOf,
  operatorLabel,
  operatorsOf,
  takesList,
  takesValue,
} from '../../data/records/conditions.ts'
import { targetOf } from '../../data/records/labels.ts'
import { type Member, readMembers } from '../../data/records/members.ts'
import type { Structure, Value } from '../../data/records/model.ts'
import { isReference } from '../../data/records/references.ts'
import { readReference } from '../../data/records/suggestions.ts'
import { editText, inputKind, type Parsed, parseValue } from '../../data/records/values.ts'
import { search, setParameters } from '../../router.ts'
import { currentOrder, ordersOf } from './orders.ts'
import { conditions, filteredField, searchText, setConditions } from './view.ts'

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
          {takesValue(condition.op) && <b>{textsOf(column, condition.value).join(', ')}</b>}
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
  const wanted = filteredField.value
  useEffect(() => {
    if (condition || wanted === undefined) return
    filteredField.value = undefined
    setKey(wanted)
  }, [wanted, condition])
  const column = columns.find((known) => known.key === key) ?? columns[0]
  if (!column) return null
  const operators = operatorsOf(column.type)
  const op = operators.find((known) => known === selectedOp) ?? operators[0] ?? 'eq'
  const save = async (form: HTMLFormElement) => {
    const texts = new FormData(form).getAll('value').map(String)
    const entered = await parseCondition(column, op, texts).catch(({ message: error }: Error) => ({ error }))
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
        void save(event.currentTarget)
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
          current={column.key === condition?.field ? [condition.value].flat() : []}
        />
      )}
      {error !== undefined && <ErrorText>{error}</ErrorText>}
      <Button kind="main" type="submit">
        {condition ? 'Save filter' : 'Add filter'}
      </Button>
    </form>
  )
}

/** The values of a condition as editable text, references by label. */
const textsOf = (column: Column | undefined, value: unknown): readonly string[] =>
  [value].flat().flatMap((part) => {
    if (part === undefined) return []
    const { field } = column ?? {}
    const label = field && isReference(field) ? targetOf(field, String(part))?.label : undefined
    return label ?? editText(part as Value)
  })

interface ValueFieldProps {
  readonly column: Column
  readonly isList: boolean
  /** The current values. */
  readonly current: readonly unknown[]
}

/** The user of the caller, in conditions. */
const ME = { id: 'me', name: 'Me' }

/** The members of the workspace; undefined until they are read. */
function useMembers(): readonly Member[] | undefined {
  const [members, setMembers] = useState<readonly Member[]>()
  useEffect(() => {
    readMembers().then(setMembers, () => setMembers([]))
  }, [])
  return members
}

/** Selects members by name; former members that the condition names stay. */
function MemberField({ column, isList, current }: ValueFieldProps) {
  const id = useId()
  const members = useMembers()
  if (!members) return <p class="dim">Loading…</p>
  const known = isList ? members : [ME, ...members]
  const former = current.map(String).filter((value) => !known.some((member) => member.id === value))
  const all = [...known, ...former.map((value) => ({ id: value, name: textsOf(column, value).join() }))]
  if (isList)
    return (
      <fieldset class="field checks">
        <legend>Members</legend>
        {all.map((member) => (
          <label key={member.id}>
            <input
              type="checkbox"
              name="value"
              value={member.id}
              defaultChecked={current.includes(member.id)}
            />{' '}
            {member.name}
          </label>
        ))}
      </fieldset>
    )
  return (
    <div class="field">
      <label for={id}>Member</label>
      <select class="input" id={id} name="value">
        {all.map((member) => (
          <option key={member.id} value={member.id} selected={current.includes(member.id)}>
            {member.name}
          </option>
        ))}
      </select>
    </div>
  )
}

function ValueField({ column, isList, current: values }: ValueFieldProps) {
  const id = useId()
  if (column.field?.type === 'user') return <MemberField {...{ column, isList, current: values }} />
  const current = textsOf(column, values)
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

/** Builds a condition from the form, or returns the error. Instants are compared by day. */
async function parseCondition(
  column: Column,
  op: string,
  texts: readonly string[],
): Promise<Condition | { readonly error: string }> {
  if (!takesValue(op)) return { field: column.key, op }
  const parts = takesList(op)
    ? texts.flatMap((text) => text.split('\n')).filter((text) => text.trim() !== '')
    : texts
  const values = []
  for (const part of parts) {
    const parsed = await parsePart(column, part)
    if ('error' in parsed) return parsed
    if (parsed.value !== null) values.push(parsed.value)
  }
  if (values.length === 0) return { error: 'Enter a value.' }
  return { field: column.key, op, value: takesList(op) ? values : values[0] }
}

async function parsePart({ field, type, label }: Column, text: string): Promise<Parsed> {
  if (field?.type === 'user') return { value: text }
  if (!field || !isReference(field)) return parseValue({ type: dayType(type), label }, text)
  const { multiple: _, ...single } = field
  return readReference(single, text)
}
