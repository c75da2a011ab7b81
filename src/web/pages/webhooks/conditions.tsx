import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Button, ErrorText } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { type Condition, needsValue, OPERATORS, valueText } from './condition-text.ts'

/** A condition as it is typed. */
export interface ConditionInput {
  /** Identifies it among the others while they are edited. */
  readonly id: number
  readonly field: string
  readonly op: Condition['op']
  readonly value: string
}

export const conditionInputs = (filter: readonly Condition[]): ConditionInput[] =>
  filter.map(({ field, op, value }, id) => ({ id, field, op, value: valueText(value) }))

interface ConditionsProps {
  readonly structure: { readonly fields: readonly { readonly key: string; readonly label: string }[] }
  readonly conditions: Signal<readonly ConditionInput[]>
  readonly error: string | undefined
}

/** The rows whose changes are sent: those that meet every condition. */
export function Conditions({ structure, conditions, error }: ConditionsProps) {
  const change = (at: number, part: Partial<ConditionInput>) => {
    conditions.value = conditions.value.map((one, index) => (index === at ? { ...one, ...part } : one))
  }
  const add = () => {
    const [field] = structure.fields
    const next = Math.max(-1, ...conditions.value.map(({ id }) => id)) + 1
    conditions.value = [...conditions.value, { id: next, field: field?.key ?? 'id', op: 'eq', value: '' }]
  }
  const remove = (at: number) => {
    conditions.value = conditions.value.filter((_, index) => index !== at)
  }
  const id = useId()
  return (
    <fieldset class="field">
      <legend class="label">Only rows that meet every condition</legend>
      {conditions.value.map(({ id: key, field, op, value }, at) => (
        <div class="condition" key={key}>
          <select
            class="input"
            aria-label={`Field of condition ${at + 1}`}
            value={field}
            onChange={({ currentTarget }) => change(at, { field: currentTarget.value })}
          >
            {structure.fields.map(({ key, label }) => (
              <option key={key} value={key}>
                {label || key}
              </option>
            ))}
          </select>
          <select
            class="input"
            aria-label={`Comparison of condition ${at + 1}`}
            value={op}
            onChange={({ currentTarget }) => change(at, { op: currentTarget.value as Condition['op'] })}
          >
            {Object.entries(OPERATORS).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
          {needsValue(op) && (
            <input
              class="input"
              aria-label={`Value of condition ${at + 1}`}
              aria-invalid={error !== undefined}
              aria-describedby={error && id}
              value={value}
              onInput={({ currentTarget }) => change(at, { value: currentTarget.value })}
            />
          )}
          <Button kind="quiet icon-only" aria-label={`Remove condition ${at + 1}`} onClick={() => remove(at)}>
            <Icon name="x" />
          </Button>
        </div>
      ))}
      {error !== undefined && <ErrorText id={id}>{error}</ErrorText>}
      <p>
        <Button onClick={add}>
          <Icon name="plus" />
          Add a condition
        </Button>
      </p>
    </fieldset>
  )
}
