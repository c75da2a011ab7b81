import { dropUpload, retryUpload, uploads } from '../data/upload.ts'
import { Button, Why } from './form.tsx'

/** What is on its way to the server, and what was refused; of one note, or of all. */
export function Uploads({ note }: { note?: string }) {
  const shown = uploads.value.filter((one) => note === undefined || one.note === note)
  if (shown.length === 0) return null
  return (
    <ul class="plain uploads" aria-label="Files on their way">
      {shown.map(({ id, file, sent, refusal }) => (
        <li key={id}>
          <span class="grow cut">{file.name}</span>
          {refusal === undefined ? (
            <progress aria-label={`${file.name}, sent`} value={sent} max={1} />
          ) : (
            <>
              <Why>{refusal}</Why>
              <Button kind="quiet" aria-label={`Try ${file.name} again`} onClick={() => retryUpload(id)}>
                Try again
              </Button>
              <Button kind="quiet" aria-label={`Leave ${file.name} out`} onClick={() => dropUpload(id)}>
                Leave out
              </Button>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
