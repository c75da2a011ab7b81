import { useStructures } from '../../../data/records/structures.ts'
import type { FieldDraft } from './draft.ts'

/** The functions of roll-ups, with the types of the fields that they take. */
const FUNCTIONS = {
  count: { label: 'Count', types: [] },
  sum: { label: 'Sum', types: ['number'] },
  average: { label: 'Average', types: ['number'] },
  min: { label: 'Least', types: ['number', 'date', 'datetime'] },
  max: { label: 'Greatest', types: ['number', 'date', 'datetime'] },
} as const

interface RollupProps {
  readonly field: FieldDraft
  /** The id of the table; undefined before it exists. */
  readonly structureId: string | undefined
  readonly onChange: (part: Partial<FieldDraft>) => void
}

/** Selects the field whose rows count, the function, and the field whose values count. */
export function Rollup({ field, structureId, onChange }: RollupProps) {
  const { data = [] } = useStructures()
  const links = data.flatMap(({ id, name, fields }) =>
    fields
      .filter(({ type, structure }) => type === 'record' && structure === structureId)
      .map(({ key, label }) => ({ value: `${id} ${key}`, label: `${name}: ${label}` })),
  )
  const types: readonly string[] = FUNCTIONS[field.rollupFunction].types
  const counted = data.find(({ id }) => id === field.viaStructure)?.fields ?? []
  const values = counted.filter(({ type, result }) => types.includes(result ?? type))
  if (links.length === 0)
    return <p class="dim">No table links to this one. Add a field of type “Row of a table” there first.</p>
  return (
    <div class="definition-line">
      <Choice
        id={`via-${field.id}`}
        label="Rows that link here by"
        value={`${field.viaStructure} ${field.viaField}`}
        options={[{ value: ' ', label: 'Select a field' }, ...links]}
        onChange={(value) => {
          const [viaStructure = '', viaField = ''] = value.split(' ')
          onChange({ viaStructure, viaField, rolledField: '' })
        }}
      />
      <Choice
        id={`function-${field.id}`}
        label="Function"
        value={field.rollupFunction}
        options={Object.entries(FUNCTIONS).map(([value, { label }]) => ({ value, label }))}
        onChange={(value) => onChange({ rollupFunction: value as FieldDraft['rollupFunction'] })}
      />
      {types.length > 0 && (
        <Choice
          id={`rolled-${field.id}`}
          label="Of the field"
          value={field.rolledField}
          options={[
            { value: '', label: 'Select a field' },
            ...values.map(({ key, label }) => ({ value: key, label })),
          ]}
          onChange={(rolledField) => onChange({ rolledField })}
        />
      )}
    </div>
  )
}

interface ChoiceProps {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string) => void
}

const Choice = ({ id, label, value, options, onChange }: ChoiceProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <select
      class="input"
      id={id}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  </div>
)
