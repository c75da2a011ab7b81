import '../../components/typed-dates.ts'
import { useLayoutEffect, useState } from 'preact/hooks'
import { type OperatorName, type RowOperator, takesList, takesValue } from '../../../filter/operators.ts'
import { ConditionFields } from '../../components/conditions/condition-fields.tsx'
import type { FilterLanguage } from '../../components/conditions/language.ts'
import { rowFields } from '../../components/conditions/rows.ts'
import { useDebouncedSearch } from '../../components/debounced-search.ts'
import { Button, ErrorText } from '../../components/form.tsx'
import { type Column, type Condition, operatorsOf } from '../../data/records/conditions.ts'
import { dayType, ME, parseFilterValue } from '../../data/records/filter-values.ts'
import type { Structure, Value } from '../../data/records/model.ts'
import { typedText } from '../../data/records/typed-text.ts'
import { editText, inputKind } from '../../data/records/values.ts'
import { ValueList } from './value-list.tsx'

const TYPING_MS = 300

/** Operators that a list of one value replaces, except where values are ordered. */
const AS_LIST: Readonly<Partial<Record<OperatorName, RowOperator>>> = { eq: 'in', neq: 'not_in' }
const ORDERED: ReadonlySet<string> = new Set(['number', 'date', 'time', 'datetime', 'instant', 'bool'])

/** The operators that are offered: one for each meaning. */
function offeredOperators({ type }: Column): readonly RowOperator[] {
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

/** Edits a condition on one column; each change acts at once. The value of its draft is a list of values. */
export function ConditionEditor(props: EditorProps) {
  const { column, condition, onChange, onEmpty, onRemove } = props
  const stored = condition?.op as RowOperator | undefined
  const known = stored && !ORDERED.has(column.type) ? (AS_LIST[stored] ?? stored) : stored
  const [op, setOp] = useState<OperatorName>(known ?? offeredOperators(column)[0] ?? 'eq')
  const values = [condition?.value].flat().filter((value) => value !== undefined)
  // The popover is open before its content is loaded, so that the browser has focused nothing in it.
  useLayoutEffect(() => {
    const popover = document.querySelector('.filter-form:popover-open')
    const first = popover?.querySelector<HTMLElement>('[autofocus]') ?? popover?.querySelector('select')
    first?.focus()
  }, [])
  const apply = (nextOp: OperatorName, next: readonly unknown[]) => {
    setOp(nextOp)
    if (!takesValue(nextOp)) return onChange({ field: column.key, op: nextOp })
    if (next.length === 0) return condition && op === nextOp && onEmpty()
    // "me" is no value of a list.
    if (next[0] === ME && column.field?.type === 'user')
      return onChange({ field: column.key, op: nextOp === 'not_in' ? 'neq' : 'eq', value: ME })
    onChange({ field: column.key, op: nextOp, value: takesList(nextOp) ? next : next[0] })
  }
  return (
    <ConditionFields
      language={columnLanguage(props)}
      draft={{ field: column.key, op, value: values }}
      onChange={(draft) => apply(draft.op, draft.value as readonly unknown[])}
    >
      {condition && (
        <Button kind="quiet" onClick={onRemove}>
          Clear
        </Button>
      )}
    </ConditionFields>
  )
}

/** The language of a filter over rows, for one column. */
function columnLanguage({ structure, column, condition, index }: EditorProps): FilterLanguage {
  return {
    ...rowFields([column]),
    fields: [],
    operatorsOf: () => offeredOperators(column),
    valueFor: (_field, _op, before) => before,
    renderValue: ({ draft: { op, value }, onChange }) => {
      const values = value as readonly unknown[]
      if (column.type === 'bool')
        return <BoolValue value={values[0]} onChange={(answer) => onChange([answer])} />
      if (takesList(op))
        return (
          <ValueList
            structure={structure}
            column={column}
            selected={values}
            index={condition && index}
            onChange={onChange}
          />
        )
      return (
        <TypedValue
          key={op}
          column={column}
          value={values[0]}
          onChange={(typed) => onChange(typed === null ? [] : [typed])}
        />
      )
    },
  }
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
  const [first] = useState(value === undefined ? '' : typedText(column.type, editText(value as Value)))
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
