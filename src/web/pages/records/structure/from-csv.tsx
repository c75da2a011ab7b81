import { useSignal } from '@preact/signals'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { api } from '../../../data/api.ts'
import { refetch } from '../../../data/cache.ts'
import { formatNumber } from '../../../data/formats.ts'
import { address, navigate } from '../../../router.ts'
import { FileReadingFields } from '../csv/file-reading.tsx'
import { startImport } from '../csv/imports.ts'
import { Inference, type InferredColumn } from '../csv/infer.ts'
import { type FileReading, readLines } from '../csv/lines.ts'

interface ParsedFile {
  readonly file: File
  readonly encoding: string | undefined
  readonly head: readonly string[]
  readonly rows: number
  readonly columns: readonly InferredColumn[]
}

async function parseFile(file: File, reading: FileReading): Promise<ParsedFile> {
  let head: readonly string[] | undefined
  let encoding: string | undefined
  let inference = new Inference([])
  for await (const { lines, ...chunk } of readLines({ ...reading, file })) {
    encoding = chunk.encoding
    if (!head && lines[0]) inference = new Inference(lines[0])
    for (const cells of head ? lines : lines.slice(1)) inference.add(cells)
    head ??= lines[0]
  }
  if (!head) throw new Error('The file is empty. Its first line must hold the column names.')
  return { file, encoding, head, rows: inference.rows, columns: inference.columns() }
}

const SKIP = ''

/** Creates a table from a CSV file. The type of each column is inferred from all rows and can be changed first. */
export function FromCsv() {
  const found = useSignal<ParsedFile | undefined>(undefined)
  const reading = useSignal<FileReading>({})
  const name = useSignal('')
  const types = useSignal<readonly string[]>([])
  const open = useAction(async (file: File) => {
    found.value = await parseFile(file, reading.value)
    name.value = file.name.replace(/\.[^.]+$/, '')
    types.value = found.value.columns.map(({ type }) => type)
  })
  const create = useAction(async () => {
    if (!found.value) return
    const { file, head, columns } = found.value
    const fields = columns.flatMap(({ key, label, options }, index) => {
      const type = types.value[index] ?? SKIP
      return type === SKIP ? [] : { key, label, type, ...(type === 'select' && { options }) }
    })
    const { structure } = await api.post('/v1/records/structures', {
      body: { name: name.value.trim(), fields } as never,
    })
    await refetch({ queryKey: ['structure record', 'structures'] })
    const targets = columns.map(({ key }) => structure.fields.find((field) => field.key === key))
    void startImport({ structure, file, reading: reading.value, targets, onConflict: 'refuse' }, head)
    navigate(address(['records', structure.id], { pane: 'import' }))
  })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void create.run()
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
            reading.value = {}
            if (file) void open.run(file)
          }}
        />
      </label>
      {open.isRunning.value && <p role="status">Reading…</p>}
      {open.refusal.value !== undefined && <ErrorText>{open.refusal.value}</ErrorText>}
      {found.value && (
        <>
          <FieldInput
            label="Table name"
            name="table-name"
            required
            maxLength={500}
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
          <FileReadingFields
            reading={reading.value}
            encoding={found.value.encoding}
            onChange={(changed) => {
              reading.value = changed
              if (found.value) void open.run(found.value.file)
            }}
          />
          {found.value.columns.map((column, index) => (
            <ColumnType
              key={column.key}
              column={column}
              type={types.value[index] ?? SKIP}
              onChange={(type) => (types.value = types.value.with(index, type))}
            />
          ))}
          {create.refusal.value !== undefined && <ErrorText>{create.refusal.value}</ErrorText>}
          <p class="actions">
            <Button kind="main" type="submit" disabled={create.isRunning.value}>
              Create table with {formatNumber(found.value.rows)} rows
            </Button>
          </p>
        </>
      )}
    </form>
  )
}

const TYPE_LABELS: Readonly<Record<string, string>> = {
  [SKIP]: 'Skip',
  text: 'Text',
  number: 'Number',
  bool: 'Yes/no',
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
  const possible = [...new Set([column.type, 'text', ...(column.options ? ['select'] : []), SKIP])]
  return (
    <label class="mapping">
      <span class="cut">
        {column.label} {column.sample && <small>{column.sample.slice(0, 40)}</small>}
      </span>
      <select class="input" value={type} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {possible.map((option) => (
          <option key={option} value={option}>
            {TYPE_LABELS[option]}
            {option === 'select' && `: ${column.options?.length} values`}
          </option>
        ))}
      </select>
    </label>
  )
}
