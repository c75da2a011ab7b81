import { Button } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { type Draft, keyOf } from './draft.ts'

interface UniqueSetsProps {
  readonly draft: Draft
  readonly onChange: (sets: readonly (readonly string[])[]) => void
}

/** Sets of fields whose values together no two rows share. */
export function UniqueSets({ draft, onChange }: UniqueSetsProps) {
  const sets = draft.uniqueTogether
  const fields = draft.fields.filter((field) => keyOf(field) !== '')
  return (
    <fieldset class="field">
      <legend class="label">Fields that are unique together</legend>
      {sets.map((set, place) => (
        <fieldset key={place} class="checks">
          <legend class="visually-hidden">Set {place + 1}</legend>
          {fields.map((field) => {
            const key = keyOf(field)
            return (
              <label key={field.id} class="check">
                <input
                  type="checkbox"
                  checked={set.includes(key)}
                  onChange={({ currentTarget }) =>
                    onChange(
                      sets.map((old, other) =>
                        other !== place
                          ? old
                          : currentTarget.checked
                            ? [...old, key]
                            : old.filter((one) => one !== key),
                      ),
                    )
                  }
                />{' '}
                {field.label || key}
              </label>
            )
          })}
          <Button
            kind="quiet icon-only"
            aria-label={`Remove set ${place + 1}`}
            onClick={() => onChange(sets.filter((_, other) => other !== place))}
          >
            <Icon name="x" />
          </Button>
        </fieldset>
      ))}
      <p>
        <Button onClick={() => onChange([...sets, []])}>
          <Icon name="plus" />
          Add a set
        </Button>
      </p>
    </fieldset>
  )
}
