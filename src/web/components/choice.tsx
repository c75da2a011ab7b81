interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, word: string])[]
  readonly onChoose: (value: string) => void
}

/** One of several words, under a label. */
export const Choice = ({ label, value, options, onChoose }: ChoiceProps) => (
  <label class="field">
    <span>{label}</span>
    <select class="input" value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {options.map(([one, word]) => (
        <option key={one} value={one}>
          {word}
        </option>
      ))}
    </select>
  </label>
)
