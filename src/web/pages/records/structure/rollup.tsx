import { SelectField } from '../../../components/select.tsx'
import { useStructures } from '../../../data/records/structures.ts'
import type { FieldDraft } from './draft.ts'

/** The functions of roll-ups, with the types of the fields that they take. */
const FUNCTIONS = {
  count: { label: 'Count', types: [] },
  sum: { label: 'Sum', types: ['number'] },
  average: { label: 'Average', types: ['number'] },
  min: { label: 'Min', types: ['number', 'date', 'datetime'] },
  max: { label: 'Max', types: ['number', 'date', 'datetime'] },
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
      .map(({ key, label }): [string, string] => [`${id} ${key}`, `${name}: ${label}`]),
  )
  const types: readonly string[] = FUNCTIONS[field.rollupFunction].types
  const counted = data.find(({ id }) => id === field.viaStructure)?.fields ?? []
  const values = counted.filter(({ type, result }) => types.includes(result ?? type))
  if (links.length === 0)
    return <p class="dim">No table links to this one. Add a field of type “Row of a table” there first.</p>
  return (
    <div class="definition-line">
      <SelectField
        label="Rows that link here by"
        value={`${field.viaStructure} ${field.viaField}`}
        options={[[' ', 'Select a field'], ...links]}
        onChange={(value) => {
          const [viaStructure = '', viaField = ''] = value.split(' ')
          onChange({ viaStructure, viaField, rolledField: '' })
        }}
      />
      <SelectField
        label="Function"
        value={field.rollupFunction}
        options={Object.entries(FUNCTIONS).map(([value, { label }]) => [value, label])}
        onChange={(value) => onChange({ rollupFunction: value as FieldDraft['rollupFunction'] })}
      />
      {types.length > 0 && (
        <SelectField
          label="Of the field"
          value={field.rolledField}
          options={[
            ['', 'Select a field'],
            ...values.map(({ key, label }): [string, string] => [key, label]),
          ]}
          onChange={(rolledField) => onChange({ rolledField })}
        />
      )}
    </div>
  )
}
