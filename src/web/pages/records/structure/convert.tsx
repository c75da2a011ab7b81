import { useEffect, useState } from 'preact/hooks'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { Modal } from '../../../components/modal.tsx'
import { type Answer, api } from '../../../data/api.ts'
import { refetch } from '../../../data/cache.ts'
import { formatNumber } from '../../../data/formats.ts'
import type { Structure } from '../../../data/records/model.ts'
import { TYPE_LABELS, TYPES } from './draft.ts'

type Field = Structure['fields'][number]
type ConvertOutcome = Answer<'/v1/records/structures/{nameOrId}/convert', 'post'>

interface ConvertProps {
  readonly structure: Structure
  readonly field: Field
  readonly onDone: (structure: Structure) => void
  readonly onClose: () => void
}

const TYPING_MS = 300
const MAX_SHOWN = 6

/** Converts a field of a table with rows to another type, after a dry run that lists unconvertible values. */
export function ConvertDialog({ structure, field, onDone, onClose }: ConvertProps) {
  const [type, setType] = useState<string>(field.type === 'text' ? 'number' : 'text')
  const [key, setKey] = useState(freeKey(structure, `${field.key}_new`))
  const [options, setOptions] = useState('')
  const [dryRun, setDryRun] = useState<ConvertOutcome>()
  const [error, setError] = useState<string>()
  const list = options
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const body = {
    field: field.key,
    key,
    type: type as Field['type'] & 'text',
    label: field.label,
    ...(type === 'select' && list.length > 0 && { options: list }),
  }
  const call = (isDryRun: boolean) =>
    api.post('/v1/records/structures/{nameOrId}/convert', {
      params: { nameOrId: structure.id },
      body: { ...body, dry_run: isDryRun },
    })
  const text = JSON.stringify(body)
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(() => {
      call(true).then(
        (outcome) => {
          if (!isCurrent) return
          setDryRun(outcome)
          setError(undefined)
        },
        (error: Error) => isCurrent && setError(error.message),
      )
    }, TYPING_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text])
  const convert = useAction(async () => {
    const { structure: after } = await call(false)
    await refetch({ queryKey: ['structure record', 'structures'] })
    onDone(after)
  })
  return (
    <Modal title={`Convert ${field.label}`} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (await convert.run()) onClose()
        }}
      >
        <p>The values are copied to a new field. The old one is kept, hidden.</p>
        <label class="field">
          <span>New type</span>
          <select class="input" value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
            {TYPES.map((option) => (
              <option key={option} value={option}>
                {TYPE_LABELS[option]}
              </option>
            ))}
          </select>
        </label>
        <FieldInput
          label="API name of the new field"
          name="convert-key"
          required
          maxLength={63}
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        {type === 'select' && (
          <label class="field">
            <span>Options, one per line. Empty allows any text.</span>
            <textarea
              class="input"
              rows={4}
              value={options}
              onInput={({ currentTarget }) => setOptions(currentTarget.value)}
            />
          </label>
        )}
        {error === undefined && dryRun && <Forecast dryRun={dryRun} />}
        {(convert.refusal.value ?? error) !== undefined && (
          <ErrorText>{convert.refusal.value ?? error}</ErrorText>
        )}
        <p class="actions">
          <Button kind="main" type="submit" disabled={convert.isRunning.value || error !== undefined}>
            {convert.isRunning.value ? 'Converting…' : 'Convert'}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </form>
    </Modal>
  )
}

function freeKey(structure: Structure, wanted: string): string {
  const isTaken = (key: string) => structure.fields.some((field) => field.key === key)
  let key = wanted.slice(0, 60)
  for (let number = 2; isTaken(key); number++) key = `${wanted.slice(0, 60)}_${number}`
  return key
}

function Forecast({ dryRun: { converted, empty, failed, failures } }: { dryRun: ConvertOutcome }) {
  return (
    <div role="status">
      <p>
        {formatNumber(converted)} can be converted, {formatNumber(empty)} are empty
        {failed > 0 ? `, ${formatNumber(failed)} cannot be converted and become empty:` : '.'}
      </p>
      {failed > 0 && (
        <ul class="forecast" aria-label="Values that cannot be converted">
          {failures.slice(0, MAX_SHOWN).map(({ record_id, value }) => (
            <li key={record_id}>{String(value)}</li>
          ))}
          {failed > MAX_SHOWN && <li>and {formatNumber(failed - MAX_SHOWN)} more</li>}
        </ul>
      )}
    </div>
  )
}
