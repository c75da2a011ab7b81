import { Why } from '../../../components/form.tsx'
import { api } from '../../../data/api.ts'
import { useQuery } from '../../../data/cache.ts'
import { mayWrite } from '../../../data/session.ts'
import { address } from '../../../router.ts'
import { useUpload } from './upload.ts'

const UNITS = ['bytes', 'KB', 'MB'] as const

function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${Math.round(bytes / 1_000 ** power)} ${UNITS[power]}`
}

/** The files of a note; more are added by choosing, dropping or pasting them. */
export function Files({ id }: { id: string }) {
  const { data } = useQuery(['file note', 'files', id], () =>
    api.get('/v1/notes/{id}/files', { params: { id } }),
  )
  const { refusal, waiting, take } = useUpload(id)
  const files = data?.files ?? []
  if (files.length === 0 && !mayWrite.value) return null
  return (
    <section
      class="sec"
      aria-label="Files"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void take([...(event.dataTransfer?.files ?? [])])
      }}
    >
      <h3>Files</h3>
      <ul class="plain">
        {files.map(({ id: file, file_name, size }) => (
          <li key={file}>
            <a href={address(['files', file])}>{file_name}</a>
            <small class="dim">{sizeOf(size)}</small>
          </li>
        ))}
      </ul>
      {mayWrite.value && (
        <label class="f">
          <span class="l">Add files; you can also drop or paste them</span>
          <input
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              void take([...(currentTarget.files ?? [])])
              currentTarget.value = ''
            }}
          />
        </label>
      )}
      {waiting > 0 && <p role="status">{waiting === 1 ? 'Storing a file…' : `Storing ${waiting} files…`}</p>}
      {refusal !== undefined && <Why>{refusal}</Why>}
    </section>
  )
}
