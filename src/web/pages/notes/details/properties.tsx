import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { useSerialized } from '../../../components/serialized.ts'
import { useId } from '../../../components/use-id.ts'
import { api } from '../../../data/api.ts'
import { writeAction } from '../../../data/pending-actions.ts'
import { unreachableSince } from '../../../data/request.ts'
import { mayWriteNotes } from '../../../data/session.ts'
import { useQuery } from '../../../data/use-query.ts'
import { findDocument } from '../../../offline/note-documents.ts'
import { fieldText, type Property, PropertyControl, typedValue } from './property-control.tsx'

const usePropertiesQuery = () => useQuery(['property'], () => api.get('/v1/properties'))

export const useProperties = () => usePropertiesQuery().data?.properties

/** True once the properties and their values for a note are loaded, or cannot be loaded now. */
export function useArePropertiesLoaded(id: string): boolean {
  const queries = [usePropertiesQuery(), usePropertyValues(id)]
  return (
    queries.every(({ data, error }) => data !== undefined || error !== null) ||
    unreachableSince.value !== undefined
  )
}

const usePropertyValues = (id: string) =>
  useQuery(['note property', 'values', id], () => api.get('/v1/notes/{id}/properties', { params: { id } }))

/** Edits the note's properties and adds others. A cleared property stays visible until the note is closed. */
export function Properties({ id }: { id: string }) {
  const [added, setAdded] = useState<readonly string[]>([])
  const seen = useRef(new Set<string>())
  const definitions = useProperties() ?? []
  const values = usePropertyValues(id).data?.properties as Record<string, unknown> | undefined
  if (!values || definitions.length === 0) return null
  for (const { key } of definitions)
    if (values[key] !== undefined && values[key] !== null) seen.current.add(key)
  const isShown = ({ key }: Property) => seen.current.has(key) || added.includes(key)
  const shown = definitions.filter(isShown)
  return (
    <section class="section">
      <h3>Properties</h3>
      {shown.length === 0 && !mayWriteNotes.value && <p class="dim">No properties.</p>}
      {shown.length > 0 && (
        <dl class="facts">
          {shown.map((property) => (
            <Value
              key={property.id}
              note={id}
              property={property}
              value={values[property.key]}
              isJustAdded={added.at(-1) === property.key}
            />
          ))}
        </dl>
      )}
      {mayWriteNotes.value && shown.length < definitions.length && (
        <AddProperty
          available={definitions.filter((property) => !isShown(property))}
          onAdd={({ key }) => setAdded([...added, key])}
        />
      )}
    </section>
  )
}

interface AddPropertyProps {
  readonly available: readonly Property[]
  readonly onAdd: (property: Property) => void
}

/** Adds a property by its typed name. */
function AddProperty({ available, onAdd }: AddPropertyProps) {
  const field = useId()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const add = (typed: string, isDone: boolean) => {
    setName(typed)
    setError(undefined)
    const wanted = typed.trim().toLowerCase()
    const found = available.filter(({ key, label }) => [key, label.toLowerCase()].includes(wanted))
    // A name that is a prefix of another may be incomplete while the user types.
    const isWhole = isDone || !available.some(({ label }) => label.toLowerCase().startsWith(`${wanted} `))
    if (found[0] && isWhole) {
      setName('')
      onAdd(found[0])
    } else if (isDone) setError(`No property has this name. Create it under “Views, tags, properties”.`)
  }
  return (
    <form
      class="add-line"
      onSubmit={(event) => {
        event.preventDefault()
        add(name, true)
      }}
    >
      <label class="visually-hidden" for={field}>
        Property
      </label>
      <input
        class="input"
        id={field}
        list={`${field}-list`}
        autocomplete="off"
        placeholder="Property"
        required
        value={name}
        aria-invalid={error !== undefined}
        aria-describedby={error && `${field}-why`}
        onInput={({ currentTarget }) => add(currentTarget.value, false)}
      />
      <datalist id={`${field}-list`}>
        {available.map(({ key, label }) => (
          <option key={key} value={label} />
        ))}
      </datalist>
      <Button type="submit">Add property</Button>
      {error !== undefined && <ErrorText id={`${field}-why`}>{error}</ErrorText>}
    </form>
  )
}

interface ValueProps {
  readonly note: string
  readonly property: Property
  readonly value: unknown
  /** Just added: takes the focus. */
  readonly isJustAdded: boolean
}

function Value({ note, property, value, isJustAdded }: ValueProps) {
  const id = useId()
  useEffect(() => {
    if (isJustAdded) document.getElementById(id)?.focus()
  }, [id, isJustAdded])
  /** Unsaved text. It survives refusals and changes by others. */
  const [typed, setTyped] = useState<string>()
  const { run, refusal } = useAction(async (text: string, unreadable: string | undefined) => {
    if (unreadable !== undefined) throw new Error(unreadable)
    await writeAction({
      kind: 'value',
      note: { id: note, title: findDocument(note)?.draft.text.peek().title ?? 'a note' },
      property: { key: property.key, label: property.label },
      before: value,
      value: typedValue(property, text),
    })
    setTyped((current) => (current === text ? undefined : current))
  })
  const save = useSerialized(run)
  const text = fieldText(property, value)
  if (!mayWriteNotes.value)
    return (
      <>
        <dt>{property.label}</dt>
        <dd>{displayText(property, text)}</dd>
      </>
    )
  return (
    <>
      <dt>
        <label for={id}>{property.label}</label>
      </dt>
      <dd>
        <PropertyControl
          property={property}
          id={id}
          text={typed ?? text}
          error={refusal.value}
          onInput={setTyped}
          onChange={(value, unreadable) => void save(value, unreadable)}
        />
      </dd>
    </>
  )
}

const displayText = ({ type }: Property, text: string) =>
  type === 'bool' ? (text === 'true' ? 'yes' : 'no') : text
