interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onChange: (value: string) => void
}

/** A labelled select of values by their labels. */
export const Choice = ({ label, value, options, onChange }: ChoiceProps) => (
  <label class="field">
    <span>{label}</span>
    <select class="input" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  </label>
)
