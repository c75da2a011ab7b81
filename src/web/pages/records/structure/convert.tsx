import { useEffect, useState } from 'preact/hooks'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { Modal } from '../../../components/modal.tsx'
import { type Answer, api } from '../../../data/api.ts'
import { readAgain } from '../../../data/cache.ts'
import { formatNumber } from '../../../data/formats.ts'
import type { Structure } from '../model.ts'
import { TYPE_WORDS, TYPES } from './draft.ts'

type Field = Structure['fields'][number]
type Outcome = Answer<'/v1/records/structures/{nameOrId}/convert', 'post'>

interface ConvertProps {
  readonly structure: Structure
  readonly field: Field
  readonly onDone: (structure: Structure) => void
  readonly onClose: () => void
}

const TYPING_MS = 300
const SHOWN = 6

/** Gives a field with rows another type; what could not be read is shown before anything is written. */
export function ConvertDialog({ structure, field, onDone, onClose }: ConvertProps) {
  const [type, setType] = useState<string>(field.type === 'text' ? 'number' : 'text')
  const [key, setKey] = useState(freeKey(structure, `${field.key}_new`))
  const [options, setOptions] = useState('')
  const [tried, setTried] = useState<Outcome>()
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
          setTried(outcome)
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
    await readAgain({ queryKey: ['structure record', 'structures'] })
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
        <p>A new field gets the values; the old one is hidden and keeps them all.</p>
        <label class="field">
          <span>New type</span>
          <select class="input" value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
            {TYPES.map((one) => (
              <option key={one} value={one}>
                {TYPE_WORDS[one]}
              </option>
            ))}
          </select>
        </label>
        <FieldInput
          label="Key of the new field, for programs"
          name="convert-key"
          required
          maxLength={63}
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        {type === 'select' && (
          <label class="field">
            <span>Values, one a line; without any, every text</span>
            <textarea
              class="input"
              rows={4}
              value={options}
              onInput={({ currentTarget }) => setOptions(currentTarget.value)}
            />
          </label>
        )}
        {error === undefined && tried && <Forecast tried={tried} />}
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
  const isTaken = (key: string) => structure.fields.some((one) => one.key === key)
  let key = wanted.slice(0, 60)
  for (let number = 2; isTaken(key); number++) key = `${wanted.slice(0, 60)}_${number}`
  return key
}

function Forecast({ tried: { converted, empty, failed, failures } }: { tried: Outcome }) {
  return (
    <div role="status">
      <p>
        {formatNumber(converted)} can be read, {formatNumber(empty)} are empty
        {failed > 0 ? `, ${formatNumber(failed)} cannot be read:` : '.'}
      </p>
      {failed > 0 && (
        <ul class="forecast" aria-label="What cannot be read">
          {failures.slice(0, SHOWN).map(({ record_id, value }) => (
            <li key={record_id}>{String(value)}</li>
          ))}
          {failed > SHOWN && <li>and {formatNumber(failed - SHOWN)} more</li>}
        </ul>
      )}
    </div>
  )
}
