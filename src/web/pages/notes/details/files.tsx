import { QueryError } from '../../../components/pane.tsx'
import { sizeText } from '../../../components/size.ts'
import { Uploads } from '../../../components/uploads.tsx'
import { api } from '../../../data/api.ts'
import { mayWriteNotes } from '../../../data/session.ts'
import { useQuery } from '../../../data/use-query.ts'
import { address } from '../../../router.ts'
import { storeWithNote } from './upload.ts'

/** The files of a note, with a file input and drop target. */
export function Files({ id }: { id: string }) {
  const { data, error } = useQuery(['file note', 'files', id], () =>
    api.get('/v1/notes/{id}/files', { params: { id } }),
  )
  const files = data?.files ?? []
  if (files.length === 0 && !mayWriteNotes.value) return null
  return (
    <section
      class="section"
      aria-label="Files"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        storeWithNote(id, [...(event.dataTransfer?.files ?? [])])
      }}
    >
      <h3>Files</h3>
      {error && <QueryError error={error} />}
      <ul class="plain">
        {files.map(({ id: file, file_name, size }) => (
          <li key={file}>
            <a href={address(['files', file])}>{file_name}</a>
            <small class="dim">{sizeText(size)}</small>
          </li>
        ))}
      </ul>
      {mayWriteNotes.value && (
        <label class="button file-button">
          Add files…
          <input
            class="visually-hidden"
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              storeWithNote(id, [...(currentTarget.files ?? [])])
              currentTarget.value = ''
            }}
          />
        </label>
      )}
      {mayWriteNotes.value && (
        <p>
          <small>You can also drop or paste files into the text.</small>
        </p>
      )}
      {/* On wide screens the note pane shows uploads. */}
      <div class="narrow">
        <Uploads note={id} />
      </div>
    </section>
  )
}
