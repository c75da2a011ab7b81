import { Check } from '../../../components/check.tsx'
import { Button, Field as FieldInput } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import type { Structure } from '../../../data/records/model.ts'
import { useStructures } from '../../../data/records/structures.ts'
import {
  type FieldDraft,
  hasBounds,
  isComputedType,
  keyFor,
  keyOf,
  mayBeMultiple,
  STYLES,
  TYPE_LABELS,
  TYPES,
} from './draft.ts'
import { Formula } from './formula.tsx'
import { Rollup } from './rollup.tsx'

interface FieldFormProps {
  readonly field: FieldDraft
  /** True if the table has or had rows since the field was saved: key and type are then fixed. */
  readonly isFixed: boolean
  /** The types of the other fields, by key. */
  readonly others: ReadonlyMap<string, string>
  /** Undefined before the table exists. */
  readonly structure: Structure | undefined
  readonly onChange: (part: Partial<FieldDraft>) => void
  /** Opens the conversion dialog. */
  readonly onConvert: (() => void) | undefined
  readonly onMove: (() => void) | undefined
  readonly onRemove: (() => void) | undefined
}

/** Edits a field of a structure. Fixed properties are shown as text. */
export function FieldForm({
  field,
  isFixed,
  others,
  structure,
  onChange,
  onConvert,
  onMove,
  onRemove,
}: FieldFormProps) {
  const name = field.label || keyOf(field) || 'New field'
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
            <span class="label">API name</span>
            <code class="fixed">{keyOf(field)}</code>
          </div>
        ) : (
          <KeyInput field={field} onChange={onChange} />
        )}
        {isFixed ? (
          <div class="field">
            <span class="label">Type</span>
            <span class="fixed">{TYPE_LABELS[field.type]}</span>
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
                  {TYPE_LABELS[type]}
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
      <FieldFlags field={field} isFixed={isFixed} onChange={onChange} />
      <details>
        <summary>Rules and display: {name}</summary>
        <FieldRules field={field} onChange={onChange} />
      </details>
      {field.type === 'rollup' && <Rollup field={field} structureId={structure?.id} onChange={onChange} />}
      {field.type === 'formula' && (
        <Formula
          expression={field.expression}
          types={others}
          structure={structure}
          onChange={(expression) => onChange({ expression })}
        />
      )}
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
    label="API name"
    name={`key-${field.id}`}
    maxLength={63}
    value={field.key || keyFor(field.label)}
    onInput={({ currentTarget }) => onChange({ key: currentTarget.value })}
  />
)

const FLAGS = [
  ['required', 'Required'],
  ['unique', 'Unique'],
  ['hidden', 'Hidden in the table'],
] as const

const FieldFlags = ({ field, isFixed, onChange }: PartProps & { readonly isFixed: boolean }) => (
  <p class="flags">
    {FLAGS.filter(([flag]) => flag === 'hidden' || !isComputedType(field.type)).map(([flag, label]) => (
      <Check key={flag} label={label} checked={field[flag]} onChange={(isOn) => onChange({ [flag]: isOn })} />
    ))}
    {mayBeMultiple(field.type) && (
      <Check
        label="Several values"
        checked={field.multiple}
        disabled={isFixed}
        onChange={(isOn) => onChange({ multiple: isOn })}
      />
    )}
  </p>
)

function FieldRules({ field, onChange }: PartProps) {
  const unit = field.type === 'text' ? ' characters' : ''
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
            label={`Min${unit}`}
            name={`min-${field.id}`}
            value={field.min}
            onInput={({ currentTarget }) => onChange({ min: currentTarget.value })}
          />
          <FieldInput
            label={`Max${unit}`}
            name={`max-${field.id}`}
            value={field.max}
            onInput={({ currentTarget }) => onChange({ max: currentTarget.value })}
          />
        </>
      )}
      {STYLES[field.type] && <Format field={field} onChange={onChange} />}
    </div>
  )
}

const Format = ({ field, onChange }: PartProps) => (
  <>
    <div class="field">
      <label for={`style-${field.id}`}>Format</label>
      <select
        class="input"
        id={`style-${field.id}`}
        value={field.style}
        onChange={({ currentTarget }) => onChange({ style: currentTarget.value })}
      >
        <option value="">None</option>
        {Object.entries(STYLES[field.type] ?? {}).map(([style, label]) => (
          <option key={style} value={style}>
            {label}
          </option>
        ))}
      </select>
    </div>
    {field.type === 'number' && field.style !== '' && (
      <FieldInput
        label="Decimals"
        name={`decimals-${field.id}`}
        value={field.decimals}
        onInput={({ currentTarget }) => onChange({ decimals: currentTarget.value })}
      />
    )}
    {field.type === 'number' && field.style === 'currency' && (
      <FieldInput
        label="Currency, such as EUR"
        name={`currency-${field.id}`}
        maxLength={3}
        value={field.currency}
        onInput={({ currentTarget }) => onChange({ currency: currentTarget.value })}
      />
    )}
  </>
)

const Options = ({ field, onChange }: PartProps) => (
  <div class="field">
    <label for={`options-${field.id}`}>Options, one per line. Empty allows any text.</label>
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
      <label for={`structure-${field.id}`}>Table</label>
      <select
        class="input"
        id={`structure-${field.id}`}
        value={field.structure}
        onChange={({ currentTarget }) => onChange({ structure: currentTarget.value })}
      >
        <option value="">Any table</option>
        {data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
