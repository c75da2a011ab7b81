import { useId } from 'preact/hooks'
import { useAction, Why } from '../../../components/form.tsx'
import { api } from '../../../data/api.ts'
import type { components } from '../../../data/api-types.d.ts'
import { invalidate, useQuery } from '../../../data/cache.ts'
import { mayWrite } from '../../../data/session.ts'

type Property = components['schemas']['Property']

/** The properties of the workspace with the values of this note. */
export function Properties({ id }: { id: string }) {
  const definitions = useQuery(['property'], () => api.get('/v1/properties')).data?.properties ?? []
  const values = useQuery(['note property', 'values', id], () =>
    api.get('/v1/notes/{id}/properties', { params: { id } }),
  ).data?.properties as Record<string, unknown> | undefined
  if (!values || definitions.length === 0) return null
  return (
    <section class="sec">
      <h3>Properties</h3>
      <dl class="facts">
        {definitions.map((property) => (
          <Value key={property.id} note={id} property={property} value={values[property.key]} />
        ))}
      </dl>
    </section>
  )
}

const textOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

interface ValueProps {
  readonly note: string
  readonly property: Property
  readonly value: unknown
}

function Value({ note, property, value }: ValueProps) {
  const name = useId()
  const { run, refusal } = useAction(async (text: string) => {
    const body = { [property.key]: typedValue(property, text) }
    await api.patch('/v1/notes/{id}/properties', { params: { id: note }, body })
    await invalidate(new Set(['note', 'property']))
  })
  const text = textOf(value)
  const save = (given: string) => {
    if (given !== text) void run(given)
  }
  return (
    <>
      <dt id={name}>{property.label}</dt>
      {mayWrite.value ? (
        <dd>
          <Control
            property={property}
            text={text}
            name={name}
            isRefused={refusal.value !== undefined}
            onSave={save}
          />
          {refusal.value && <Why>{refusal.value}</Why>}
        </dd>
      ) : (
        <dd class={text === '' ? 'dim' : undefined}>
          {text === '' ? 'not set' : shown(property, value, text)}
        </dd>
      )}
    </>
  )
}

const shown = ({ type }: Property, value: unknown, text: string) =>
  type === 'bool' ? (value === true ? 'yes' : 'no') : text

/** An empty field clears the value; what does not fit its type is left to the server to refuse. */
function typedValue({ type }: Property, text: string): unknown {
  if (text === '') return null
  if (type === 'number') return Number(text)
  if (type === 'bool') return text === 'true'
  return type === 'json' ? parsed(text) : text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('This is not JSON; check its quotes and brackets.')
  }
}

interface ControlProps {
  readonly property: Property
  readonly text: string
  readonly name: string
  readonly isRefused: boolean
  readonly onSave: (text: string) => void
}

const INPUTS = {
  number: { type: 'number', step: 'any' },
  date: { type: 'date' },
  text: { type: 'text' },
  json: { type: 'text' },
} as const

function Control({ property: { type, options }, text, name, isRefused, onSave }: ControlProps) {
  if (type === 'bool' || type === 'select') {
    const choices =
      type === 'bool'
        ? [
            ['true', 'yes'],
            ['false', 'no'],
          ]
        : (options ?? []).map((one) => [one, one])
    return (
      <select
        class="in"
        aria-labelledby={name}
        value={text}
        onChange={({ currentTarget }) => onSave(currentTarget.value)}
      >
        <option value="">not set</option>
        {choices.map(([value, title]) => (
          <option key={value} value={value} selected={value === text}>
            {title}
          </option>
        ))}
      </select>
    )
  }
  return (
    <input
      class="in"
      {...INPUTS[type]}
      aria-labelledby={name}
      aria-invalid={isRefused}
      value={text}
      onChange={({ currentTarget }) => onSave(currentTarget.value)}
    />
  )
}
