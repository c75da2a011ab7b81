import { Check } from '../../components/check.tsx'
import { SelectField } from '../../components/select.tsx'
import '../../styles/conditions.ts'
import { useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/api.ts'
import { type Preset, typedValue, valueText } from './data.ts'
import { Editor, Text } from './editor.tsx'
import type { Definitions } from './filter/tree.ts'

interface Entry {
  readonly key: string
  readonly asks: boolean
  readonly text: string
}

const entriesOf = (preset: Preset | undefined): Entry[] => [
  ...(preset?.properties ?? []).map(({ key, value }) => ({ key, asks: false, text: valueText(value) })),
  ...(preset?.asks ?? []).map(({ key, value }) => ({ key, asks: true, text: valueText(value) })),
]

/** Creates or edits a preset: the tags and values that it sets, and the values that it asks for. */
export function PresetForm({
  preset,
  definitions,
}: {
  preset: Preset | undefined
  definitions: Definitions
}) {
  const { properties } = definitions
  const [name, setName] = useState(preset?.name ?? '')
  const [tags, setTags] = useState(preset?.tags.join(', ') ?? '')
  const [entries, setEntries] = useState<readonly Entry[]>(() => entriesOf(preset))
  const [content, setContent] = useState(preset?.content ?? '')
  const [isPinned, setPinned] = useState(preset?.is_pinned ?? false)
  const valueFor = ({ key, text }: Entry) =>
    typedValue(properties.find((property) => property.key === key)?.type ?? 'text', text)
  const save = async () => {
    const body = {
      name,
      tags: tags
        .split(',')
        .map((tag) => tag.trim())
        .filter(Boolean),
      properties: entries
        .filter(({ asks }) => !asks)
        .map((entry) => ({ key: entry.key, value: valueFor(entry) })),
      ask: entries.filter(({ asks }) => asks).map((entry) => ({ key: entry.key, value: valueFor(entry) })),
      ...(content !== (preset?.content ?? '') && { content: content === '' ? null : content }),
      is_pinned: isPinned,
    }
    const saved = preset
      ? await api.patch('/v1/presets/{idOrName}', { params: { idOrName: preset.id }, body })
      : await api.post('/v1/presets', { body })
    return saved.preset.id
  }
  const unusedProperties = properties.filter(({ key }) => !entries.some((entry) => entry.key === key))
  return (
    <Editor
      title={preset?.name ?? 'New preset'}
      what="preset"
      name={preset?.name}
      save={save}
      remove={preset && (() => api.delete('/v1/presets/{idOrName}', { params: { idOrName: preset.id } }))}
      consequence="Only the preset is deleted. Notes keep its tags and values."
    >
      <Text label="Name" value={name} isRequired onInput={setName} />
      <Text label="Tags, separated by commas" value={tags} onInput={setTags} />
      {entries.map((entry, at) => {
        const change = (changed: Partial<Entry>) => setEntries(entries.with(at, { ...entry, ...changed }))
        const label = properties.find(({ key }) => key === entry.key)?.label ?? entry.key
        return (
          <div class="condition" key={entry.key}>
            <div class="parts">
              <strong>{label}</strong>
              <select
                class="input"
                aria-label={`Action for ${label}`}
                value={entry.asks ? 'asks' : 'sets'}
                onChange={({ currentTarget }) => change({ asks: currentTarget.value === 'asks' })}
              >
                <option value="sets">set to</option>
                <option value="asks">ask, with default</option>
              </select>
              <input
                class="input"
                aria-label={`Value of ${label}`}
                value={entry.text}
                onInput={({ currentTarget }) => change({ text: currentTarget.value })}
              />
            </div>
            <button
              type="button"
              class="button quiet icon-only"
              aria-label={`Remove ${label}`}
              onClick={() => setEntries(entries.toSpliced(at, 1))}
            >
              <Icon name="x" />
            </button>
          </div>
        )
      })}
      {unusedProperties.length > 0 && (
        <SelectField
          label="Add a property"
          value=""
          options={[['', 'Select…'], ...unusedProperties.map(({ key, label }) => [key, label] as const)]}
          onChange={(key) => setEntries([...entries, { key, asks: false, text: '' }])}
        />
      )}
      {properties.length === 0 && (
        <p class="dim">No properties yet. Create one under Properties to set it here.</p>
      )}
      <div class="field">
        <label for="preset-text">Text of a new note</label>
        <textarea
          id="preset-text"
          class="input"
          rows={8}
          value={content}
          onInput={({ currentTarget }) => setContent(currentTarget.value)}
        />
        <p class="dim">
          {
            '{{date}}, {{time}} and {{title}} are filled in. In an existing note, the text is added at the end.'
          }
        </p>
      </div>
      <Check label="Pinned" checked={isPinned} onChange={setPinned} />
    </Editor>
  )
}
