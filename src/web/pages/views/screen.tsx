import type { ComponentChildren } from 'preact'
import { ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Empty, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { api } from '../../data/api.ts'
import { counted } from '../../data/formats.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { address, path } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/views.css' with { type: 'text' }
import { useDefinitions, useLenses, usePresets, useProperties, useTags, useViews } from './data.ts'
import { sentenceOf } from './filter/sentence.ts'
import { LensForm } from './lens-form.tsx'
import { PresetForm } from './preset-form.tsx'
import { PropertyForm } from './property-form.tsx'
import { TagForm } from './tag-form.tsx'
import { ViewForm } from './view-form.tsx'

addStyles(styles)

const SECTIONS = [
  ['views', 'Views', 'view', 'A view is a saved filter that stays up to date.'],
  ['presets', 'Presets', 'preset', 'A preset adds tags and property values to a note in one step.'],
  ['lenses', 'Lenses', 'lens', 'A lens selects the notes in the graph and their appearance.'],
  ['tags', 'Tags', 'tag', 'Type # in a note to add a tag. New tags are created automatically.'],
  ['properties', 'Properties', 'property', 'A property is a typed value that any note can have.'],
] as const

type Section = (typeof SECTIONS)[number][0]

const sectionHere = (): Section => SECTIONS.find(([name]) => name === path.value[1])?.[0] ?? 'views'

interface Item {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly count?: number
  readonly labels: readonly string[]
}

const labelsOf = (flags: { is_pinned?: boolean; is_default?: boolean }) => [
  ...(flags.is_default ? ['default'] : []),
  ...(flags.is_pinned ? ['pinned'] : []),
]

/** The items of a section. */
function useItems(section: Section): { items: readonly Item[] | undefined; error: Error | null } {
  const [views, presets, lenses] = [useViews(), usePresets(), useLenses()]
  const [tags, properties] = [useTags(), useProperties()]
  const definitions = useDefinitions()
  if (section === 'views') {
    const items = views.data?.views.map((view) => ({
      ...view,
      about: view.filter_summary,
      labels: labelsOf(view),
    }))
    return { items, error: views.error }
  }
  if (section === 'presets') {
    const items = presets.data?.presets.map((preset) => ({
      ...preset,
      about: [...preset.tags.map((tag) => `#${tag}`), ...preset.properties.map(({ key }) => key)].join(', '),
      labels: labelsOf(preset),
    }))
    return { items, error: presets.error }
  }
  if (section === 'lenses') {
    const items = lenses.data?.lenses.map((lens) => ({
      ...lens,
      about: definitions ? sentenceOf(lens.scope, definitions) : '',
      labels: labelsOf(lens),
    }))
    return { items, error: lenses.error }
  }
  if (section === 'tags') {
    const items = tags.data?.tags.map((tag) => ({
      id: String(tag.id),
      name: tag.name,
      about:
        tag.linked_tags.length === 0
          ? ''
          : `with ${tag.linked_tags.map(({ name }) => `#${name}`).join(', ')}`,
      count: tag.note_count,
      labels: labelsOf(tag),
    }))
    return { items, error: tags.error }
  }
  const items = properties.data?.properties.map((property) => ({
    id: property.id,
    name: property.label,
    about: `${property.key}, ${property.type}`,
    count: property.notes_with_value,
    labels: labelsOf(property),
  }))
  return { items, error: properties.error }
}

export function Main() {
  const section = sectionHere()
  const id = path.value[2]
  const [, title, kind, about] = SECTIONS.find(([name]) => name === section) ?? SECTIONS[0]
  const { items, error } = useItems(section)
  const canCreate = mayWriteNotes.value && section !== 'tags'
  return (
    <main id="main" class="views-screen" data-show={id === undefined ? 'content' : 'side'}>
      <h1 class="visually-hidden">Views, presets, lenses, tags, properties</h1>
      <Pane kind="content" label={title}>
        <header class="bar">
          <h2>{title}</h2>
          <span class="grow" />
          {canCreate && (
            <a
              class={id === undefined ? 'button main' : 'button'}
              href={address(['views', section, 'new'])}
              aria-keyshortcuts="n"
            >
              <Icon name="plus" />
              New {kind}
            </a>
          )}
        </header>
        <nav class="tabs" aria-label="Sections">
          {SECTIONS.map(([name, heading]) => (
            <a
              key={name}
              href={address(['views', name])}
              aria-current={name === section ? 'page' : undefined}
            >
              {heading}
            </a>
          ))}
        </nav>
        {error && !items && <QueryError error={error} />}
        {!items && !error && <Loading />}
        {items?.length === 0 && (
          <Empty>
            <p>{about}</p>
          </Empty>
        )}
        {items && items.length > 0 && <List items={items} section={section} here={id} />}
      </Pane>
      {id !== undefined && <ItemForm key={`${section} ${id}`} section={section} id={id} />}
    </main>
  )
}

interface ListProps {
  readonly items: readonly Item[]
  readonly section: Section
  readonly here: string | undefined
}

function List({ items, section, here }: ListProps) {
  const { run, refusal } = useAction((idOrKey: string, position: number) =>
    api.patch('/v1/properties/{idOrKey}', { params: { idOrKey }, body: { position } }),
  )
  const isOrdered = section === 'properties' && mayWriteNotes.value
  return (
    <>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      <ul class="things">
        {items.map(({ id, name, about, count, labels }, at) => (
          <li key={id} class={id === here ? 'chosen' : undefined}>
            <a href={address(['views', section, id])} aria-current={id === here ? 'true' : undefined}>
              <strong>{section === 'tags' ? <span class="tag">{name}</span> : name}</strong>
              <span class="dim">{about}</span>
            </a>
            {labels.map((mark) => (
              <small key={mark}>{mark}</small>
            ))}
            {count !== undefined && <small>{counted(count, 'note')}</small>}
            {isOrdered && (
              <>
                <Move label={`Move ${name} up`} isPossible={at > 0} onClick={() => void run(id, at - 1)}>
                  <Icon name="up" />
                </Move>
                <Move
                  label={`Move ${name} down`}
                  isPossible={at < items.length - 1}
                  onClick={() => void run(id, at + 1)}
                >
                  <Icon name="down" />
                </Move>
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

interface MoveProps {
  readonly label: string
  readonly isPossible: boolean
  readonly onClick: () => void
  readonly children: ComponentChildren
}

const Move = ({ label, isPossible, onClick, children }: MoveProps) => (
  <button
    type="button"
    class="button quiet icon-only"
    aria-label={label}
    disabled={!isPossible}
    onClick={onClick}
  >
    {children}
  </button>
)

/** The form of the item in the address. */
function ItemForm({ section, id }: { section: Section; id: string }) {
  const definitions = useDefinitions()
  const [views, presets, lenses] = [useViews().data, usePresets().data, useLenses().data]
  if (!definitions || !views || !presets || !lenses)
    return (
      <Pane kind="side">
        <Loading />
      </Pane>
    )
  const isNew = id === 'new'
  const find = <Thing extends { id: string | number }>(all: readonly Thing[]) =>
    all.find((one) => String(one.id) === id)
  const [view, preset, lens] = [find(views.views), find(presets.presets), find(lenses.lenses)]
  const [tag, property] = [find(definitions.tags), find(definitions.properties)]
  if (section === 'views' && (view || isNew)) return <ViewForm view={view} definitions={definitions} />
  if (section === 'presets' && (preset || isNew))
    return <PresetForm preset={preset} definitions={definitions} />
  if (section === 'lenses' && (lens || isNew)) return <LensForm lens={lens} definitions={definitions} />
  if (section === 'tags' && tag) return <TagForm tag={tag} definitions={definitions} />
  if (section === 'properties' && (property || isNew)) return <PropertyForm property={property} />
  return (
    <Pane kind="side">
      <Empty>
        <p>This no longer exists.</p>
        <a href={address(['views', section])}>Back to the list</a>
      </Empty>
    </Pane>
  )
}
