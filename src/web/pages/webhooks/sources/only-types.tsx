import { Button } from '../../../components/form.tsx'

/** The conditions of a source, as the server stores them. */
export type When = readonly Record<string, unknown>[]

/** The types of which a source takes events alone, none for all; undefined where it has other conditions. */
export function typesOf(when: When): readonly string[] | undefined {
  const [only, ...others] = when
  if (only === undefined) return []
  if (others.length > 0 || only.event !== true) return undefined
  if (only.op === 'eq' && typeof only.value === 'string') return [only.value]
  return only.op === 'in' ? (only.value as string[]) : undefined
}

const whenOf = (types: readonly string[]): When =>
  types.length === 0 ? [] : [{ event: true, op: 'in', value: types }]

interface OnlyTypesProps {
  readonly when: When
  /** Of the event that is open. */
  readonly type: string | null | undefined
  readonly isReadOnly: boolean
  readonly onChange: (when: When) => void
}

/** Which events become rows: those of some types, or all. */
export function OnlyTypes({ when, type, isReadOnly, onChange }: OnlyTypesProps) {
  const types = typesOf(when)
  if (types === undefined)
    return (
      <p class="conflict">
        Only when <code class="break">{JSON.stringify(when)}</code>
      </p>
    )
  return (
    <p class="line-form conflict">
      <span class="field">
        <label for="types">Only events of these types, with commas between them (none: all)</label>
        <input
          class="input"
          id="types"
          disabled={isReadOnly}
          value={types.join(', ')}
          onChange={({ currentTarget }) =>
            onChange(
              whenOf(
                currentTarget.value
                  .split(',')
                  .map((one) => one.trim())
                  .filter(Boolean),
              ),
            )
          }
        />
      </span>
      {type && !isReadOnly && !types.includes(type) && (
        <Button kind="quiet" onClick={() => onChange(whenOf([...types, type]))}>
          Add {type}
        </Button>
      )}
    </p>
  )
}
