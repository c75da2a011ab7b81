import { useState } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { SelectField } from '../../components/select.tsx'
import { useId } from '../../components/use-id.ts'
import { api } from '../../data/api.ts'
import { formatNumber } from '../../data/formats.ts'
import type { Property } from './data.ts'
import { Editor, Text } from './editor.tsx'

const TYPES = [
  ['text', 'Text'],
  ['number', 'Number'],
  ['date', 'Date'],
  ['bool', 'Checkbox'],
  ['select', 'Select'],
  ['json', 'JSON'],
] as const

type Type = (typeof TYPES)[number][0]

/** Creates or edits a property: its key, label, type and options. */
export function PropertyForm({ property }: { property: Property | undefined }) {
  const id = useId()
  const [key, setKey] = useState(property?.key ?? '')
  const [label, setLabel] = useState(property?.label ?? '')
  const [type, setType] = useState<Type>((property?.type as Type | undefined) ?? 'text')
  const [options, setOptions] = useState(property?.options?.join('\n') ?? '')
  const [isPinned, setPinned] = useState(property?.is_pinned ?? false)
  const [strandedValues, setStrandedValues] = useState<readonly { value: string; notes: number }[]>([])
  const save = async () => {
    const body = {
      key,
      ...(type !== property?.type && { type }),
      ...(label !== '' && { label }),
      ...(type === 'select' && {
        options: options
          .split('\n')
          .map((one) => one.trim())
          .filter(Boolean),
      }),
      is_pinned: isPinned,
    }
    if (!property) return (await api.post('/v1/properties', { body: { ...body, type } })).property.id
    const params = { idOrKey: property.id }
    const saved = await api.patch('/v1/properties/{idOrKey}', { params, body })
    setStrandedValues(saved.stranded_values)
    return saved.property.id
  }
  return (
    <Editor
      title={property?.label ?? 'New property'}
      what="property"
      name={property?.key}
      save={save}
      remove={
        property && (() => api.delete('/v1/properties/{idOrKey}', { params: { idOrKey: property.id } }))
      }
      consequence={`Its values are deleted in ${property?.notes_with_value.toLocaleString()} notes too.`}
    >
      <Text label="API name" value={key} isRequired onInput={setKey} />
      <Text label="Label" value={label} onInput={setLabel} />
      <SelectField label="Type" value={type} options={TYPES} onChange={(value) => setType(value as Type)} />
      {type === 'select' && (
        <div class="field">
          <label for={id}>Options, one per line</label>
          <textarea
            class="input"
            id={id}
            rows={5}
            value={options}
            onInput={({ currentTarget }) => setOptions(currentTarget.value)}
          />
        </div>
      )}
      {strandedValues.length > 0 && (
        <p role="status">
          Some notes have values that are no longer options:{' '}
          {strandedValues.map(({ value, notes }) => `${value} (${formatNumber(notes)})`).join(', ')}.
        </p>
      )}
      <Check label="Pinned" checked={isPinned} onChange={setPinned} />
    </Editor>
  )
}
