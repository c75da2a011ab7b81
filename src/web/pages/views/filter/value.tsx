import { OPERATORS } from '../../../../filter/operators.ts'
import { shiftOf } from '../../../../lib/filter-sentence.ts'
import type { Operator } from './tree.ts'

interface ValueProps {
  readonly kind: string
  readonly op: Operator
  readonly options: readonly string[]
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** The input for the value of a condition. */
export function ValueField({ kind, op, options, value, onChange }: ValueProps) {
  const { takes } = OPERATORS[op]
  if (takes === 'none') return null
  if (takes === 'list')
    return (
      <input
        class="input"
        aria-label="Values, separated by commas"
        value={(value as unknown[]).join(', ')}
        onChange={({ currentTarget }) =>
          onChange(
            currentTarget.value
              .split(',')
              .map((one) => one.trim())
              .filter(Boolean),
          )
        }
      />
    )
  if (takes === 'pair') {
    const [low, high] = value as [unknown, unknown]
    return (
      <>
        <SingleValue
          {...{ kind, op, options }}
          label="From"
          value={low}
          onChange={(one) => onChange([one, high])}
        />
        <SingleValue
          {...{ kind, op, options }}
          label="To"
          value={high}
          onChange={(one) => onChange([low, one])}
        />
      </>
    )
  }
  return <SingleValue {...{ kind, op, options, value, onChange }} label="Value" />
}

function SingleValue({ kind, op, options, value, label, onChange }: ValueProps & { label: string }) {
  if (kind === 'date') return <DateValue op={op} value={value} label={label} onChange={onChange} />
  if (kind === 'bool')
    return (
      <select
        class="input"
        aria-label={label}
        value={String(value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value === 'true')}
      >
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    )
  if (kind === 'number')
    return (
      <input
        class="input"
        type="number"
        step="any"
        aria-label={label}
        value={String(value)}
        onInput={({ currentTarget }) => currentTarget.value !== '' && onChange(Number(currentTarget.value))}
      />
    )
  if (kind === 'select' && options.length > 0 && (op === 'eq' || op === 'neq'))
    return (
      <select
        class="input"
        aria-label={label}
        value={String(value)}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    )
  const isJson = kind === 'json' && op === 'contains'
  return (
    <input
      class="input"
      aria-label={isJson ? 'Value (JSON)' : label}
      value={isJson && typeof value !== 'string' ? JSON.stringify(value) : String(value)}
      onInput={({ currentTarget: { value: text } }) => onChange(isJson ? parseJson(text) : text)}
    />
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const UNITS = ['day', 'week', 'month', 'year']

interface DayProps {
  readonly op: Operator
  readonly value: unknown
  readonly label: string
  readonly onChange: (value: unknown) => void
}

/** A calendar day, or a day relative to today. */
function DateValue({ op, value, label, onChange }: DayProps) {
  const shift = shiftOf(value)
  const relative = (n: number, unit: string) => onChange({ relative: { n, unit } })
  const isPast = !shift || shift.n <= 0
  const today = new Date().toISOString().slice(0, 10)
  return (
    <>
      {op !== 'within' && (
        <select
          class="input"
          aria-label={`${label}: kind of date`}
          value={shift ? 'relative' : 'day'}
          onChange={({ currentTarget }) =>
            currentTarget.value === 'day' ? onChange(today) : relative(0, 'day')
          }
        >
          <option value="relative">relative to today</option>
          <option value="day">on a date</option>
        </select>
      )}
      {shift ? (
        <>
          <input
            class="input"
            type="number"
            min="0"
            step="1"
            aria-label={`${label}: amount`}
            value={String(Math.abs(shift.n))}
            onInput={({ currentTarget: { value: text } }) =>
              text !== '' && relative((isPast ? -1 : 1) * Math.abs(Math.round(Number(text))), shift.unit)
            }
          />
          <select
            class="input"
            aria-label={`${label}: unit`}
            value={shift.unit}
            onChange={({ currentTarget }) => relative(shift.n, currentTarget.value)}
          >
            {UNITS.map((unit) => (
              <option key={unit} value={unit}>
                {unit}s
              </option>
            ))}
          </select>
          <select
            class="input"
            aria-label={`${label}: direction`}
            value={isPast ? 'past' : 'future'}
            onChange={({ currentTarget }) =>
              relative((currentTarget.value === 'past' ? -1 : 1) * (Math.abs(shift.n) || 1), shift.unit)
            }
          >
            <option value="past">{op === 'within' ? 'back' : 'ago'}</option>
            <option value="future">{op === 'within' ? 'ahead' : 'from now'}</option>
          </select>
        </>
      ) : (
        <input
          class="input"
          type="date"
          aria-label={label}
          value={String(value)}
          onInput={({ currentTarget }) => currentTarget.value !== '' && onChange(currentTarget.value)}
        />
      )}
    </>
  )
}
