import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { useSerialized } from '../../../components/serialized.ts'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import { awaySince } from '../../../data/request.ts'
import { mayWrite } from '../../../data/session.ts'
import { useQuery } from '../../../data/use-query.ts'
import { fieldText, type Property, PropertyControl, typedValue } from './property-control.tsx'

const usePropertiesQuery = () => useQuery(['property'], () => api.get('/v1/properties'))

export const useProperties = () => usePropertiesQuery().data?.properties

/** Whether it is known which properties there are, and their values of a note; or that this cannot be read now. */
export function useIsRead(id: string): boolean {
  const read = [usePropertiesQuery(), usePropertyValues(id)]
  return (
    read.every(({ data, error }) => data !== undefined || error !== null) || awaySince.value !== undefined
  )
}

const usePropertyValues = (id: string) =>
  useQuery(['note property', 'values', id], () => api.get('/v1/notes/{id}/properties', { params: { id } }))

/** The properties that the note has a value of, and a way to the others; one that is emptied stays until the note is left. */
export function Properties({ id }: { id: string }) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const kept = useRef(new Set<string>())
  const definitions = useProperties() ?? []
  const values = usePropertyValues(id).data?.properties as Record<string, unknown> | undefined
  if (!values || definitions.length === 0) return null
  for (const { key } of definitions)
    if (values[key] !== undefined && values[key] !== null) kept.current.add(key)
  const isShown = ({ key }: Property) => kept.current.has(key) || chosen.includes(key)
  const shown = definitions.filter(isShown)
  return (
    <section class="section">
      <h3>Properties</h3>
      {shown.length === 0 && !mayWrite.value && <p class="dim">No properties.</p>}
      {shown.length > 0 && (
        <dl class="facts">
          {shown.map((property) => (
            <Value
              key={property.id}
              note={id}
              property={property}
              value={values[property.key]}
              isChosen={chosen.at(-1) === property.key}
            />
          ))}
        </dl>
      )}
      {mayWrite.value && shown.length < definitions.length && (
        <AddProperty
          left={definitions.filter((property) => !isShown(property))}
          onChoose={({ key }) => setChosen([...chosen, key])}
        />
      )}
    </section>
  )
}

interface AddPropertyProps {
  readonly left: readonly Property[]
  readonly onChoose: (property: Property) => void
}

/** Shows the field of another property, which is named by typing. */
function AddProperty({ left, onChoose }: AddPropertyProps) {
  const field = useId()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const choose = (typed: string, isDone: boolean) => {
    setName(typed)
    setError(undefined)
    const wanted = typed.trim().toLowerCase()
    const found = left.filter(({ key, label }) => [key, label.toLowerCase()].includes(wanted))
    // While one types, a name that another one goes on with may not be whole yet.
    const isWhole = isDone || !left.some(({ label }) => label.toLowerCase().startsWith(`${wanted} `))
    if (found[0] && isWhole) {
      setName('')
      onChoose(found[0])
    } else if (isDone) setError(`No property has this name; a new one is made in “Views, tags, properties”.`)
  }
  return (
    <form
      class="add-line"
      onSubmit={(event) => {
        event.preventDefault()
        choose(name, true)
      }}
    >
      <label class="visually-hidden" for={field}>
        Property to add
      </label>
      <input
        class="input"
        id={field}
        list={`${field}-list`}
        autocomplete="off"
        required
        value={name}
        aria-invalid={error !== undefined}
        aria-describedby={error && `${field}-why`}
        onInput={({ currentTarget }) => choose(currentTarget.value, false)}
      />
      <datalist id={`${field}-list`}>
        {left.map(({ key, label }) => (
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
  /** Whether it was just asked for, and is to be filled in. */
  readonly isChosen: boolean
}

function Value({ note, property, value, isChosen }: ValueProps) {
  const id = useId()
  useEffect(() => {
    if (isChosen) document.getElementById(id)?.focus()
  }, [id, isChosen])
  /** What was typed and is not saved; it stays while the value changes elsewhere, and when it was refused. */
  const [typed, setTyped] = useState<string>()
  const { run, refusal } = useAction(async (text: string, unreadable: string | undefined) => {
    if (unreadable !== undefined) throw new Error(unreadable)
    const body = { [property.key]: typedValue(property, text) }
    await api.patch('/v1/notes/{id}/properties', { params: { id: note }, body })
    await invalidate(new Set(['note', 'property']))
    setTyped((now) => (now === text ? undefined : now))
  })
  const save = useSerialized(run)
  const text = fieldText(property, value)
  if (!mayWrite.value)
    return (
      <>
        <dt>{property.label}</dt>
        <dd>{shown(property, text)}</dd>
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
          onChange={(given, unreadable) => void save(given, unreadable)}
        />
      </dd>
    </>
  )
}

const shown = ({ type }: Property, text: string) =>
  type === 'bool' ? (text === 'true' ? 'yes' : 'no') : text
