import { Button } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import {
  type ConditionInput,
  nextId,
  OPERATOR_LABELS,
  SUBJECTS,
  takesList,
  takesValue,
  withType,
} from './when-draft.ts'

const MAX_CONDITIONS = 20

interface ConditionsProps {
  readonly conditions: readonly ConditionInput[]
  readonly legend: string
  /** Begins the names of the controls, which must be unique on the screen. */
  readonly name?: string
  /** Type of the open event, unless a condition already accepts it. */
  readonly type: string | undefined
  readonly isReadOnly: boolean
  readonly onChange: (conditions: ConditionInput[]) => void
}

/** Edits conditions on events. */
export function Conditions({
  conditions,
  legend,
  name = 'condition',
  type,
  isReadOnly,
  onChange,
}: ConditionsProps) {
  const change = (index: number, part: Partial<ConditionInput>) =>
    onChange(conditions.map((condition, other) => (other === index ? { ...condition, ...part } : condition)))
  const add = () =>
    onChange([...conditions, { id: nextId(conditions), of: 'path', operand: '/', op: 'eq', value: '' }])
  return (
    <fieldset class="field conflict" disabled={isReadOnly}>
      <legend class="label">{legend}</legend>
      {conditions.map((condition, index) => (
        <Condition
          key={condition.id}
          condition={condition}
          name={`${name} ${index + 1}`}
          onChange={(part) => change(index, part)}
          onRemove={() => onChange(conditions.filter((_, other) => other !== index))}
        />
      ))}
      {!isReadOnly && (
        <p class="actions">
          <Button disabled={conditions.length >= MAX_CONDITIONS} onClick={add}>
            <Icon name="plus" />
            Add {name}
          </Button>
          {type !== undefined && (
            <Button kind="quiet" onClick={() => onChange(withType(conditions, type))}>
              Add {type}
            </Button>
          )}
        </p>
      )}
    </fieldset>
  )
}

interface ConditionProps {
  readonly condition: ConditionInput
  /** Such as "condition 1". */
  readonly name: string
  readonly onChange: (part: Partial<ConditionInput>) => void
  readonly onRemove: () => void
}

const Condition = ({ condition: { of, operand, op, value }, name, onChange, onRemove }: ConditionProps) => (
  <div class="condition">
    <Choice
      label={`Subject of ${name}`}
      isWide={of === 'event'}
      options={SUBJECTS}
      value={of}
      onChange={(next) => onChange({ of: next as ConditionInput['of'], operand: next === 'path' ? '/' : '' })}
    />
    {of !== 'event' && (
      <input
        class="input code"
        aria-label={of === 'path' ? `Path of ${name}` : `Header of ${name}`}
        placeholder={of === 'path' ? '/data/status' : 'X-Name'}
        value={operand}
        onInput={({ currentTarget }) => onChange({ operand: currentTarget.value })}
      />
    )}
    <Choice
      label={`Comparison of ${name}`}
      isWide={!takesValue(op)}
      options={OPERATOR_LABELS}
      value={op}
      onChange={(next) => onChange({ op: next })}
    />
    {takesValue(op) && (
      <input
        class="input"
        aria-label={`Value of ${name}`}
        placeholder={takesList(op) ? 'separated by commas' : undefined}
        value={value}
        onInput={({ currentTarget }) => onChange({ value: currentTarget.value })}
      />
    )}
    <Button kind="quiet icon-only" aria-label={`Remove ${name}`} onClick={onRemove}>
      <Icon name="x" />
    </Button>
  </div>
)

interface ChoiceProps {
  readonly label: string
  /** Takes the whole line. */
  readonly isWide: boolean
  readonly options: Readonly<Record<string, string>>
  readonly value: string
  readonly onChange: (value: string) => void
}

const Choice = ({ label, isWide, options, value, onChange }: ChoiceProps) => (
  <select
    class={isWide ? 'input wide' : 'input'}
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  >
    {Object.entries(options).map(([name, words]) => (
      <option key={name} value={name}>
        {words}
      </option>
    ))}
  </select>
)
