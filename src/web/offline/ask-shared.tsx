import { render } from 'preact'
import { Button } from '../components/form.tsx'
import { Modal } from '../components/modal.tsx'

/** What a note of what was shared begins with, and the names of its files. */
export interface SharedNote {
  readonly title: string
  readonly content: string
  readonly files: readonly string[]
}

/** So much of a text is enough to know it by. */
const SHOWN = 300

const beginningOf = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)

/** Asks whether what was shared becomes a note; undefined puts that off. */
export function askWhetherKept({ title, content, files }: SharedNote): Promise<boolean | undefined> {
  const place = document.createElement('div')
  document.body.append(place)
  return new Promise((resolve) => {
    const answer = (isKept: boolean | undefined) => {
      render(null, place)
      place.remove()
      resolve(isKept)
    }
    render(
      <Modal title="Keep this as a note?" onClose={() => answer(undefined)}>
        {/* It has the focus, so that a key that was meant for the website answers nothing. */}
        <p tabIndex={-1} autofocus>
          A website or an app has sent this to daybook. Discard it if you did not share it yourself.
        </p>
        <p>
          <strong>{title}</strong>
        </p>
        {content !== '' && <p>{beginningOf(content)}</p>}
        {files.length > 0 && (
          <p class="dim">{`${files.length === 1 ? '1 file' : `${files.length} files`}: ${beginningOf(files.join(', '))}`}</p>
        )}
        <p class="actions">
          <Button kind="main" onClick={() => answer(true)}>
            Keep as a note
          </Button>
          <Button onClick={() => answer(false)}>Discard</Button>
        </p>
      </Modal>,
      place,
    )
  })
}
