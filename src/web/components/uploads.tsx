import { dropUpload, retryUpload, uploads } from '../data/upload.ts'
import { Button, ErrorText } from './form.tsx'

/** Uploads in flight and refused uploads, of one note or of all. */
export function Uploads({ note }: { note?: string }) {
  const shown = uploads.value.filter((upload) => note === undefined || upload.note === note)
  if (shown.length === 0) return null
  return (
    <ul class="plain uploads" aria-label="Uploads">
      {shown.map(({ id, file, sent, refusal }) => (
        <li key={id}>
          <span class="grow cut">{file.name}</span>
          {refusal === undefined ? (
            <progress aria-label={`Progress of ${file.name}`} value={sent} max={1} />
          ) : (
            <>
              <ErrorText>{refusal}</ErrorText>
              <Button kind="quiet" aria-label={`Retry ${file.name}`} onClick={() => retryUpload(id)}>
                Retry
              </Button>
              <Button kind="quiet" aria-label={`Remove ${file.name}`} onClick={() => dropUpload(id)}>
                Remove
              </Button>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
