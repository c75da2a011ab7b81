import { useSignal } from '@preact/signals'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Pane } from '../../../components/pane.tsx'
import { formatNumber } from '../../../data/formats.ts'
import type { Field, Structure } from '../model.ts'
import type { RowList } from '../rows.ts'
import { paneAddress } from '../view.ts'
import { fieldFor, readHead } from './import-run.ts'
import { forgetImport, type Import, importInto, startImport } from './imports.ts'
import { RefusedRows } from './refused-rows.tsx'

interface ImportPaneProps {
  readonly structure: Structure
  readonly source: RowList
}

/** Brings rows in from a csv file: which column fills which field, then how far it is and what was refused. */
export function ImportPane({ structure, source }: ImportPaneProps) {
  const file = useSignal<File | undefined>(undefined)
  const head = useSignal<readonly (readonly string[])[]>([])
  const targets = useSignal<readonly (Field | undefined)[]>([])
  const onConflict = useSignal<'refuse' | 'update'>('refuse')
  const found = importInto(structure.id)
  const isRunning = found?.isRunning === true
  const open = useAction(async (chosen: File) => {
    file.value = chosen
    forgetImport(structure.id)
    head.value = await readHead(chosen)
    targets.value = (head.value[0] ?? []).map((heading) => fieldFor(structure.fields, heading))
  })
  const run = async () => {
    if (!file.value || isRunning) return
    const plan = { structure, file: file.value, targets: targets.value, onConflict: onConflict.value }
    await startImport(plan, head.value[0] ?? [])
    source.refreshNow()
  }
  const isUnique = structure.fields.some(({ unique }) => unique) || structure.unique_together.length > 0
  const mapped = targets.value.filter(Boolean).length
  const error = open.refusal.value ?? found?.refusal
  return (
    <Pane kind="side" label="Import csv">
      <header class="bar">
        <h2>Import csv</h2>
        <span class="grow" />
        <a class="button quiet icon-only" href={paneAddress(undefined)} aria-label="Close the import">
          <Icon name="x" />
        </a>
      </header>
      <form
        class="section stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <div class="field">
          <label for="csv-file">File; its first line names the columns</label>
          <input
            class="input file"
            id="csv-file"
            type="file"
            accept=".csv,.tsv,text/csv,text/tab-separated-values"
            disabled={isRunning}
            onChange={({ currentTarget }) => {
              const [chosen] = currentTarget.files ?? []
              if (chosen) void open.run(chosen)
            }}
          />
        </div>
        {head.value[0]?.map((heading, place) => (
          <Mapping
            key={`${place} ${heading}`}
            heading={heading}
            sample={head.value[1]?.[place]}
            fields={structure.fields}
            target={targets.value[place]}
            onChange={(field) => {
              targets.value = targets.value.map((old, other) => (other === place ? field : old))
            }}
          />
        ))}
        {head.value.length > 0 && isUnique && (
          <label class="check">
            <input
              type="checkbox"
              checked={onConflict.value === 'update'}
              onChange={({ currentTarget }) => {
                onConflict.value = currentTarget.checked ? 'update' : 'refuse'
              }}
            />{' '}
            Update rows that are there already, by their unique fields
          </label>
        )}
        {error !== undefined && <ErrorText>{error}</ErrorText>}
        {(head.value.length > 0 || isRunning) && (
          <p class="actions">
            <Button kind="main" type="submit" disabled={isRunning || mapped === 0}>
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
      {heading || 'no heading'} {sample && <small>{sample.slice(0, 40)}</small>}
    </span>
    <select
      class="input"
      value={target?.key ?? ''}
      onChange={({ currentTarget }) => onChange(fields.find(({ key }) => key === currentTarget.value))}
    >
      <option value="">leave out</option>
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
      <progress value={isRunning ? part : 1} aria-label="How much of the file has been read" />
      <p role="status">
        {state} {counts.filter(Boolean).join(', ')}.
      </p>
      {refused.length > 0 && <RefusedRows refused={refused} count={refused.length} head={head} />}
    </section>
  )
}
