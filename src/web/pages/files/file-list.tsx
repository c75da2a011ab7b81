import { useRef } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { Empty, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { sizeText } from '../../components/size.ts'
import { Time } from '../../components/time.tsx'
import { Uploads } from '../../components/uploads.tsx'
import { useVirtual } from '../../components/virtual.ts'
import { type StoredFile, useFiles } from '../../data/files.ts'
import { counted } from '../../data/formats.ts'
import { mayWrite } from '../../data/session.ts'
import { upload } from '../../data/upload.ts'
import { address, search, setParameters } from '../../router.ts'
import { FoundPages } from './found-pages.tsx'
import { useFileDrop } from './use-file-drop.ts'

/** The files, newest first, or the pages that match a search. Files dropped on it are uploaded. */
export function FileList({ current }: { current: string | undefined }) {
  const q = search.value.get('q') ?? ''
  const { handlers, isOver } = useFileDrop()
  return (
    <Pane kind="content" label="Files">
      <div class={isOver ? 'drop over' : 'drop'} {...handlers}>
        <header class="bar">
          <h2>Files</h2>
          <span class="grow" />
          {mayWrite.value && <AddButton />}
        </header>
        <div class="tools">
          <div class="search-field">
            <Icon name="search" />
            <input
              class="input"
              type="search"
              aria-label="Search names and text"
              placeholder="Search names and text"
              value={q}
              onInput={({ currentTarget }) => setParameters({ q: currentTarget.value }, { replace: true })}
            />
          </div>
        </div>
        <Uploads />
        {q.trim() === '' ? <AllFiles current={current} /> : <FoundPages q={q} current={current} />}
      </div>
    </Pane>
  )
}

const AddButton = () => (
  <label class="button main">
    <input
      class="visually-hidden"
      type="file"
      multiple
      onChange={({ currentTarget }) => {
        upload(currentTarget.files ?? [])
        currentTarget.value = ''
      }}
    />
    Add files
  </label>
)

function AllFiles({ current }: { current: string | undefined }) {
  const { data, error } = useFiles()
  if (error) return <QueryError error={error} />
  if (data === undefined) return <Loading />
  if (data.length === 0)
    return (
      <Empty>
        <p>
          {mayWrite.value
            ? 'Drop files here, up to 50 MiB each. Their text becomes searchable. On the command line, use '
            : 'No files yet. Editors add them here or with '}
          <code>daybook files add</code>.
        </p>
      </Empty>
    )
  return <Rows files={data} current={current} />
}

const ROW_PX = 56

function Rows({ files, current }: { files: readonly StoredFile[]; current: string | undefined }) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtual({ count: files.length, estimate: ROW_PX, scroller: () => scroller.current })
  const shown = virtual.getVirtualItems()
  const start = shown[0]?.start ?? 0
  const end = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0)
  return (
    <>
      <div class="scroll" ref={scroller}>
        <ul class="ledger" style={{ paddingTop: `${start}px`, paddingBottom: `${end}px` }}>
          {shown.map(({ index }) => {
            const file = files[index]
            return (
              file && (
                <Row
                  key={file.id}
                  file={file}
                  index={index}
                  isCurrent={file.id === current}
                  measure={virtual.measureElement}
                />
              )
            )
          })}
        </ul>
      </div>
      <p class="foot" role="status">
        {counted(files.length, 'file', 'files, newest first')}
      </p>
    </>
  )
}

interface RowProps {
  readonly file: StoredFile
  readonly index: number
  readonly isCurrent: boolean
  readonly measure: (element: HTMLElement | null) => void
}

const STATES = { processing: 'off', ready: 'ok', failed: 'bad' } as const

const Row = ({ file, index, isCurrent, measure }: RowProps) => (
  <li
    ref={measure}
    data-index={index}
    class={file.status === 'failed' ? 'trouble' : isCurrent ? 'chosen' : undefined}
  >
    <Time at={file.created_at} />
    <a class="item" href={address(['files', file.id])} aria-current={isCurrent ? 'true' : undefined}>
      <span class="item-title">
        <span class="cut">{file.file_name}</span>
      </span>
      <span class="meta">
        <span>{sizeText(file.size)}</span>
        {file.pages !== null && file.pages > 0 && <span>{counted(file.pages, 'page')}</span>}
        {file.status !== 'ready' && (
          <span class={`status ${STATES[file.status]}`}>
            {file.status === 'failed' ? 'not readable' : 'reading text'}
          </span>
        )}
        {file.note_id !== null && <span>in a note</span>}
      </span>
    </a>
  </li>
)
