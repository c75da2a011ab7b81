import { useState } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { GroupEditor } from '../../components/conditions/group-editor.tsx'
import { SelectField } from '../../components/select.tsx'
import { api } from '../../data/api.ts'
import { ShareButton } from '../shares/share-button.tsx'
import type { View } from './data.ts'
import { Editor, Text } from './editor.tsx'
import { Preview } from './filter/preview.tsx'
import { asFilter, asGroup, type Definitions, noteLanguage } from './filter/tree.ts'

const MAX_SHOWN = 3

const SORTS = [
  ['updated_at', 'Last edited'],
  ['created_at', 'Created'],
  ['title', 'Title'],
] as const

type Sort = {
  field: 'created_at' | 'updated_at' | 'title' | 'property'
  direction: 'asc' | 'desc'
  property?: string
}

const sortOf = (value: string, direction: string): Sort => {
  const [field, property] = value.split(' ')
  return {
    field: field as Sort['field'],
    direction: direction as Sort['direction'],
    ...(property !== undefined && { property }),
  }
}

/** Creates or edits a view: its filter, its order, and the properties on its cards. */
export function ViewForm({ view, definitions }: { view: View | undefined; definitions: Definitions }) {
  const [name, setName] = useState(view?.name ?? '')
  const [group, setGroup] = useState(() => asGroup(view?.filter ?? null))
  const [sort, setSort] = useState(
    view?.sort.property ? `property ${view.sort.property}` : (view?.sort.field ?? 'updated_at'),
  )
  const [direction, setDirection] = useState<string>(view?.sort.direction ?? 'desc')
  const [displayed, setDisplayed] = useState<readonly string[]>(view?.display_properties ?? [])
  const [flags, setFlags] = useState({
    show_tags: view?.show_tags ?? true,
    is_pinned: view?.is_pinned ?? false,
    is_default: view?.is_default ?? false,
  })
  const flag = (key: keyof typeof flags) => (value: boolean) => setFlags({ ...flags, [key]: value })
  const save = async () => {
    const body = {
      name,
      filter: asFilter(group),
      sort: sortOf(sort, direction),
      display_properties: [...displayed],
      ...flags,
    }
    const saved = view
      ? await api.patch('/v1/views/{id}', { params: { id: view.id }, body })
      : await api.post('/v1/views', { body })
    return saved.view.id
  }
  return (
    <Editor
      title={view?.name ?? 'New view'}
      what="view"
      name={view?.name}
      save={save}
      remove={view && (() => api.delete('/v1/views/{id}', { params: { id: view.id } }))}
      consequence="Only the view is deleted. Its notes stay."
      more={
        view && <ShareButton word="Share by link" kind="view" targetId={view.id} title={`“${view.name}”`} />
      }
    >
      <Text label="Name" value={name} isRequired onInput={setName} />
      <GroupEditor language={noteLanguage(definitions)} group={group} onChange={setGroup} />
      <Preview filter={asFilter(group)} definitions={definitions} />
      <div class="pair">
        <SelectField
          label="Sort by"
          value={sort}
          options={[
            ...SORTS,
            ...definitions.properties.map(({ key, label }) => [`property ${key}`, label] as const),
          ]}
          onChange={setSort}
        />
        <SelectField
          label="Direction"
          value={direction}
          options={[
            ['desc', 'descending'],
            ['asc', 'ascending'],
          ]}
          onChange={setDirection}
        />
      </div>
      {definitions.properties.length > 0 && (
        <fieldset class="field">
          <legend class="label">Properties on cards (up to {MAX_SHOWN})</legend>
          <div class="checks">
            {definitions.properties.map(({ key, label }) => (
              <Check
                key={key}
                label={label}
                checked={displayed.includes(key)}
                onChange={(isOn) =>
                  setDisplayed(isOn ? [...displayed, key] : displayed.filter((one) => one !== key))
                }
              />
            ))}
          </div>
        </fieldset>
      )}
      <div class="checks">
        <Check label="Show tags" checked={flags.show_tags} onChange={flag('show_tags')} />
        <Check label="Pinned" checked={flags.is_pinned} onChange={flag('is_pinned')} />
        <Check label="Default view" checked={flags.is_default} onChange={flag('is_default')} />
      </div>
    </Editor>
  )
}
