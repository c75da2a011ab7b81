import type { ComponentChildren } from 'preact'

interface CheckProps {
  readonly label: ComponentChildren
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

/** A checkbox before its label. */
export const Check = ({ label, checked, disabled = false, onChange }: CheckProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {label}
  </label>
)
