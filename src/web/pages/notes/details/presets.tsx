import { useId, useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import { mayWrite } from '../../../data/session.ts'
import { useQuery } from '../../../data/use-query.ts'
import { useProperties } from './properties.tsx'
import { fieldText, PropertyControl, typedValue } from './property-control.tsx'

/** Writes a named set of tags and property values onto the note; what it asks for is filled in first. */
export function Presets({ id }: { id: string }) {
  const name = useId()
  const presets = useQuery(['preset property'], () => api.get('/v1/presets')).data?.presets ?? []
  const definitions = useProperties()
  const [chosen, setChosen] = useState('')
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [outcome, setOutcome] = useState<string>()
  const preset = definitions && presets.find((one) => one.id === chosen)
  const asked = (preset?.asks ?? []).flatMap(({ key, value }) => {
    const property = definitions?.find((one) => one.key === key)
    return property ? [{ property, text: typed[key] ?? fieldText(property, value) }] : []
  })
  const { run, isRunning, refusal, fault } = useAction(async () => {
    const answers = Object.fromEntries(
      asked
        .map(({ property, text }) => [property.key, typedValue(property, text)])
        .filter(([, answer]) => answer !== null),
    )
    const applied = await api.post('/v1/presets/{idOrName}/apply', {
      params: { idOrName: chosen },
      body: { note_id: id, answers, tz: Intl.DateTimeFormat().resolvedOptions().timeZone },
    })
    setOutcome(
      `Set ${applied.properties_set.length}, kept ${applied.properties_kept.length}, tags added ${applied.tags_added.length}.`,
    )
    choose('')
    await invalidate(new Set(['note', 'tag', 'property']))
  })
  const choose = (one: string) => {
    setChosen(one)
    setTyped({})
    refusal.value = undefined
  }
  if (presets.length === 0 || !mayWrite.value) return null
  const key = fault.value?.path.at(-1)
  const refused = asked.find(({ property }) => property.key === key)?.property.key
  return (
    <section class="section">
      <h3>Apply a preset</h3>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <select
          class="input"
          aria-label="Preset"
          value={chosen}
          onChange={({ currentTarget }) => {
            setOutcome(undefined)
            choose(currentTarget.value)
          }}
        >
          <option value="">choose one</option>
          {presets.map(({ id: one, name: title }) => (
            <option key={one} value={one} selected={one === chosen}>
              {title}
            </option>
          ))}
        </select>
        {asked.map(({ property, text }, at) => (
          <div class="field" key={`${chosen} ${property.key}`}>
            <label for={`${name}-${at}`}>{property.label}</label>
            <PropertyControl
              property={property}
              id={`${name}-${at}`}
              text={text}
              error={property.key === refused ? refusal.value : undefined}
              onInput={(given) => setTyped((now) => ({ ...now, [property.key]: given }))}
            />
          </div>
        ))}
        {preset && (
          <p class="actions">
            <Button type="submit" disabled={isRunning.value}>
              Apply
            </Button>
          </p>
        )}
        {refusal.value && refused === undefined && <ErrorText>{refusal.value}</ErrorText>}
        {outcome !== undefined && (
          <p class="dim" role="status">
            {outcome}
          </p>
        )}
      </form>
    </section>
  )
}
