import { useState } from 'preact/hooks'
import { Button, Field, useAction, Why } from '../../../components/form.tsx'
import { api } from '../../../data/api.ts'
import { invalidate, useQuery } from '../../../data/cache.ts'
import { mayWrite } from '../../../data/session.ts'

/** Writes a named set of tags and property values onto the note; what it asks for is filled in first. */
export function Presets({ id }: { id: string }) {
  const presets = useQuery(['preset'], () => api.get('/v1/presets')).data?.presets ?? []
  const [chosen, setChosen] = useState('')
  const [outcome, setOutcome] = useState<string>()
  const preset = presets.find((one) => one.id === chosen)
  const { run, isRunning, refusal } = useAction(async (form: HTMLFormElement) => {
    if (!preset) return
    const data = new FormData(form)
    const answers = Object.fromEntries(
      preset.asks.map(({ key }) => [key, String(data.get(key) ?? '')]).filter(([, answer]) => answer !== ''),
    )
    const applied = await api.post('/v1/presets/{idOrName}/apply', {
      params: { idOrName: preset.id },
      body: { note_id: id, answers },
    })
    setOutcome(
      `Set ${applied.properties_set.length}, kept ${applied.properties_kept.length}, tags added ${applied.tags_added.length}.`,
    )
    setChosen('')
    await invalidate(new Set(['note', 'tag', 'property']))
  })
  if (presets.length === 0 || !mayWrite.value) return null
  return (
    <section class="sec">
      <h3>Apply a preset</h3>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(event.currentTarget)
        }}
      >
        <select
          class="in"
          aria-label="Preset"
          value={chosen}
          onChange={({ currentTarget }) => {
            setOutcome(undefined)
            setChosen(currentTarget.value)
          }}
        >
          <option value="">choose one</option>
          {presets.map(({ id: one, name }) => (
            <option key={one} value={one} selected={one === chosen}>
              {name}
            </option>
          ))}
        </select>
        {preset?.asks.map(({ key, value }) => (
          <Field key={key} label={key} name={key} value={value === null ? '' : String(value)} />
        ))}
        {preset && (
          <p class="row-b">
            <Button type="submit" disabled={isRunning.value}>
              Apply
            </Button>
          </p>
        )}
        {refusal.value && <Why>{refusal.value}</Why>}
        {outcome !== undefined && (
          <p class="dim" role="status">
            {outcome}
          </p>
        )}
      </form>
    </section>
  )
}
