import { useState } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { GroupEditor } from '../../components/conditions/group-editor.tsx'
import { SelectField } from '../../components/select.tsx'
import { api } from '../../data/api.ts'
import { address } from '../../router.ts'
import type { Lens } from './data.ts'
import { Editor, Text } from './editor.tsx'
import { Preview } from './filter/preview.tsx'
import { asFilter, asGroup, type Definitions, noteLanguage } from './filter/tree.ts'

const TITLES = [
  ['zoom', 'when zoomed in'],
  ['always', 'always'],
  ['never', 'never'],
] as const

/** Creates or edits a lens: the notes in its graph and their appearance. */
export function LensForm({ lens, definitions }: { lens: Lens | undefined; definitions: Definitions }) {
  const [name, setName] = useState(lens?.name ?? '')
  const [group, setGroup] = useState(() => asGroup(lens?.scope ?? null))
  const [layers, setLayers] = useState(lens?.settings.layers ?? { links: true, tags: false })
  const [nodes, setNodes] = useState(lens?.settings.nodes ?? { orphans: true, dangling: false })
  const [arrows, setArrows] = useState(lens?.settings.look.arrows ?? true)
  const [titles, setTitles] = useState<string>(lens?.settings.look.titles ?? 'zoom')
  const [isDefault, setDefault] = useState(lens?.is_default ?? false)
  const save = async () => {
    const look = {
      arrows,
      titles: titles as Lens['settings']['look']['titles'] as 'zoom' | 'always' | 'never',
    }
    const body = {
      name,
      scope: asFilter(group),
      settings: { layers, nodes, look },
      ...(isDefault !== (lens?.is_default ?? false) && { is_default: isDefault }),
    }
    const saved = lens
      ? await api.patch('/v1/lenses/{id}', { params: { id: lens.id }, body })
      : await api.post('/v1/lenses', { body })
    return saved.lens.id
  }
  return (
    <Editor
      title={lens?.name ?? 'New lens'}
      what="lens"
      name={lens?.name}
      save={save}
      remove={lens && (() => api.delete('/v1/lenses/{id}', { params: { id: lens.id } }))}
      consequence="Only the lens is deleted. Its notes stay."
    >
      <Text label="Name" value={name} isRequired onInput={setName} />
      <GroupEditor language={noteLanguage(definitions)} group={group} onChange={setGroup} />
      <Preview filter={asFilter(group)} definitions={definitions} />
      <div class="checks">
        <Check label="Links" checked={layers.links} onChange={(links) => setLayers({ ...layers, links })} />
        <Check label="Tags" checked={layers.tags} onChange={(tags) => setLayers({ ...layers, tags })} />
        <Check
          label="Notes without links"
          checked={nodes.orphans}
          onChange={(orphans) => setNodes({ ...nodes, orphans })}
        />
        <Check
          label="Links to notes that don’t exist"
          checked={nodes.dangling}
          onChange={(dangling) => setNodes({ ...nodes, dangling })}
        />
        <Check label="Arrows" checked={arrows} onChange={setArrows} />
        <Check label="Default lens" checked={isDefault} onChange={setDefault} />
      </div>
      <SelectField label="Titles" value={titles} options={TITLES} onChange={setTitles} />
      {lens && (
        <p>
          <a href={address(['graph'], { lens: lens.id })}>Show graph</a>
        </p>
      )}
    </Editor>
  )
}
