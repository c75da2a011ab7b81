import { useState } from 'preact/hooks'
import { confirm } from '../../components/confirm.tsx'
import { Button, Field, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Banner, Loading, QueryError } from '../../components/pane.tsx'
import { sizeText } from '../../components/size.ts'
import { Time } from '../../components/time.tsx'
import { contentOf, deleteFile, type FileWithOutline, renameFile, useFile } from '../../data/files.ts'
import { counted } from '../../data/formats.ts'
import { mayWrite } from '../../data/session.ts'
import { address, navigate, search } from '../../router.ts'
import { FileText } from './file-text.tsx'
import { Original } from './original.tsx'

const listAddress = () => address(['files'], { q: search.value.get('q') ?? undefined })

/** One file: its properties and actions, and its text beside the original. */
export function FilePane({ id }: { id: string }) {
  const { data, error } = useFile(id)
  const [isRenaming, setRenaming] = useState(false)
  return (
    <>
      <header class="bar wraps">
        <a class="button quiet icon-only narrow" href={listAddress()} aria-label="Back to the files">
          <Icon name="back" />
        </a>
        <h2 class="cut">{data?.file_name ?? 'File'}</h2>
        <span class="grow" />
        {data && (
          <a class="button" href={contentOf(id)} download={data.file_name}>
            Download
          </a>
        )}
        {data && mayWrite.value && (
          <Button kind="quiet" onClick={() => setRenaming(!isRenaming)}>
            Rename
          </Button>
        )}
        {data && mayWrite.value && (
          <Button kind="quiet" onClick={() => void askToDelete(data)}>
            Delete…
          </Button>
        )}
      </header>
      {isRenaming && data && <Rename file={data} onClose={() => setRenaming(false)} />}
      {error ? <QueryError error={error} /> : data ? <Content file={data} /> : <Loading />}
    </>
  )
}

function Content({ file }: { file: FileWithOutline }) {
  return (
    <>
      {file.status === 'failed' && (
        <Banner kind="bad">
          <Icon name="warn" />
          <p>
            <strong>The text could not be read.</strong> {file.error} The file itself is unchanged.
          </p>
        </Banner>
      )}
      <section class="section">
        <dl class="facts">
          <dt>Kind</dt>
          <dd title={file.mime_type}>{kindOf(file)}</dd>
          <dt>Size</dt>
          <dd>{sizeText(file.size)}</dd>
          <dt>Added</dt>
          <dd>
            <Time at={file.created_at} />
          </dd>
          {file.note_id !== null && (
            <>
              <dt>Attached to</dt>
              <dd>
                <a href={address(['notes', file.note_id])}>Note with this attachment</a>
              </dd>
            </>
          )}
        </dl>
      </section>
      {file.outline.length > 0 && <Outline file={file} />}
      <div class="beside">
        <Original file={file} />
        <FileText file={file} />
      </div>
    </>
  )
}

/** The extension of the name (“PDF”), else the MIME type. */
const kindOf = ({ file_name, mime_type }: FileWithOutline): string =>
  /\.([a-z0-9]{1,8})$/i.exec(file_name)?.[1]?.toUpperCase() ?? (mime_type || 'unknown')

const MAX_LEVEL = 4

const Outline = ({ file: { id, outline } }: { file: FileWithOutline }) => (
  <section class="section">
    <details>
      <summary>Contents, {counted(outline.length, 'entry', 'entries')}</summary>
      <ul class="plain outline">
        {outline.map(({ title, level, page }, index) => (
          <li key={`${index} ${title}`} data-level={Math.min(level, MAX_LEVEL)}>
            <a href={address(['files', id], { page: String(page) })}>{title}</a>
            <small>{page}</small>
          </li>
        ))}
      </ul>
    </details>
  </section>
)

function Rename({ file: { id, file_name }, onClose }: { file: FileWithOutline; onClose: () => void }) {
  const { run, isRunning, refusal } = useAction(async (name: string) => {
    await renameFile(id, name)
    onClose()
  })
  return (
    <form
      class="section line-form"
      onSubmit={(event) => {
        event.preventDefault()
        void run(String(new FormData(event.currentTarget).get('name')).trim())
      }}
    >
      <Field
        label="New name (links in notes are updated)"
        name="name"
        defaultValue={file_name}
        required
        autofocus
        maxLength={500}
        error={refusal.value}
      />
      <Button kind="main" type="submit" disabled={isRunning.value}>
        Rename
      </Button>
      <Button onClick={onClose}>Cancel</Button>
    </form>
  )
}

const askToDelete = ({ id, file_name }: FileWithOutline): Promise<boolean> =>
  confirm({
    title: `Delete ${file_name}`,
    consequence: 'The file and its text are deleted. Links to it in notes remain, but lead nowhere.',
    action: 'Delete file',
    word: file_name,
    act: async () => {
      await deleteFile(id)
      navigate(listAddress(), { replace: true })
    },
  })
