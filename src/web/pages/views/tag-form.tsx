import { useState } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { api } from '../../data/api.ts'
import { formatNumber } from '../../data/formats.ts'
import { useQuery } from '../../data/use-query.ts'
import { address } from '../../router.ts'
import type { Tag } from './data.ts'
import { Editor, Text } from './editor.tsx'
import type { Definitions } from './filter/tree.ts'

/** Edits a tag and the tags that are added with it. */
export function TagForm({ tag, definitions }: { tag: Tag; definitions: Definitions }) {
  const { id } = tag
  const [name, setName] = useState(tag.name)
  const [color, setColor] = useState(tag.color)
  const [isPinned, setPinned] = useState(tag.is_pinned)
  const [linked, setLinked] = useState<readonly number[]>(() => tag.linked_tags.map((one) => one.id))
  const use = useQuery(['tag view lens', 'use', id], ({ signal }) =>
    api.get('/v1/tags/{id}', { params: { id }, signal }),
  ).data?.used_by
  const save = async () => {
    await api.patch('/v1/tags/{id}', { params: { id }, body: { name, color, is_pinned: isPinned } })
    const before = tag.linked_tags.map((one) => one.id)
    if (before.length !== linked.length || before.some((one) => !linked.includes(one)))
      await api.put('/v1/tags/{id}/links', { params: { id }, body: { linked_tag_ids: [...linked] } })
    return String(id)
  }
  const others = definitions.tags.filter((one) => one.id !== id)
  return (
    <Editor
      title={`#${tag.name}`}
      what="tag"
      name={tag.name}
      save={save}
      remove={() => api.delete('/v1/tags/{id}', { params: { id } })}
      consequence={`The tag is removed from ${formatNumber(tag.note_count)} notes. The notes stay.`}
    >
      <Text label="Name" value={name} isRequired onInput={setName} />
      <div class="checks">
        <Check
          label="Use a colour"
          checked={color !== null}
          onChange={(isOn) => setColor(isOn ? '#1e90ff' : null)}
        />
        {color !== null && (
          <input
            type="color"
            aria-label="Colour"
            value={color}
            onInput={({ currentTarget }) => setColor(currentTarget.value)}
          />
        )}
        <Check label="Pinned" checked={isPinned} onChange={setPinned} />
      </div>
      {others.length > 0 && (
        <fieldset class="field">
          <legend class="label">Tags added with it</legend>
          <div class="checks scrolls">
            {others.map((other) => (
              <Check
                key={other.id}
                label={other.name}
                checked={linked.includes(other.id)}
                onChange={(isOn) =>
                  setLinked(isOn ? [...linked, other.id] : linked.filter((one) => one !== other.id))
                }
              />
            ))}
          </div>
        </fieldset>
      )}
      {use && use.views.length + use.lenses.length > 0 && (
        <p class="dim">
          Used by{' '}
          {use.views.map((view) => (
            <a key={view.id} href={address(['views', 'views', view.id])}>
              {view.name}{' '}
            </a>
          ))}
          {use.lenses.map((lens) => (
            <a key={lens.id} href={address(['views', 'lenses', lens.id])}>
              {lens.name}{' '}
            </a>
          ))}
        </p>
      )}
    </Editor>
  )
}
