import { useEffect, useState } from 'preact/hooks'
import { Check } from '../../../components/check.tsx'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { Modal } from '../../../components/modal.tsx'
import { SelectField } from '../../../components/select.tsx'
import { type Answer, api } from '../../../data/api.ts'
import { refetch } from '../../../data/cache.ts'
import { formatNumber } from '../../../data/formats.ts'
import type { Structure } from '../../../data/records/model.ts'
import { showValue } from '../../../data/records/values.ts'
import { Refused } from '../../../data/request.ts'
import { isComputedType, mayBeMultiple, TYPE_LABELS, TYPES } from './draft.ts'

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

const DATE_FORMATS = {
  iso: 'Year-month-day (ISO)',
  ymd: 'Year first',
  dmy: 'Day first',
  mdy: 'Month first',
} as const

const DECIMALS = { '.': 'Point: 1,234.5', ',': 'Comma: 1.234,5' } as const

/** The advice for a refusal, by the part of the request that it names. */
const ADVICE: Readonly<Record<string, string>> = {
  date_format: 'These dates can be read with the month or the day first. Select the order of their parts.',
  multiple: 'Some rows have more than one value. Select “Several values”.',
}

const adviceFor = (error: Error): string => {
  const place = error instanceof Refused ? String(error.fault?.path[0] ?? '') : ''
  return ADVICE[place] ?? error.message
}

/** Converts a field of a table with rows to another type, after a dry run that lists unconvertible values. */
export function ConvertDialog({ structure, field, onDone, onClose }: ConvertProps) {
  const [type, setType] = useState<string>(field.type === 'text' ? 'number' : 'text')
  const [key, setKey] = useState(freeKey(structure, `${field.key}_new`))
  const [options, setOptions] = useState('')
  const [isMultiple, setMultiple] = useState(field.multiple === true)
  const [dateFormat, setDateFormat] = useState('')
  const [decimal, setDecimal] = useState('')
  const readsTexts = field.type === 'text' || field.type === 'select'
  const takesDateFormat = readsTexts && (type === 'date' || type === 'datetime')
  const takesDecimal = readsTexts && type === 'number'
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
    ...(isMultiple && mayBeMultiple(type) && { multiple: true }),
    ...(takesDateFormat && dateFormat !== '' && { date_format: dateFormat as keyof typeof DATE_FORMATS }),
    ...(takesDecimal && decimal !== '' && { decimal: decimal as keyof typeof DECIMALS }),
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
        (error: Error) => isCurrent && setError(adviceFor(error)),
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
  /** Nothing would be left of the values. */
  const isUseless = dryRun !== undefined && dryRun.converted === 0 && dryRun.failed > 0
  return (
    <Modal title={`Convert ${field.label}`} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (await convert.run()) onClose()
        }}
      >
        <p>The values are copied to a new field. The old one is kept, hidden.</p>
        <SelectField
          label="New type"
          value={type}
          options={TYPES.filter((option) => !isComputedType(option)).map((option) => [
            option,
            TYPE_LABELS[option] ?? option,
          ])}
          onChange={setType}
        />
        {mayBeMultiple(type) && (
          <Check label="Several values" checked={isMultiple} onChange={(isOn) => setMultiple(isOn)} />
        )}
        {takesDateFormat && (
          <SelectField
            label="Dates are written"
            value={dateFormat}
            options={[['', 'As all values allow'], ...Object.entries(DATE_FORMATS)]}
            onChange={setDateFormat}
          />
        )}
        {takesDecimal && (
          <SelectField
            label="Decimal sign"
            value={decimal}
            options={[['', 'As all values allow'], ...Object.entries(DECIMALS)]}
            onChange={setDecimal}
          />
        )}
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
          <Button
            kind="main"
            type="submit"
            disabled={convert.isRunning.value || error !== undefined || isUseless}
          >
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
        {failed === 0
          ? '.'
          : converted === 0
            ? `, ${formatNumber(failed)} cannot be converted. Select another type:`
            : `, ${formatNumber(failed)} cannot be converted and become empty:`}
      </p>
      {failed > 0 && (
        <ul class="forecast" aria-label="Values that cannot be converted">
          {failures.slice(0, MAX_SHOWN).map(({ record_id, value }) => (
            <li key={record_id}>{showValue({ type: 'text' }, value)}</li>
          ))}
          {failed > MAX_SHOWN && <li>and {formatNumber(failed - MAX_SHOWN)} more</li>}
        </ul>
      )}
    </div>
  )
}
