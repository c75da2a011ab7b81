import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { api } from '../../data/api.ts'
import { invalidate } from '../../data/cache.ts'
import { counted, formatNumber } from '../../data/formats.ts'
import { useQuery } from '../../data/use-query.ts'
import { changeSelected, MAX_SELECTED, selectAll, tagSelected, type Undo } from './bulk.ts'
import { useProperties } from './details/properties.tsx'
import { PropertyControl, typedValue } from './details/property-control.tsx'
import type { NoteQuery } from './list-data.ts'
import { endSelection, selected, setSelected } from './selection.ts'

type Form = 'tag' | 'property'

interface FinishedAction {
  readonly message: string
  readonly undo: Undo
}

const CHANGED = new Set(['note', 'tag', 'quick_access_item'])

interface BulkBarProps {
  readonly noteQuery: NoteQuery
  readonly total: number
}

/** Actions on the selected notes, with undo. */
export function BulkBar({ noteQuery, total }: BulkBarProps) {
  const [form, setForm] = useState<Form>()
  const [done, setDone] = useState<FinishedAction>()
  const count = selected.value.size
  const { run, isRunning, refusal } = useAction((act: () => Promise<unknown>) => act())
  const change = (message: string, act: () => Promise<Undo>) =>
    run(async () => {
      const undo = await act()
      setForm(undefined)
      setDone({ message, undo })
      await invalidate(CHANGED)
    })
  const trash = () =>
    change(`${counted(count, 'note')} moved to the trash.`, async () => {
      const undo = await changeSelected(() => ({ op: 'deleted' }))
      setSelected(new Map())
      return undo
    })
  const undoDone = (undo: Undo) =>
    run(async () => {
      await undo()
      setDone(undefined)
      await invalidate(CHANGED)
    })
  const toggle = (name: Form) => setForm(form === name ? undefined : name)
  const isIdle = count === 0 || isRunning.value
  return (
    <section class="bulk-bar" aria-label="Selected notes">
      {done && (
        <p class="line" role="status">
          {done.message}
          <Button disabled={isRunning.value} onClick={() => void undoDone(done.undo)}>
            Undo
          </Button>
        </p>
      )}
      <div class="line">
        <strong role="status">{count === 0 ? 'Select notes' : `${formatNumber(count)} selected`}</strong>
        {count < total && total <= MAX_SELECTED && (
          <Button
            kind="quiet"
            disabled={isRunning.value}
            onClick={() => void run(() => selectAll(noteQuery))}
          >
            Select all {formatNumber(total)}
          </Button>
        )}
        <span class="grow" />
        <Button kind="quiet icon-only" aria-label="End selection (Esc)" onClick={endSelection}>
          <Icon name="x" />
        </Button>
      </div>
      <div class="line">
        <Button kind="quiet" disabled={isIdle} aria-expanded={form === 'tag'} onClick={() => toggle('tag')}>
          Tag…
        </Button>
        <Button
          kind="quiet"
          disabled={isIdle}
          aria-expanded={form === 'property'}
          onClick={() => toggle('property')}
        >
          Property…
        </Button>
        <Button
          kind="quiet"
          disabled={isIdle}
          onClick={() =>
            void run(async () => (await import('./export-notes.ts')).exportNotes([...selected.peek().keys()]))
          }
        >
          Export
        </Button>
        <Button kind="quiet" disabled={isIdle} onClick={() => void trash()}>
          Move to trash
        </Button>
      </div>
      {form === 'tag' && <TagForm count={count} isRunning={isRunning.value} change={change} />}
      {form === 'property' && <PropertyForm count={count} isRunning={isRunning.value} change={change} />}
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
    </section>
  )
}

interface FormProps {
  readonly count: number
  readonly isRunning: boolean
  readonly change: (message: string, act: () => Promise<Undo>) => Promise<boolean>
}

/** Adds a tag to all selected notes, or removes it. */
function TagForm({ count, isRunning, change }: FormProps) {
  const [text, setText] = useState('')
  const { data } = useQuery(['tag note'], () => api.get('/v1/tags'))
  const name = text.trim().replace(/^#/, '')
  const add = () => change(`${counted(count, 'note')} tagged #${name}.`, () => tagSelected(name, true))
  const remove = () =>
    change(`#${name} removed from ${counted(count, 'note')}.`, () => tagSelected(name, false))
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault()
        if (name !== '') void add()
      }}
    >
      <div class="field">
        <label for="bulk-tag">Tag</label>
        <input
          id="bulk-tag"
          class="input"
          list="bulk-tags"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <datalist id="bulk-tags">
          {data?.tags.map((tag) => (
            <option key={tag.name} value={tag.name} />
          ))}
        </datalist>
      </div>
      <Button kind="main" type="submit" disabled={isRunning || name === ''}>
        Add to {counted(count, 'note')}
      </Button>
      <Button disabled={isRunning || name === ''} onClick={() => void remove()}>
        Remove
      </Button>
    </form>
  )
}

/** Sets a property of all selected notes; an empty value clears it. */
function PropertyForm({ count, isRunning, change }: FormProps) {
  const definitions = useProperties() ?? []
  const [key, setKey] = useState<string>()
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const property = definitions.find((known) => known.key === key) ?? definitions[0]
  if (!property) return <p>No properties yet. Create one under “Views, tags, properties”.</p>
  const write = () =>
    change(`${property.label} of ${counted(count, 'note')} set.`, () =>
      changeSelected(() => ({
        op: 'updated',
        data: { properties: { [property.key]: typedValue(property, text) } },
      })),
    )
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault()
        if (error === undefined) void write()
      }}
    >
      <div class="field">
        <label for="bulk-key">Property</label>
        <select
          id="bulk-key"
          class="input"
          value={property.key}
          onChange={({ currentTarget }) => {
            setKey(currentTarget.value)
            setText('')
          }}
        >
          {definitions.map((option) => (
            <option key={option.key} value={option.key}>
              {option.label}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="bulk-value">Value</label>
        <PropertyControl
          property={property}
          id="bulk-value"
          text={text}
          error={error}
          onInput={setText}
          onChange={(_, unreadable) => setError(unreadable)}
        />
      </div>
      <Button kind="main" type="submit" disabled={isRunning}>
        {text === '' ? 'Clear in' : 'Set in'} {counted(count, 'note')}
      </Button>
    </form>
  )
}
