import '../../../components/typed-dates.ts'
import { OPERATORS, type OperatorName } from '../../../../filter/operators.ts'
import { shiftOf } from '../../../../filter/sentence.ts'
import type { ValueProps } from '../../../components/conditions/language.ts'
import { Icon } from '../../../components/icon.tsx'
import { Select } from '../../../components/select.tsx'
import type { Tag } from './tree.ts'

interface NoteValueProps extends ValueProps {
  readonly kind: string
  readonly options: readonly string[]
  readonly tags: readonly Tag[]
}

/** The controls for the value of a condition on notes. */
export function NoteValue({ kind, options, tags, draft: { op, value }, labelOf, onChange }: NoteValueProps) {
  const single = { kind, op, options }
  const { takes } = OPERATORS[op]
  if (kind === 'tags') return <TagsValue ids={value as number[]} tags={tags} onChange={onChange} />
  if (takes === 'list')
    return (
      <input
        class="input"
        aria-label={labelOf('Values, separated by commas')}
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
          {...single}
          label={labelOf('From')}
          value={low}
          onChange={(one) => onChange([one, high])}
        />
        <SingleValue
          {...single}
          label={labelOf('To')}
          value={high}
          onChange={(one) => onChange([low, one])}
        />
      </>
    )
  }
  return <SingleValue {...single} value={value} label={labelOf('Value')} onChange={onChange} />
}

interface TagsProps {
  readonly ids: readonly number[]
  readonly tags: readonly Tag[]
  readonly onChange: (ids: readonly number[]) => void
}

function TagsValue({ ids, tags, onChange }: TagsProps) {
  const unused = tags.filter(({ id }) => !ids.includes(id))
  return (
    <>
      {ids.map((id) => {
        const name = tags.find((tag) => tag.id === id)?.name ?? String(id)
        return (
          <span class="chip" key={id}>
            <span class="tag">{name}</span>
            <button
              type="button"
              aria-label={`Remove ${name}`}
              disabled={ids.length === 1}
              onClick={() => onChange(ids.filter((other) => other !== id))}
            >
              <Icon name="x" />
            </button>
          </span>
        )
      })}
      {unused.length > 0 && (
        <Select
          aria-label="Add a tag"
          value=""
          options={[['', 'and…'], ...unused.map(({ id, name }) => [String(id), name] as const)]}
          onChange={(id) => onChange([...ids, Number(id)])}
        />
      )}
    </>
  )
}

/** Whether the value is one of the options of a property. */
export const isChoice = (kind: string, op: string, options: readonly string[]): boolean =>
  kind === 'select' && options.length > 0 && (op === 'eq' || op === 'neq')

const YES_NO = [
  ['true', 'yes'],
  ['false', 'no'],
] as const

interface SingleProps {
  readonly kind: string
  readonly op: OperatorName
  readonly options: readonly string[]
  readonly value: unknown
  readonly label: string
  readonly onChange: (value: unknown) => void
}

function SingleValue({ kind, op, options, value, label, onChange }: SingleProps) {
  if (kind === 'date') return <DateValue op={op} value={value} label={label} onChange={onChange} />
  if (kind === 'bool')
    return (
      <Select
        aria-label={label}
        value={String(value)}
        options={YES_NO}
        onChange={(answer) => onChange(answer === 'true')}
      />
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
  if (isChoice(kind, op, options))
    return (
      <Select
        aria-label={label}
        value={String(value)}
        options={options.map((option) => [option, option])}
        onChange={onChange}
      />
    )
  const isJson = kind === 'json' && op === 'contains'
  return (
    <input
      class="input"
      aria-label={isJson ? `${label} (JSON)` : label}
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

const DATE_KINDS = [
  ['relative', 'relative to today'],
  ['day', 'on a date'],
] as const
const UNITS = ['day', 'week', 'month', 'year'].map((unit) => [unit, `${unit}s`] as const)

interface DayProps {
  readonly op: OperatorName
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
        <Select
          aria-label={`${label}: kind of date`}
          value={shift ? 'relative' : 'day'}
          options={DATE_KINDS}
          onChange={(kind) => (kind === 'day' ? onChange(today) : relative(0, 'day'))}
        />
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
          <Select
            aria-label={`${label}: unit`}
            value={shift.unit}
            options={UNITS}
            onChange={(unit) => relative(shift.n, unit)}
          />
          <Select
            aria-label={`${label}: direction`}
            value={isPast ? 'past' : 'future'}
            options={[
              ['past', op === 'within' ? 'back' : 'ago'],
              ['future', op === 'within' ? 'ahead' : 'from now'],
            ]}
            onChange={(direction) =>
              relative((direction === 'past' ? -1 : 1) * (Math.abs(shift.n) || 1), shift.unit)
            }
          />
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
