import { useId, useState } from 'preact/hooks'
import { useAction } from '../../../components/form.tsx'
import { useInTurn } from '../../../components/in-turn.ts'
import { api } from '../../../data/api.ts'
import { invalidate, useQuery } from '../../../data/cache.ts'
import { mayWrite } from '../../../data/session.ts'
import { fieldText, type Property, PropertyControl, typedValue } from './property-control.tsx'

export const useProperties = () => useQuery(['property'], () => api.get('/v1/properties')).data?.properties

/** The properties of the workspace with the values of this note. */
export function Properties({ id }: { id: string }) {
  const definitions = useProperties() ?? []
  const values = useQuery(['note property', 'values', id], () =>
    api.get('/v1/notes/{id}/properties', { params: { id } }),
  ).data?.properties as Record<string, unknown> | undefined
  if (!values || definitions.length === 0) return null
  return (
    <section class="section">
      <h3>Properties</h3>
      <dl class="facts">
        {definitions.map((property) => (
          <Value key={property.id} note={id} property={property} value={values[property.key]} />
        ))}
      </dl>
    </section>
  )
}

interface ValueProps {
  readonly note: string
  readonly property: Property
  readonly value: unknown
}

function Value({ note, property, value }: ValueProps) {
  const id = useId()
  /** What was typed and is not saved; it stays while the value changes elsewhere, and when it was refused. */
  const [typed, setTyped] = useState<string>()
  const { run, refusal } = useAction(async (text: string, unreadable: string | undefined) => {
    if (unreadable !== undefined) throw new Error(unreadable)
    const body = { [property.key]: typedValue(property, text) }
    await api.patch('/v1/notes/{id}/properties', { params: { id: note }, body })
    await invalidate(new Set(['note', 'property']))
    setTyped((now) => (now === text ? undefined : now))
  })
  const save = useInTurn(run)
  const text = fieldText(property, value)
  if (!mayWrite.value)
    return (
      <>
        <dt>{property.label}</dt>
        <dd class={text === '' ? 'dim' : undefined}>{text === '' ? 'not set' : shown(property, text)}</dd>
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
          why={refusal.value}
          onInput={setTyped}
          onChange={(given, unreadable) => void save(given, unreadable)}
        />
      </dd>
    </>
  )
}

const shown = ({ type }: Property, text: string) =>
  type === 'bool' ? (text === 'true' ? 'yes' : 'no') : text
