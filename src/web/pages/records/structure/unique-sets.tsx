import { Button } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { type Draft, keyOf } from './draft.ts'

interface UniqueSetsProps {
  readonly draft: Draft
  readonly onChange: (sets: readonly (readonly string[])[]) => void
}

/** Edits sets of fields whose combination of values is unique. */
export function UniqueSets({ draft, onChange }: UniqueSetsProps) {
  const sets = draft.uniqueTogether
  const fields = draft.fields.filter((field) => keyOf(field) !== '')
  return (
    <fieldset class="field">
      <legend class="label">Unique combinations of fields</legend>
      {sets.map((set, index) => (
        <fieldset key={index} class="checks">
          <legend class="visually-hidden">Combination {index + 1}</legend>
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
                        other !== index
                          ? old
                          : currentTarget.checked
                            ? [...old, key]
                            : old.filter((member) => member !== key),
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
            aria-label={`Remove combination ${index + 1}`}
            onClick={() => onChange(sets.filter((_, other) => other !== index))}
          >
            <Icon name="x" />
          </Button>
        </fieldset>
      ))}
      <p>
        <Button onClick={() => onChange([...sets, []])}>
          <Icon name="plus" />
          Add combination
        </Button>
      </p>
    </fieldset>
  )
}
