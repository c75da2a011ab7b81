import { ErrorText } from '../../../components/form.tsx'
import type { components } from '../../../data/api-types.d.ts'
import { Unsendable } from '../../../data/request.ts'

export type Property = components['schemas']['Property']

/** A value as the text of its field. */
export function fieldText({ type }: Pick<Property, 'type'>, value: unknown): string {
  if (value === undefined || value === null) return ''
  return type === 'json' ? JSON.stringify(value) : String(value)
}

/** The text of a field as a value of the property's type; null if empty. The server validates it. */
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
  number: 'Enter a number such as 12.5, or clear the field.',
  date: 'Enter a complete date, or clear the field.',
}

const BOOLEANS = [
  ['true', 'yes'],
  ['false', 'no'],
] as const

/** Lets words be typed as a date, such as "tomorrow". */
const takeWords = () => void import('../../../components/typed-dates.ts').catch(() => undefined)

interface ControlProps {
  readonly property: Pick<Property, 'type' | 'options'>
  readonly id: string
  readonly text: string
  /** The refusal of its text. */
  readonly error: string | undefined
  readonly onInput: (text: string) => void
  /** Called when the field is left or an option selected. `unreadable` is an error if the browser cannot parse the input. */
  readonly onChange?: (text: string, unreadable: string | undefined) => void
}

/** The control for a property's type, with its error. */
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
  const entries = type === 'bool' ? BOOLEANS : (options ?? []).map((option) => [option, option] as const)
  return (
    <>
      {type === 'bool' || type === 'select' ? (
        <select {...common}>
          <option value="">Not set</option>
          {entries.map(([value, title]) => (
            <option key={value} value={value} selected={value === text}>
              {title}
            </option>
          ))}
        </select>
      ) : (
        <input {...common} {...INPUTS[type]} onFocus={type === 'date' ? takeWords : undefined} />
      )}
      {error !== undefined && <ErrorText id={`${id}-why`}>{error}</ErrorText>}
    </>
  )
}
