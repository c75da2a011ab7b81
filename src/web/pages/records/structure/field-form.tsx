import { Button, Field as FieldInput } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useStructures } from '../structures.ts'
import { type FieldDraft, hasBounds, keyFor, keyOf, TYPE_WORDS, TYPES } from './draft.ts'

interface FieldFormProps {
  readonly field: FieldDraft
  /** Whether it was saved and there were rows since: then key and type stay. */
  readonly isFixed: boolean
  readonly onChange: (part: Partial<FieldDraft>) => void
  /** Opens what gives a field with rows another type. */
  readonly onConvert: (() => void) | undefined
  readonly onMove: (() => void) | undefined
  readonly onRemove: (() => void) | undefined
}

/** One field of a structure. What cannot be changed any more is said, not offered. */
export function FieldForm({ field, isFixed, onChange, onConvert, onMove, onRemove }: FieldFormProps) {
  const name = field.label || keyOf(field) || 'new field'
  const selectId = `type-${field.id}`
  return (
    <fieldset class="definition">
      <legend class="visually-hidden">Field {name}</legend>
      <div class="definition-line">
        <FieldInput
          label="Label"
          name={`label-${field.id}`}
          required
          maxLength={500}
          value={field.label}
          onInput={({ currentTarget }) => onChange({ label: currentTarget.value })}
        />
        {isFixed ? (
          <div class="field">
            <span class="label">Key</span>
            <code class="fixed">{keyOf(field)}</code>
          </div>
        ) : (
          <KeyInput field={field} onChange={onChange} />
        )}
        {isFixed ? (
          <div class="field">
            <span class="label">Type</span>
            <span class="fixed">{TYPE_WORDS[field.type]}</span>
          </div>
        ) : (
          <div class="field">
            <label for={selectId}>Type</label>
            <select
              class="input"
              id={selectId}
              value={field.type}
              onChange={({ currentTarget }) => onChange({ type: currentTarget.value })}
            >
              {TYPES.map((type) => (
                <option key={type} value={type}>
                  {TYPE_WORDS[type]}
                </option>
              ))}
            </select>
          </div>
        )}
        <div class="definition-actions">
          {onConvert && (
            <Button kind="quiet" aria-label={`Convert ${name}`} onClick={onConvert}>
              Convert…
            </Button>
          )}
          {onMove && (
            <Button kind="quiet icon-only" aria-label={`Move ${name} up`} onClick={onMove}>
              <Icon name="up" />
            </Button>
          )}
          {onRemove && (
            <Button kind="quiet icon-only" aria-label={`Remove ${name}`} onClick={onRemove}>
              <Icon name="x" />
            </Button>
          )}
        </div>
      </div>
      <FieldFlags field={field} onChange={onChange} />
      <details>
        <summary>Rules and display of {name}</summary>
        <FieldRules field={field} onChange={onChange} />
      </details>
      {field.type === 'select' && <Options field={field} onChange={onChange} />}
      {field.type === 'record' && <TargetStructure field={field} onChange={onChange} />}
    </fieldset>
  )
}

interface PartProps {
  readonly field: FieldDraft
  readonly onChange: (part: Partial<FieldDraft>) => void
}

const KeyInput = ({ field, onChange }: PartProps) => (
  <FieldInput
    label="Key, for programs"
    name={`key-${field.id}`}
    maxLength={63}
    value={field.key || keyFor(field.label)}
    onInput={({ currentTarget }) => onChange({ key: currentTarget.value })}
  />
)

const FLAGS = [
  ['required', 'Needed'],
  ['unique', 'Unique'],
  ['hidden', 'Hidden in the grid'],
] as const

const FieldFlags = ({ field, onChange }: PartProps) => (
  <p class="flags">
    {FLAGS.map(([flag, word]) => (
      <label key={flag} class="check">
        <input
          type="checkbox"
          checked={field[flag]}
          onChange={({ currentTarget }) => onChange({ [flag]: currentTarget.checked })}
        />{' '}
        {word}
      </label>
    ))}
  </p>
)

function FieldRules({ field, onChange }: PartProps) {
  const what = field.type === 'text' ? ' characters' : ''
  return (
    <div class="definition-line">
      <FieldInput
        label="Unit"
        name={`unit-${field.id}`}
        maxLength={50}
        value={field.unit}
        onInput={({ currentTarget }) => onChange({ unit: currentTarget.value })}
      />
      {hasBounds(field.type) && (
        <>
          <FieldInput
            label={`At least${what}`}
            name={`min-${field.id}`}
            value={field.min}
            onInput={({ currentTarget }) => onChange({ min: currentTarget.value })}
          />
          <FieldInput
            label={`At most${what}`}
            name={`max-${field.id}`}
            value={field.max}
            onInput={({ currentTarget }) => onChange({ max: currentTarget.value })}
          />
        </>
      )}
    </div>
  )
}

const Options = ({ field, onChange }: PartProps) => (
  <div class="field">
    <label for={`options-${field.id}`}>Values, one a line; without any, every text</label>
    <textarea
      class="input"
      id={`options-${field.id}`}
      rows={4}
      value={field.options}
      onInput={({ currentTarget }) => onChange({ options: currentTarget.value })}
    />
  </div>
)

function TargetStructure({ field, onChange }: PartProps) {
  const { data } = useStructures()
  return (
    <div class="field">
      <label for={`structure-${field.id}`}>Rows of</label>
      <select
        class="input"
        id={`structure-${field.id}`}
        value={field.structure}
        onChange={({ currentTarget }) => onChange({ structure: currentTarget.value })}
      >
        <option value="">any table</option>
        {data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
