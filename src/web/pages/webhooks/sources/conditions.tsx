import { Button } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { type ConditionInput, nextId, OPERATORS, SUBJECTS, withType } from './when-draft.ts'

const MOST_CONDITIONS = 20

interface ConditionsProps {
  readonly conditions: readonly ConditionInput[]
  /** Of the event that is open, if events of it are not asked for by name. */
  readonly type: string | undefined
  readonly isReadOnly: boolean
  readonly onChange: (conditions: ConditionInput[]) => void
}

/** The events that become rows: those that meet every condition. */
export function Conditions({ conditions, type, isReadOnly, onChange }: ConditionsProps) {
  const change = (at: number, part: Partial<ConditionInput>) =>
    onChange(conditions.map((one, index) => (index === at ? { ...one, ...part } : one)))
  const add = () =>
    onChange([...conditions, { id: nextId(conditions), of: 'path', place: '/', op: 'eq', value: '' }])
  return (
    <fieldset class="field conflict" disabled={isReadOnly}>
      <legend class="label">
        {conditions.length === 0 ? 'Every event becomes a row' : 'Only events that meet every condition'}
      </legend>
      {conditions.map((condition, at) => (
        <Condition
          key={condition.id}
          condition={condition}
          number={at + 1}
          onChange={(part) => change(at, part)}
          onRemove={() => onChange(conditions.filter((_, index) => index !== at))}
        />
      ))}
      {!isReadOnly && (
        <p class="actions">
          <Button disabled={conditions.length >= MOST_CONDITIONS} onClick={add}>
            <Icon name="plus" />
            Add a condition
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
  readonly number: number
  readonly onChange: (part: Partial<ConditionInput>) => void
  readonly onRemove: () => void
}

const Condition = ({ condition: { of, place, op, value }, number, onChange, onRemove }: ConditionProps) => (
  <div class="condition">
    <Choice
      label={`What condition ${number} is about`}
      isWide={of === 'event'}
      options={SUBJECTS}
      value={of}
      onChange={(next) => onChange({ of: next as ConditionInput['of'], place: next === 'path' ? '/' : '' })}
    />
    {of !== 'event' && (
      <input
        class="input code"
        aria-label={of === 'path' ? `Path of condition ${number}` : `Header of condition ${number}`}
        placeholder={of === 'path' ? '/data/status' : 'X-Name'}
        value={place}
        onInput={({ currentTarget }) => onChange({ place: currentTarget.value })}
      />
    )}
    <Choice
      label={`Comparison of condition ${number}`}
      isWide={op === 'exists'}
      options={OPERATORS}
      value={op}
      onChange={(next) => onChange({ op: next })}
    />
    {op !== 'exists' && (
      <input
        class="input"
        aria-label={`Value of condition ${number}`}
        placeholder={op === 'in' || op === 'not_in' ? 'with commas between them' : undefined}
        value={value}
        onInput={({ currentTarget }) => onChange({ value: currentTarget.value })}
      />
    )}
    <Button kind="quiet icon-only" aria-label={`Remove condition ${number}`} onClick={onRemove}>
      <Icon name="x" />
    </Button>
  </div>
)

interface ChoiceProps {
  readonly label: string
  /** Whether there is nothing beside it. */
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
