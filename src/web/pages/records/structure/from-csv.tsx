import { useSignal } from '@preact/signals'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { api } from '../../../data/api.ts'
import { readAgain } from '../../../data/cache.ts'
import { formatNumber } from '../../../data/formats.ts'
import { address, navigate } from '../../../router.ts'
import { startImport } from '../csv/imports.ts'
import { Inference, type InferredColumn } from '../csv/infer.ts'
import { readLines } from '../csv/lines.ts'

interface Read {
  readonly file: File
  readonly head: readonly string[]
  readonly rows: number
  readonly columns: readonly InferredColumn[]
}

async function read(file: File): Promise<Read> {
  let head: readonly string[] | undefined
  let inference = new Inference([])
  for await (const { lines } of readLines(file)) {
    if (!head && lines[0]) inference = new Inference(lines[0])
    for (const cells of head ? lines : lines.slice(1)) inference.add(cells)
    head ??= lines[0]
  }
  if (!head) throw new Error('The file is empty; its first line must name the columns.')
  return { file, head, rows: inference.rows, columns: inference.columns() }
}

const LEAVE_OUT = ''

/**
 * A new table made of a csv file: what its columns are is guessed from all of its rows, and shown before anything is
 * made.
 */
export function FromCsv() {
  const found = useSignal<Read | undefined>(undefined)
  const name = useSignal('')
  const types = useSignal<readonly string[]>([])
  const open = useAction(async (file: File) => {
    found.value = await read(file)
    name.value = file.name.replace(/\.[^.]+$/, '')
    types.value = found.value.columns.map(({ type }) => type)
  })
  const make = useAction(async () => {
    if (!found.value) return
    const { file, head, columns } = found.value
    const fields = columns.flatMap(({ key, label, options }, at) => {
      const type = types.value[at] ?? LEAVE_OUT
      return type === LEAVE_OUT ? [] : { key, label, type, ...(type === 'select' && { options }) }
    })
    const { structure } = await api.post('/v1/records/structures', {
      body: { name: name.value.trim(), fields } as never,
    })
    await readAgain({ queryKey: ['structure record', 'structures'] })
    const targets = columns.map(({ key }) => structure.fields.find((field) => field.key === key))
    void startImport({ structure, file, targets, onConflict: 'refuse' }, head)
    navigate(address(['records', structure.id], { pane: 'import' }))
  })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void make.run()
      }}
    >
      <label class="field">
        <span>File</span>
        <input
          class="input file"
          type="file"
          accept=".csv,.tsv,text/csv,text/tab-separated-values"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? []
            if (file) void open.run(file)
          }}
        />
      </label>
      {open.isRunning.value && <p role="status">Reading…</p>}
      {open.refusal.value !== undefined && <ErrorText>{open.refusal.value}</ErrorText>}
      {found.value && (
        <>
          <FieldInput
            label="Name of the table"
            name="table-name"
            required
            maxLength={500}
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
          {found.value.columns.map((column, at) => (
            <ColumnType
              key={column.key}
              column={column}
              type={types.value[at] ?? LEAVE_OUT}
              onChange={(type) => (types.value = types.value.with(at, type))}
            />
          ))}
          {make.refusal.value !== undefined && <ErrorText>{make.refusal.value}</ErrorText>}
          <p class="actions">
            <Button kind="main" type="submit" disabled={make.isRunning.value}>
              Make the table with {formatNumber(found.value.rows)} rows
            </Button>
          </p>
        </>
      )}
    </form>
  )
}

const WORDS: Readonly<Record<string, string>> = {
  [LEAVE_OUT]: 'leave out',
  text: 'Text',
  number: 'Number',
  bool: 'Yes or no',
  date: 'Date',
  time: 'Time',
  datetime: 'Date and time',
  select: 'Choice',
}

interface ColumnTypeProps {
  readonly column: InferredColumn
  readonly type: string
  readonly onChange: (type: string) => void
}

const ColumnType = ({ column, type, onChange }: ColumnTypeProps) => {
  const possible = [...new Set([column.type, 'text', ...(column.options ? ['select'] : []), LEAVE_OUT])]
  return (
    <label class="mapping">
      <span class="cut">
        {column.label} {column.sample && <small>{column.sample.slice(0, 40)}</small>}
      </span>
      <select class="input" value={type} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {possible.map((one) => (
          <option key={one} value={one}>
            {WORDS[one]}
            {one === 'select' && `: ${column.options?.length} values`}
          </option>
        ))}
      </select>
    </label>
  )
}
