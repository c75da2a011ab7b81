import { takesList } from '../../../filter/operators.ts'
import type { ValueProps } from './language.ts'

interface TextProps extends ValueProps {
  /** Further attributes of the input. */
  readonly attributes?: object
}

/** The value of a condition as text; several values are separated by commas. */
export const TextValue = ({ draft: { op, value }, labelOf, errorId, attributes, onChange }: TextProps) => (
  <input
    class="input"
    aria-label={labelOf('Value')}
    aria-invalid={errorId !== undefined}
    aria-describedby={errorId}
    placeholder={takesList(op) ? 'separated by commas' : undefined}
    {...attributes}
    value={String(value)}
    onInput={({ currentTarget }) => onChange(currentTarget.value)}
  />
)
