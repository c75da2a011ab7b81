import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Button, ErrorText } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { columnType, operatorLabel, operatorsOf, takesValue } from '../../data/records/conditions.ts'
import type { Structure } from '../../data/records/model.ts'
import { type Condition, valueText } from './condition-text.ts'

/** A condition while it is edited. */
export interface ConditionInput {
  /** Unique among the conditions; a key for rendering. */
  readonly id: number
  readonly field: string
  readonly op: Condition['op']
  readonly value: string
}

export const conditionInputs = (filter: readonly Condition[]): ConditionInput[] =>
  filter.map(({ field, op, value }, id) => ({ id, field, op, value: valueText(value) }))

interface ConditionsProps {
  readonly structure: Pick<Structure, 'fields'>
  readonly conditions: Signal<readonly ConditionInput[]>
  readonly error: string | undefined
}

/** Edits the conditions a row must meet for its changes to be sent. */
export function Conditions({ structure, conditions, error }: ConditionsProps) {
  const change = (index: number, part: Partial<ConditionInput>) => {
    conditions.value = conditions.value.map((condition, other) =>
      other === index ? { ...condition, ...part } : condition,
    )
  }
  const add = () => {
    const [field] = structure.fields
    const next = Math.max(-1, ...conditions.value.map(({ id }) => id)) + 1
    const op = operatorsOf(typeOf(field?.key ?? 'id'))[0] ?? 'eq'
    conditions.value = [...conditions.value, { id: next, field: field?.key ?? 'id', op, value: '' }]
  }
  const remove = (index: number) => {
    conditions.value = conditions.value.filter((_, other) => other !== index)
  }
  const typeOf = (key: string) => {
    const field = structure.fields.find((known) => known.key === key)
    return field ? columnType(field) : key
  }
  const changeField = (index: number, op: Condition['op'], field: string) => {
    const operators = operatorsOf(typeOf(field))
    change(index, { field, op: operators.includes(op) ? op : (operators[0] ?? op) })
  }
  const id = useId()
  return (
    <fieldset class="field">
      <legend class="label">Only rows that match all conditions</legend>
      {conditions.value.map(({ id: key, field, op, value }, index) => (
        <div class="condition" key={key}>
          <select
            class="input"
            aria-label={`Field of condition ${index + 1}`}
            value={field}
            onChange={({ currentTarget }) => changeField(index, op, currentTarget.value)}
          >
            {structure.fields.map(({ key, label }) => (
              <option key={key} value={key}>
                {label || key}
              </option>
            ))}
          </select>
          <select
            class="input"
            aria-label={`Comparison of condition ${index + 1}`}
            value={op}
            onChange={({ currentTarget }) => change(index, { op: currentTarget.value as Condition['op'] })}
          >
            {operatorsOf(typeOf(field)).map((name) => (
              <option key={name} value={name}>
                {operatorLabel(typeOf(field), name)}
              </option>
            ))}
          </select>
          {takesValue(op) && (
            <input
              class="input"
              aria-label={`Value of condition ${index + 1}`}
              aria-invalid={error !== undefined}
              aria-describedby={error && id}
              value={value}
              onInput={({ currentTarget }) => change(index, { value: currentTarget.value })}
            />
          )}
          <Button
            kind="quiet icon-only"
            aria-label={`Remove condition ${index + 1}`}
            onClick={() => remove(index)}
          >
            <Icon name="x" />
          </Button>
        </div>
      ))}
      {error !== undefined && <ErrorText id={id}>{error}</ErrorText>}
      <p>
        <Button onClick={add}>
          <Icon name="plus" />
          Add condition
        </Button>
      </p>
    </fieldset>
  )
}
