import { useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/api.ts'
import { type Preset, typedValue, valueText } from './data.ts'
import { Check, Editor, Select, Text } from './editor.tsx'
import type { Definitions } from './filter/tree.ts'

interface Entry {
  readonly key: string
  readonly isAsked: boolean
  readonly text: string
}

const entriesOf = (preset: Preset | undefined): Entry[] => [
  ...(preset?.properties ?? []).map(({ key, value }) => ({ key, isAsked: false, text: valueText(value) })),
  ...(preset?.asks ?? []).map(({ key, value }) => ({ key, isAsked: true, text: valueText(value) })),
]

/** Makes or changes a preset: the tags and values that it writes, and those that it asks for. */
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
        .filter(({ isAsked }) => !isAsked)
        .map((entry) => ({ key: entry.key, value: valueFor(entry) })),
      ask: entries
        .filter(({ isAsked }) => isAsked)
        .map((entry) => ({ key: entry.key, value: valueFor(entry) })),
      ...(content !== (preset?.content ?? '') && { content: content === '' ? null : content }),
      is_pinned: isPinned,
    }
    const saved = preset
      ? await api.patch('/v1/presets/{idOrName}', { params: { idOrName: preset.id }, body })
      : await api.post('/v1/presets', { body })
    return saved.preset.id
  }
  const free = properties.filter(({ key }) => !entries.some((entry) => entry.key === key))
  return (
    <Editor
      title={preset?.name ?? 'New preset'}
      what="preset"
      name={preset?.name}
      save={save}
      remove={preset && (() => api.delete('/v1/presets/{idOrName}', { params: { idOrName: preset.id } }))}
      consequence="The preset goes; notes keep what it wrote onto them."
    >
      <Text label="Name" value={name} isRequired onInput={setName} />
      <Text label="Tags, with commas between them" value={tags} onInput={setTags} />
      {entries.map((entry, at) => {
        const change = (changed: Partial<Entry>) => setEntries(entries.with(at, { ...entry, ...changed }))
        const label = properties.find(({ key }) => key === entry.key)?.label ?? entry.key
        return (
          <div class="condition" key={entry.key}>
            <div class="parts">
              <strong>{label}</strong>
              <select
                class="input"
                aria-label={`What it does with ${label}`}
                value={entry.isAsked ? 'asks' : 'sets'}
                onChange={({ currentTarget }) => change({ isAsked: currentTarget.value === 'asks' })}
              >
                <option value="sets">is set to</option>
                <option value="asks">is asked for, beginning with</option>
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
              aria-label={`Leave out ${label}`}
              onClick={() => setEntries(entries.toSpliced(at, 1))}
            >
              <Icon name="x" />
            </button>
          </div>
        )
      })}
      {free.length > 0 && (
        <Select
          label="Add a property"
          value=""
          options={[['', 'choose…'], ...free.map(({ key, label }) => [key, label] as const)]}
          onChange={(key) => setEntries([...entries, { key, isAsked: false, text: '' }])}
        />
      )}
      {properties.length === 0 && <p class="dim">There are no properties yet that it could set.</p>}
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
          {'{{date}}, {{time}} and {{title}} are filled in. On a note that is there, it is added at the end.'}
        </p>
      </div>
      <Check label="Pinned" checked={isPinned} onChange={setPinned} />
    </Editor>
  )
}
