import { ErrorText } from '../../../components/form.tsx'
import type { components } from '../../../data/api-types.d.ts'
import { Unsendable } from '../../../data/request.ts'

export type Property = components['schemas']['Property']

/** A value as it is shown in its field. */
export function fieldText({ type }: Pick<Property, 'type'>, value: unknown): string {
  if (value === undefined || value === null) return ''
  return type === 'json' ? JSON.stringify(value) : String(value)
}

/** What is in a field, in the type of its property; an empty field is no value. The server judges whether it fits. */
export function typedValue({ key, type }: Pick<Property, 'key' | 'type'>, text: string): unknown {
  if (text === '') return null
  if (type === 'number') return Number(text)
  if (type === 'bool') return text === 'true'
  return type === 'json' ? parsed(key, text) : text
}

function parsed(key: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Unsendable(`The property "${key}" must be JSON; check its quotes and brackets.`, [key])
  }
}

const INPUTS = {
  number: { type: 'number', step: 'any' },
  date: { type: 'date' },
  text: { type: 'text' },
  json: { type: 'text' },
} as const

const UNREADABLE: Partial<Record<Property['type'], string>> = {
  number: 'This is not a number; write one such as 12.5, or empty the field.',
  date: 'This is not a whole date; fill in its day, month and year, or empty the field.',
}

const TRUTHS = [
  ['true', 'yes'],
  ['false', 'no'],
] as const

interface ControlProps {
  readonly property: Pick<Property, 'type' | 'options'>
  readonly id: string
  readonly text: string
  /** Why what is in it was refused. */
  readonly error: string | undefined
  readonly onInput: (text: string) => void
  /** Called when the field is left or a choice was made; with what to do when the browser cannot read what is in it. */
  readonly onChange?: (text: string, unreadable: string | undefined) => void
}

/** A field of the kind that belongs to the type of a property, and under it the sentence that refused it. */
export function PropertyControl({ property: { type, options }, id, text, error, ...on }: ControlProps) {
  const common = {
    class: 'input',
    id,
    value: text,
    'aria-invalid': error !== undefined,
    'aria-describedby': error && `${id}-why`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => on.onInput(currentTarget.value),
    onChange: ({
      currentTarget: { value, validity },
    }: {
      currentTarget: HTMLInputElement | HTMLSelectElement
    }) => on.onChange?.(value, validity.badInput ? UNREADABLE[type] : undefined),
  }
  const choices = type === 'bool' ? TRUTHS : (options ?? []).map((one) => [one, one] as const)
  return (
    <>
      {type === 'bool' || type === 'select' ? (
        <select {...common}>
          <option value="">not set</option>
          {choices.map(([value, title]) => (
            <option key={value} value={value} selected={value === text}>
              {title}
            </option>
          ))}
        </select>
      ) : (
        <input {...common} {...INPUTS[type]} />
      )}
      {error !== undefined && <ErrorText id={`${id}-why`}>{error}</ErrorText>}
    </>
  )
}
