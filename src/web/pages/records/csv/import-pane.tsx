import { useSignal } from '@preact/signals'
import { fieldsByHeading } from '../../../../lib/field-headings.ts'
import { Check } from '../../../components/check.tsx'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Pane } from '../../../components/pane.tsx'
import { formatNumber } from '../../../data/formats.ts'
import type { Field, Structure } from '../../../data/records/model.ts'
import type { RowList } from '../../../data/records/rows.ts'
import { paneAddress } from '../view.ts'
import { FileReadingFields } from './file-reading.tsx'
import { readHead } from './import-run.ts'
import { forgetImport, type Import, importInto, startImport } from './imports.ts'
import type { FileReading } from './lines.ts'
import { type DateOrder, findReaders, isDated } from './readers.ts'
import { RefusedRows } from './refused-rows.tsx'

interface ImportPaneProps {
  readonly structure: Structure
  readonly source: RowList
}

/** Imports rows from a CSV file: maps columns to fields, then shows progress and refused rows. */
export function ImportPane({ structure, source }: ImportPaneProps) {
  const file = useSignal<File | undefined>(undefined)
  const reading = useSignal<FileReading>({})
  const encoding = useSignal<string | undefined>(undefined)
  const head = useSignal<readonly (readonly string[])[]>([])
  const targets = useSignal<readonly (Field | undefined)[]>([])
  const order = useSignal<DateOrder>(undefined)
  const onConflict = useSignal<'refuse' | 'update'>('refuse')
  const found = importInto(structure.id)
  const isRunning = found?.isRunning === true
  const open = useAction(async (selected: File) => {
    file.value = selected
    forgetImport(structure.id)
    const found = await readHead({ ...reading.value, file: selected })
    encoding.value = found.encoding
    head.value = found.lines
    targets.value = (head.value[0] ?? []).map(fieldsByHeading(structure.fields))
  })
  const start = useAction(async () => {
    if (!file.value || isRunning) return
    const plan = {
      structure,
      file: file.value,
      reading: reading.value,
      targets: targets.value,
      readers: await findReaders({ ...reading.value, file: file.value }, targets.value, order.value),
      onConflict: onConflict.value,
    }
    await startImport(plan, head.value[0] ?? [])
    source.refreshNow()
  })
  const isUnique = structure.fields.some(({ unique }) => unique) || structure.unique_together.length > 0
  const mapped = targets.value.filter(Boolean).length
  const error = open.refusal.value ?? start.refusal.value ?? found?.refusal
  return (
    <Pane kind="side" label="Import CSV">
      <header class="bar">
        <h2>Import CSV</h2>
        <span class="grow" />
        <a class="button quiet icon-only" href={paneAddress(undefined)} aria-label="Close import">
          <Icon name="x" />
        </a>
      </header>
      <form
        class="section stack"
        onSubmit={(event) => {
          event.preventDefault()
          void start.run()
        }}
      >
        <div class="field">
          <label for="csv-file">File (the first line must hold the column names)</label>
          <input
            class="input file"
            id="csv-file"
            type="file"
            accept=".csv,.tsv,text/csv,text/tab-separated-values"
            disabled={isRunning}
            onChange={({ currentTarget }) => {
              const [selected] = currentTarget.files ?? []
              reading.value = {}
              if (selected) void open.run(selected)
            }}
          />
        </div>
        {file.value && !isRunning && (
          <FileReadingFields
            reading={reading.value}
            encoding={encoding.value}
            onChange={(changed) => {
              reading.value = changed
              if (file.value) void open.run(file.value)
            }}
          />
        )}
        {head.value[0]?.map((heading, index) => (
          <Mapping
            key={`${index} ${heading}`}
            heading={heading}
            sample={head.value[1]?.[index]}
            fields={structure.fields}
            target={targets.value[index]}
            onChange={(field) => {
              targets.value = targets.value.map((old, other) => (other === index ? field : old))
            }}
          />
        ))}
        {targets.value.some(isDated) && (
          <label class="mapping">
            <span>Day and month</span>
            <select
              class="input"
              value={order.value ?? ''}
              onChange={({ currentTarget: { value } }) => {
                order.value = value === 'dmy' || value === 'mdy' ? value : undefined
              }}
            >
              <option value="">Detect the order</option>
              <option value="dmy">Day first</option>
              <option value="mdy">Month first</option>
            </select>
          </label>
        )}
        {head.value.length > 0 && isUnique && (
          <Check
            label="Update existing rows, matched by their unique fields"
            checked={onConflict.value === 'update'}
            onChange={(isOn) => {
              onConflict.value = isOn ? 'update' : 'refuse'
            }}
          />
        )}
        {error !== undefined && <ErrorText>{error}</ErrorText>}
        {(head.value.length > 0 || isRunning) && (
          <p class="actions">
            <Button kind="main" type="submit" disabled={isRunning || start.isRunning.value || mapped === 0}>
              Import
            </Button>
            {isRunning && <Button onClick={() => found.abort.abort()}>Stop</Button>}
          </p>
        )}
      </form>
      {found && <ProgressReport found={found} />}
    </Pane>
  )
}

interface MappingProps {
  readonly heading: string
  readonly sample: string | undefined
  readonly fields: readonly Field[]
  readonly target: Field | undefined
  readonly onChange: (field: Field | undefined) => void
}

const Mapping = ({ heading, sample, fields, target, onChange }: MappingProps) => (
  <label class="mapping">
    <span class="cut">
      {heading || 'no name'} {sample && <small>{sample.slice(0, 40)}</small>}
    </span>
    <select
      class="input"
      value={target?.key ?? ''}
      onChange={({ currentTarget }) => onChange(fields.find(({ key }) => key === currentTarget.value))}
    >
      <option value="">Skip</option>
      {fields.map(({ key, label }) => (
        <option key={key} value={key}>
          {label}
        </option>
      ))}
    </select>
  </label>
)

function ProgressReport({ found: { progress, isRunning, abort, refusal, head } }: { found: Import }) {
  const { written, updated, refused, part } = progress
  const isStopped = abort.signal.aborted || refusal !== undefined
  const state = isRunning ? 'Importing…' : isStopped ? 'Stopped.' : 'Done.'
  const counts = [
    `${formatNumber(written)} new`,
    updated > 0 && `${formatNumber(updated)} updated`,
    `${formatNumber(refused.length)} refused`,
  ]
  return (
    <section class="section stack" aria-label="Progress">
      <progress value={isRunning ? part : 1} aria-label="Import progress" />
      <p role="status">
        {state} {counts.filter(Boolean).join(', ')}.
      </p>
      {refused.length > 0 && <RefusedRows refused={refused} count={refused.length} head={head} />}
    </section>
  )
}
