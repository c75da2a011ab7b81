import { useSignal } from '@preact/signals'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { SampleRows } from '../../../components/sample-rows.tsx'
import { api } from '../../../data/api.ts'
import { refetch } from '../../../data/cache.ts'
import { formatNumber } from '../../../data/formats.ts'
import { address, navigate } from '../../../router.ts'
import { FileReadingFields } from '../csv/file-reading.tsx'
import { startImport } from '../csv/imports.ts'
import { type ColumnType, Inference, type InferredColumn } from '../csv/infer.ts'
import { type FileReading, readLines } from '../csv/lines.ts'

interface ParsedFile {
  readonly file: File
  readonly encoding: string | undefined
  readonly head: readonly string[]
  readonly rows: number
  readonly firstRows: readonly (readonly string[])[]
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
  const { rows, firstRows } = inference
  return { file, encoding, head, rows, firstRows, columns: inference.columns() }
}

const SKIP = ''
const SKIPPED = 'Skip'

const typeOf = ({ types }: InferredColumn, id: string): ColumnType | undefined =>
  types.find((type) => type.id === id)

/** Creates a table from a CSV file. The type of each column is inferred from all rows and can be changed first. */
export function FromCsv({ onOpen }: { readonly onOpen: (isOpen: boolean) => void }) {
  const found = useSignal<ParsedFile | undefined>(undefined)
  const reading = useSignal<FileReading>({})
  const name = useSignal('')
  const types = useSignal<readonly string[]>([])
  const open = useAction(async (file: File) => {
    found.value = await parseFile(file, reading.value)
    name.value = file.name.replace(/\.[^.]+$/, '')
    types.value = found.value.columns.map(({ suggested }) => suggested)
    onOpen(true)
  })
  const create = useAction(async () => {
    if (!found.value) return
    const { file, head, columns } = found.value
    const chosen = columns.map((column, index) => typeOf(column, types.value[index] ?? SKIP))
    const fields = columns.flatMap(({ key, label }, index) => {
      const type = chosen[index]
      return type ? { key, label, ...type.field } : []
    })
    const { structure } = await api.post('/v1/records/structures', {
      body: { name: name.value.trim(), fields } as never,
    })
    await refetch({ queryKey: ['structure record', 'structures'] })
    const targets = columns.map(({ key }) => structure.fields.find((field) => field.key === key))
    const readers = chosen.map((type) => type?.read)
    const plan = { structure, file, reading: reading.value, targets, readers, onConflict: 'refuse' } as const
    void startImport(plan, head)
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
            <TypeChoice
              key={column.key}
              column={column}
              type={types.value[index] ?? SKIP}
              onChange={(type) => (types.value = types.value.with(index, type))}
            />
          ))}
          <SampleRows
            label="First rows"
            columns={found.value.columns.map((column, index) => ({
              label: column.label,
              type: typeOf(column, types.value[index] ?? SKIP)?.label ?? SKIPPED,
            }))}
            rows={found.value.firstRows}
          />
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

interface TypeChoiceProps {
  readonly column: InferredColumn
  readonly type: string
  readonly onChange: (type: string) => void
}

const TypeChoice = ({ column: { label, types }, type, onChange }: TypeChoiceProps) => (
  <label class="mapping">
    <span class="cut">{label}</span>
    <select class="input" value={type} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {types.map((option) => (
        <option key={option.id} value={option.id}>
          {option.label}
        </option>
      ))}
      <option value={SKIP}>{SKIPPED}</option>
    </select>
  </label>
)
