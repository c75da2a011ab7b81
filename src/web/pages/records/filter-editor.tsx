import { useLayoutEffect, useState } from 'preact/hooks'
import { useDebouncedSearch } from '../../components/debounced-search.ts'
import { Button, ErrorText } from '../../components/form.tsx'
import {
  type Column,
  type Condition,
  operatorLabel,
  operatorsOf,
  takesList,
  takesValue,
} from '../../data/records/conditions.ts'
import type { Structure, Value } from '../../data/records/model.ts'
import { editText, inputKind } from '../../data/records/values.ts'
import { dayType, ME, parseFilterValue } from './filter-values.ts'
import { ValueList } from './value-list.tsx'

const TYPING_MS = 300

/** Operators that a list of one value replaces, except where values are ordered. */
const AS_LIST: Readonly<Record<string, string>> = { eq: 'in', neq: 'not_in' }
const ORDERED: ReadonlySet<string> = new Set(['number', 'date', 'time', 'datetime', 'instant', 'bool'])

/** The operators that are offered: one for each meaning. */
function offeredOperators({ type }: Column): readonly string[] {
  const all = operatorsOf(type)
  return ORDERED.has(type)
    ? all.filter((op) => op !== 'in' && op !== 'not_in')
    : all.filter((op) => AS_LIST[op] === undefined)
}

interface EditorProps {
  readonly structure: Structure
  readonly column: Column
  readonly condition: Condition | undefined
  /** Of the condition among all of the filter. */
  readonly index: number
  readonly onChange: (condition: Condition) => void
  /** Called when the last value is removed. */
  readonly onEmpty: () => void
  readonly onRemove: () => void
}

/** Edits a condition; each change acts at once. */
export function ConditionEditor({
  structure,
  column,
  condition,
  index,
  onChange,
  onEmpty,
  onRemove,
}: EditorProps) {
  const operators = offeredOperators(column)
  const known =
    condition && (ORDERED.has(column.type) ? condition.op : (AS_LIST[condition.op] ?? condition.op))
  const [op, setOp] = useState(known ?? operators[0] ?? 'eq')
  const values = [condition?.value].flat().filter((value) => value !== undefined)
  // The popover is open before its content is loaded, so that the browser has focused nothing in it.
  useLayoutEffect(() => {
    const popover = document.querySelector('.filter-form:popover-open')
    const first = popover?.querySelector<HTMLElement>('[autofocus]') ?? popover?.querySelector('select')
    first?.focus()
  }, [])
  const apply = (nextOp: string, next: readonly unknown[]) => {
    if (!takesValue(nextOp)) return onChange({ field: column.key, op: nextOp })
    if (next.length === 0) return condition && onEmpty()
    // "me" is no value of a list.
    if (next[0] === ME && column.field?.type === 'user')
      return onChange({ field: column.key, op: nextOp === 'not_in' ? 'neq' : 'eq', value: ME })
    onChange({ field: column.key, op: nextOp, value: takesList(nextOp) ? next : next[0] })
  }
  return (
    <>
      <div class="line">
        <select
          class="input bare"
          name="op"
          aria-label="Condition"
          value={op}
          onChange={({ currentTarget: { value: selected } }) => {
            setOp(selected)
            if (!takesValue(selected) || values.length > 0) apply(selected, values)
          }}
        >
          {(operators.includes(op) ? operators : [op, ...operators]).map((option) => (
            <option key={option} value={option}>
              {operatorLabel(column.type, option)}
            </option>
          ))}
        </select>
        <span class="grow" />
        {condition && (
          <Button kind="quiet" onClick={onRemove}>
            Clear
          </Button>
        )}
      </div>
      {column.type === 'bool' && takesValue(op) && (
        <BoolValue value={values[0]} onChange={(value) => apply(op, [value])} />
      )}
      {column.type !== 'bool' && takesList(op) && (
        <ValueList
          structure={structure}
          column={column}
          selected={values}
          index={condition && index}
          onChange={(next) => apply(op, next)}
        />
      )}
      {column.type !== 'bool' && takesValue(op) && !takesList(op) && (
        <TypedValue
          key={op}
          column={column}
          value={values[0]}
          onChange={(value) => apply(op, value === null ? [] : [value])}
        />
      )}
    </>
  )
}

const ANSWERS = [
  [true, 'Yes'],
  [false, 'No'],
] as const

const BoolValue = ({ value, onChange }: { value: unknown; onChange: (value: boolean) => void }) => (
  <fieldset class="values" aria-label="Value">
    {ANSWERS.map(([answer, label]) => (
      <label key={label}>
        <input
          type="radio"
          name="value"
          autofocus={answer}
          checked={value === answer}
          onChange={() => onChange(answer)}
        />
        {label}
      </label>
    ))}
  </fieldset>
)

interface TypedValueProps {
  readonly column: Column
  readonly value: unknown
  /** Receives null for an empty text. */
  readonly onChange: (value: unknown) => void
}

/** One value to type; it acts after a pause in typing. */
function TypedValue({ column, value, onChange }: TypedValueProps) {
  const [error, setError] = useState<string>()
  // The text stays as it is typed: the value of "1.0" is 1, and "1.05" may follow.
  const [first] = useState(value === undefined ? '' : editText(value as Value))
  const field = useDebouncedSearch(
    first,
    (text) => {
      parseFilterValue(column, text).then(
        (parsed) => {
          setError('error' in parsed ? parsed.error : undefined)
          if (!('error' in parsed)) onChange(parsed.value)
        },
        (failure: Error) => setError(failure.message),
      )
    },
    TYPING_MS,
  )
  return (
    <>
      <input
        class="input"
        name="value"
        aria-label="Value"
        autofocus
        aria-invalid={error !== undefined}
        {...inputKind(dayType(column.type))}
        {...field}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
        }}
      />
      {error !== undefined && <ErrorText>{error}</ErrorText>}
    </>
  )
}
