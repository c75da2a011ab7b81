import { useId } from './use-id.ts'

export type Option = readonly [value: string, word: string]

interface SelectProps {
  readonly value: string
  readonly options: readonly Option[]
  readonly onChange: (value: string) => void
  readonly class?: string
  readonly id?: string
  readonly name?: string
  readonly disabled?: boolean
  readonly 'aria-label'?: string
  readonly 'aria-describedby'?: string
}

/** A select of options. A value that none of them has is one more option. */
export const Select = ({ value, options, onChange, ...attributes }: SelectProps) => (
  <select
    class="input"
    {...attributes}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  >
    {(options.some(([option]) => option === value) ? options : [[value, value] as Option, ...options]).map(
      ([option, word]) => (
        <option key={option} value={option}>
          {word}
        </option>
      ),
    )}
  </select>
)

interface FieldProps extends SelectProps {
  readonly label: string
}

/** A select below its label. */
export function SelectField({ label, ...select }: FieldProps) {
  const id = useId()
  return (
    <label class="field" for={id}>
      <span>{label}</span>
      <Select id={id} {...select} />
    </label>
  )
}
