import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { useId } from '../../../components/use-id.ts'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import { PRESETS } from '../../../data/presets.ts'
import { mayWriteNotes } from '../../../data/session.ts'
import { useQuery } from '../../../data/use-query.ts'
import { useProperties } from './properties.tsx'
import { fieldText, PropertyControl, typedValue } from './property-control.tsx'

/** Applies a preset to the note, after asking for the values the preset leaves open. */
export function Presets({ id }: { id: string }) {
  const name = useId()
  const presets = useQuery(PRESETS.queryKey, PRESETS.queryFn).data?.presets ?? []
  const definitions = useProperties()
  const [selectedId, setSelectedId] = useState('')
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [outcome, setOutcome] = useState<string>()
  const preset = definitions && presets.find((known) => known.id === selectedId)
  const questions = (preset?.asks ?? []).flatMap(({ key, value }) => {
    const property = definitions?.find((known) => known.key === key)
    return property ? [{ property, text: typed[key] ?? fieldText(property, value) }] : []
  })
  const { run, isRunning, refusal, fault } = useAction(async () => {
    const answers = Object.fromEntries(
      questions
        .map(({ property, text }) => [property.key, typedValue(property, text)])
        .filter(([, answer]) => answer !== null),
    )
    const applied = await api.post('/v1/presets/{idOrName}/apply', {
      params: { idOrName: selectedId },
      body: { note_id: id, answers, tz: Intl.DateTimeFormat().resolvedOptions().timeZone },
    })
    setOutcome(
      `Properties set: ${applied.properties_set.length}, unchanged: ${applied.properties_kept.length}, tags added: ${applied.tags_added.length}.`,
    )
    select('')
    await invalidate(new Set(['note', 'tag', 'property']))
  })
  const select = (next: string) => {
    setSelectedId(next)
    setTyped({})
    refusal.value = undefined
  }
  if (presets.length === 0 || !mayWriteNotes.value) return null
  const key = fault.value?.path.at(-1)
  const refused = questions.find(({ property }) => property.key === key)?.property.key
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
          value={selectedId}
          onChange={({ currentTarget }) => {
            setOutcome(undefined)
            select(currentTarget.value)
          }}
        >
          <option value="">Select a preset</option>
          {presets.map(({ id: presetId, name: title }) => (
            <option key={presetId} value={presetId} selected={presetId === selectedId}>
              {title}
            </option>
          ))}
        </select>
        {questions.map(({ property, text }, index) => (
          <div class="field" key={`${selectedId} ${property.key}`}>
            <label for={`${name}-${index}`}>{property.label}</label>
            <PropertyControl
              property={property}
              id={`${name}-${index}`}
              text={text}
              error={property.key === refused ? refusal.value : undefined}
              onInput={(value) => setTyped((current) => ({ ...current, [property.key]: value }))}
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
